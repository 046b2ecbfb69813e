// Package worktree is the index and the files of a work tree, and clones: what is changed, and changing it so
// that nothing is lost that the user hides from git or that git does not track.
//
//	status.go     what is changed, staged, untracked and ignored; rules.go: what git ignores and converts
//	submodule.go  what is changed in submodules, and which files decide what a git in one executes
//	index.go      the index as it was, and copies of it; hidden.go: what is hidden in it
//	tree.go       from files to a tree and back; entries.go: single files of a tree; raw.go: without filters
//	stash.go      changes set aside
//	clone.go      clones for sessions; scratch.go: a repository that hooks write to instead of the real one
package worktree
