// Package worktree is the index and the files of a work tree, and clones: what is changed, and changing it so
// that nothing is lost that the user hides from git or that git does not track.
//
//	status.go      what is changed, staged, untracked and ignored
//	rules.go       what git ignores, or would ignore; attributes, and what git converts; what only tools write
//	submodule.go   what is changed in submodules, and which files decide what a git in one executes
//	index.go       the index as it was, and copies of it; hidden.go what is hidden in it
//	tree.go        from files to a tree and back: stage, commit, restore, revert, rebase
//	stash.go       changes set aside, and brought back
//	raw.go         files as they are, without filters
//	clone.go       clones for sessions: a throwaway one, and a private one with HEAD, index and settings out
//	               of a session's reach
//	scratch.go     a repository that hooks write to instead of the real one
package worktree
