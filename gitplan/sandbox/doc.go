// Package sandbox decides what the programs of sessions, and the checks that run what those wrote, may read and
// write. It makes proc.Confinement, to which package proc holds programs:
//
//	Sandbox.Confine    what may be done in a folder; Choose: by what    sandbox.go
//	  homes            only what builds need in people's homes          home.go
//	  secrets          those that are known stay hidden                 secrets.go
//	  privateTemps     temporary folders of its own                     secrets.go
//	  closeSockets     those of other programs are closed               secrets.go
//	  protectState     what git plan believes is read-only              secrets.go
//	ConfineFilters     filters that may run what lies in the tree       sandbox.go
//	Unread             what a failed check could not read               sandbox.go
package sandbox
