// Package git is the repository: what git knows and what git must do.
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
//	config.go   the merged configuration, read once
//	object.go   reading objects by a kept git (reader.go), stream.go large ones; write.go
//	            writing them (encoder.go: by go-git); commit.go what a commit holds
//	ref.go      refs: create, move, delete, each with the value expected; refvalues.go what
//	            they hold, without a process
//	status.go   what is changed, staged and untracked, and where HEAD is; ignored.go what
//	            git ignores by which rules; submodule.go
//	index.go    the index as it was, copies of it, what is hidden in it
//	flags.go    what a person hides in it, and has edited
//	tree.go     the index and the work tree: stage, commit; reset.go but for what a person
//	            hides; raw.go files as they are, without filters; dotgit.go where none is ever
//	            written; stash.go
//	door.go     what no git of ours may run; neighbours.go by what gits beside this one
//	            are led; planted.go links and pipes where git writes, found by the times
//	            of changed_*.go
//	filters.go  the person's filters in a sandbox
//	elsewhere.go another work tree of the same repository; a session's clone; scratch.go a
//	            repository to write to in place of this one
//	checkedout.go of which files a checkout would have other bytes, or another mode
//	attributes.go what the files of a tree say of paths
//	barred.go   what in a tree git waits at forever, or cannot read
//	log.go      commits with their whole messages; short chains of them without a process
//	diff.go     differences with fixed options, parsed; diffs.go many by one process,
//	            merges.go those of merges
//	watch*.go   did a ref move? Without a process
//
// git's words are never read, only its codes and its NUL-separated formats.
package git
