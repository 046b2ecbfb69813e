// Package worktree is the index and the files of a work tree: what is changed in them, and
// changing them so that nothing is lost that a person hides from git or that git does not
// track.
//
//	status.go     what is changed, staged and untracked; submodule.go in submodules, too;
//	              ignored.go what git ignores by which rules; artefacts.go what only tools
//	              write; attributes.go what the files of a tree say of paths
//	index.go      the index as it was, copies of it, what is hidden in it; flags.go what a
//	              person hides in it, and has edited; inindex.go what else an index holds
//	tree.go       from files to a tree and back: stage, commit, restore, revert; reset.go but
//	              for what a person hides; stash.go; part.go a tree with some files of another;
//	              rebase.go a tree on top of what others committed meanwhile
//	raw.go        files as they are, without filters; dotgit.go where none is ever written
//	checkedout.go of which files a checkout would have other bytes, or another mode;
//	              ascommitted.go makes them so while checks run
//	apart.go      what git leaves alone in the files of a session's clone (package clones)
//	neighbours.go which files decide what a git in a linked work tree or a submodule executes
package worktree
