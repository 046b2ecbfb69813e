// Package worker is git plan on the machine where a launcher started it: it runs one session for the
// git plan that talks to it by package remote, and ends with it.
//
//	serve.go      Serve: greets, takes the job and its tree, runs the session, and sends what it leaves
//	workspace.go  where the session works: a repository with the tree that was sent, in this machine's sandbox
//
// The one who talks to it is trusted, as whoever can start it could start anything here. What a
// session makes is not: it is confined as on any other machine, and nothing that it writes is
// believed or executed. Nothing stays.
package worker
