// Package git is the repository: how it is found, how git is run in it and kept from running
// anything else, and what it holds: configuration, objects, commits, refs. What differs between
// trees is in package diffs below it, index and files in worktree.
//
// git itself is asked for everything that must respect the person's set-up or
// other writers: where things are, configuration, refs (with their old value),
// the index, commits, diffs, logs. Objects are encoded and written by go-git in
// this process, which saves a process each; any error of it falls back to git.
// Objects are read through one kept `git cat-file --batch`.
//
//	repo.go       where everything is, other repositories derived from one, lock files;
//	              open.go finds it: Open by one rev-parse, OpenHere with the configuration
//	run.go        how git is run, and what its failure is: Error{Args, Code, Stderr}
//	hardening.go  what no git of ours may run, and the person's filters in a sandbox
//	barred.go     what in a work tree git waits at forever, or cannot read; planted.go links
//	              and pipes where git writes, found by times of change
//	config.go     the merged configuration, read once
//	object.go     reading objects by a kept git; write.go writing them
//	commit.go     commits with their whole messages; short chains without a process
//	ref.go        refs: create, move, delete, each with the value expected; what they hold
//
// git's words are never read, only its codes and its NUL-separated formats.
package git
