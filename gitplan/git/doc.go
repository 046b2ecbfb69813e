// Package git is the repository: how it is found, how git is run in it and kept from running
// anything else, and what it holds. Index and files of a work tree are in package worktree.
//
// git itself is asked for everything that must respect the person's set-up or other writers:
// paths, configuration, refs (with their old value), the index, commits, diffs, logs. Objects are
// encoded and written by go-git in this process, which saves a process each; any error of it
// falls back to git. Objects are read through one kept `git cat-file --batch`.
//
//	repo.go       the repository, others derived from it, lock files; open.go finds it
//	run.go        how git is run, and its failure: Error{Args, Code, Stderr}
//	hardening.go  what no git of ours may run, and the person's filters in a sandbox
//	barred.go     what blocks git in a work tree; planted.go links and pipes where git writes
//	config.go     the merged configuration, read once
//	object.go     reading objects by a kept git; write.go writing them
//	commit.go     commits with their whole messages; short chains without a process
//	ref.go        refs: create, move, delete, each with the value expected
//	diff.go       the difference of two trees, in memory or piece by piece, parsed;
//	              diff_pairs.go many at once; diff_merges.go those of merges
//
// git's words are never read, only its codes and its NUL-separated formats.
package git
