// Command cost counts what a plan costs: requests, tokens, money and time. It has twelve steps done
// in a public repository by the real git plan, with a scripted model behind a server on this
// machine, and holds that against a loop in the manner of ralphex and against one long conversation
// made of the same pieces.
//
//	repository.go   the repository (from the module proxy), the plan, the settings
//	server.go       the model server: it keeps each request
//	behave.go       what the model does: two manners of it
//	count.go        tokens by three kinds of caches, money, time
//	flows.go        the two other flows
//	table.go        the table, and the limits that make test holds a plan to (limits_test.go)
//
// What is measured is what git plan sends. What is assumed: how a model behaves, four bytes to a
// token, 150 tokens of thinking to a turn, list prices, 0.7 s to an answer's first token, 6,000
// new and 60,000 cached tokens a second, 70 tokens of output a second, 20 s to a run of the tests.
package main
