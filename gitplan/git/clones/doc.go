// Package clones makes other places with the contents of a repository, in which somebody may do as
// they like: nothing that they leave there is believed, and nothing of it makes a git of ours
// execute anything.
//
//	clone.go    At: a throwaway clone at a commit; Private: a session's, on its branch; Again: that
//	            of the session before; Commits: what a session committed in it
//	another.go  Another: the files of a clone, with HEAD, index and settings out of its reach
//	scratch.go  Scratch: a repository to write to in place of this one, for hooks
package clones
