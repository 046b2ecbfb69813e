// Package worktree is the index and the files of a work tree: what is changed in them, and
// changing them so that nothing is lost that a person hides from git or that git does not
// track.
//
//	status.go      what is changed, staged, untracked and ignored, and what only tools write
//	submodule.go   submodules: what is changed in them, which files decide what a git in one
//	               executes, and how git is kept out of those of a session's clone
//	index.go       the index as it was, and copies of it; hidden.go what a person hides in it
//	tree.go        from files to a tree and back: stage, commit, restore, revert, rebase
//	stash.go       changes set aside, and brought back
//	raw.go         files as they are, without filters, and where none is ever written
//	checkedout.go  attributes, and of which files a checkout would have other bytes or another mode
package worktree
