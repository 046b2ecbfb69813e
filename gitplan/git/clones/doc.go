// Package clones makes other places with the contents of a repository, in which somebody may do as
// they like: nothing that they leave there is believed, and nothing of it makes a git of ours
// execute anything.
//
//	clone.go    CloneAt: a throwaway clone at a commit; PrivateClone: a session's, on its branch; ReuseClone: that
//	            of the session before; CommitsInClone: what a session committed in it
//	another.go  PrivateWorktree: the files of a clone, with HEAD, index and settings out of its reach
//	scratch.go  Scratch: a repository to write to in place of this one, for hooks
package clones
