// Package worker is git plan on the machine that a launcher started it on: it does one job, for
// whoever talks to it by package wire, and ends with it.
//
//	serve.go    Serve: who speaks when, and the end
//	cache.go    what was sent before, by clone: bounded, and only read by sessions
//	look.go     what is on this machine, for git plan doctor
//	adopt.go    which variables and settings of a job are taken over
//	room.go     where the session works: a clone of what was sent, with the sandbox of this machine
//	check.go    commands that judge a tree, in place of a session
//	session.go  the session itself: what it says is passed on, what it asks is answered by near
//
// The one who talks to it is trusted, as whoever can start it could start anything here. What a
// session makes is not: it is confined as on any other machine, and nothing that it writes is
// believed or executed. Nothing stays but the cache, in which files are only objects of git.
package worker
