// Package agent defines a session with a coding agent: what it is given, what may happen in it, and how it
// ends. The agents are in the packages below.
//
// A session is one fresh conversation in a role. It is given everything it may know as a [Session] and ends
// as a [Result]. A Result never says that work is done, only that the session says so: checks decide.
// Of a model's text nothing is read but the JSON object that ends it, and a planner's plan (lenient.go).
package agent
