// Package queue runs several plans of a repository, one after the other or side by side.
//
// Each is run by a git plan of its own, in the work tree that has its branch. A branch that is
// checked out nowhere gets one for that time, at .git/plan/PLAN/tree (tree.go): a linked work tree,
// not a clone, since then git itself keeps everybody else from the branch, what was approved and
// configured holds there as it does here, and nothing has to be brought back. It is removed when
// its run is over, unless something lies in it that is neither committed nor kept.
//
// One queue runs in a repository at a time (queue.go). Jobs is how many steps may be at work in all
// of its plans together.
package queue
