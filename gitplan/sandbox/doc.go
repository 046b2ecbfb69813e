// Package sandbox decides what the programs of sessions, and the checks that run what those
// wrote, may read and write.
//
// It makes confine.Bounds, which package proc carries out by bwrap, Landlock or Seatbelt:
//
//	Choose             which kind is in force here                     sandbox.go
//	Sandbox.Confine    what a program that works in a folder may do    sandbox.go
//	  homes            of people's homes, what builds need             home.go, above.go, paths.go
//	  secrets          known ones stay hidden                          keys.go, paths.go
//	  private          temporary folders of one's own                  temp.go
//	  sockets          of other programs are closed                    sockets.go
//	  state            what git plan believes is read-only             state.go
//	Unread             what a failed check could not read              unread.go
//
// git's own processes, agents that a person names as commands, and what a person runs are never
// confined. The filters and merge drivers of the configuration that may run what lies in the tree
// are (filters.go): git runs them whenever it looks at that.
package sandbox
