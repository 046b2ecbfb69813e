// Package git finds a repository, runs git in it, keeps git from running anything else, and reads and writes
// what it holds. Index and files of a work tree are in package worktree.
//
//	repo.go       the repository: found, others derived from it, its lock files; config.go: its configuration
//	run.go        how git is run, its failure: Error{Args, Code, Stderr}, and pipes at which it would wait
//	hardening.go  what git may not run, the person's filters in a sandbox, and links and pipes where git writes
//	object.go     reading objects by a running git cat-file, and writing them by go-git, or else git
//	refs.go       commits with their messages, one or many; refs, moved only from the expected value
//	diff.go       differences of trees and of merges, whole or piece by piece; patch.go parses the output of git
//
// git's words are never read, only its codes and its NUL-separated formats.
package git
