// Package git is the repository: how it is found, how git is run in it and kept from running
// anything else, and what it holds: configuration, objects, commits, refs. What differs between
// trees is in the room diffs below it, index and files in worktree.
//
// git itself is asked for everything that must respect the person's set-up or
// other writers: where things are, configuration, refs (with their old value),
// the index, commits, diffs, logs. Objects are encoded and written by go-git in
// this process, which saves a process each; any error of it falls back to git.
// Objects are read through one kept `git cat-file --batch`.
//
//	repo.go     where everything is; open.go finds it: Open by one rev-parse, OpenHere at
//	            once with the configuration; derived.go another one beside it
//	run.go      how git is run (command.go), and what its failure is (errors.go):
//	            Error{Args, Code, Stderr}; locked.go whether a lock file was in its way
//	door.go     what no git of ours may run; filters.go the person's filters in a sandbox
//	barred.go   what in a work tree git waits at forever, or cannot read; planted.go links
//	            and pipes where git writes, found by the times of changed_*.go
//	config.go   the merged configuration, read once
//	object.go   reading objects by a kept git (reader.go), stream.go large ones; write.go
//	            writing them (encoder.go: by go-git); commit.go what a commit holds
//	log.go      commits with their whole messages; short chains of them without a process
//	ref.go      refs: create, move, delete, each with the value expected, and where HEAD
//	            is; trees.go the work trees
//	watch*.go   did a ref move? Without a process
//
// git's words are never read, only its codes and its NUL-separated formats.
package git
