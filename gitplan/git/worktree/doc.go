// Package worktree is the index and the files of a work tree, and clones: what is changed, and
// changing it so that nothing is lost that a person hides from git or that git does not track.
//
//	status.go      what is changed, staged, untracked and ignored, and what only tools write
//	submodule.go   submodules: what is changed in them, which files decide what a git in one
//	               executes, and how git is kept out of those of a session's clone
//	index.go       the index as it was, and copies of it; hidden.go what a person hides in it
//	tree.go        from files to a tree and back: stage, commit, restore, revert, rebase
//	stash.go       changes set aside, and brought back
//	raw.go         files as they are, without filters
//	checkedout.go  attributes, and the files of which a checkout would have other bytes or modes
//	clone.go       clones for sessions: a throwaway one, a private one, one that is used again
//	private.go     the files of a clone, with HEAD, index and settings out of a session's reach
//	scratch.go     a repository that hooks write to instead of the real one
package worktree
