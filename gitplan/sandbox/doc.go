// Package sandbox decides what the programs of sessions, and the checks that run what those
// wrote, may read and write.
//
// It makes proc.Bounds, to which package proc holds programs by bwrap, Landlock or Seatbelt:
//
//	Choose             which kind is in force here                      sandbox.go
//	Sandbox.Confine    what a program that works in a folder may do     sandbox.go
//	  homes            only what builds need in people's homes          home.go
//	  secrets          those that are known stay hidden                 secrets.go
//	  private          temporary folders of its own                     temp.go
//	  closeSockets     those of other programs are closed               sockets.go
//	  protectState     what git plan believes is read-only              temp.go
//	Unread             what a failed check could not read               sandbox.go
//
// Never confined are git's own processes, agents that a person names as commands, and what a
// person runs. The filters and merge drivers of the configuration are confined if they may run
// what lies in the tree (filters.go): git runs them whenever it looks at the tree.
package sandbox
