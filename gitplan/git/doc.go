// Package git finds a repository, runs git in it, keeps git from running anything else, and reads and writes
// what it holds. Index and files of a work tree are in package worktree.
//
//	repo.go       the repository: found, others derived from it, its lock files; config.go: its configuration
//	run.go        how git is run, its failure: Error{Args, Code, Stderr}, and what it waits at in a work tree
//	hardening.go  what no git of ours may run, the person's filters in a sandbox, and links and pipes where git writes
//	object.go     reading objects by a kept git cat-file, and writing them by go-git, or else git
//	refs.go       commits with their whole messages, and many of them; refs, moved only from the value expected
//	diff.go       the difference of two trees, in memory or piece by piece; those of merges; patch.go reads what git prints
//
// git's words are never read, only its codes and its NUL-separated formats.
package git
