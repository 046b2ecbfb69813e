// Package workspace prepares the workspace of one task: where its sessions and checks work, and what they
// must leave as it was. That is the user's work tree, or a private clone with
// plan.isolation=clone, with --jobs and with a launcher (clone.go, also for other machines).
//
//	workspace.go   Workspace, the recorded state of the task, and what a session left; check.go: checks run there
//	inspect.go     Collect: was HEAD, the plan or the set-up changed?
//	provenance.go  who wrote what: sessions, checks, and rules of git that a session changed; ignored.go
//	usersfiles.go  the user's untracked and ignored files: never committed, put back byte for byte
//	commit.go      a tree that passed is committed; keep.go: everything else is kept under a ref
package workspace
