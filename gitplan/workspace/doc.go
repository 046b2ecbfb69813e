// Package workspace has the workspace of one task: where its sessions and checks work, and what they
// must leave as it was. The backends are the user's work tree (tree.go), and a private clone with
// plan.isolation=clone, with --jobs and with a launcher (clone.go; remote.go for other machines).
//
//	workspace.go   Workspace, its backend, and the recorded state of the task
//	inspect.go     Inspect: was HEAD, the plan or the set-up changed? The verdict is a Failure
//	check.go       checks run on what a commit would have, before and after a session
//	changes.go     what a session left, and what no commit would have of it
//	provenance.go  who wrote what: sessions, checks, and rules of git that a session changed
//	ignored.go     what a session wrote in ignored files
//	usersfiles.go  the user's untracked and ignored files: never committed, put back byte for byte
//	commit.go      a tree that passed is brought into the work tree and committed
//	keep.go        everything else is kept under a ref before the tree is put back
package workspace
