// Package share brings plans from clone to clone, and merges two texts of one plan.
//
// Push (push.go) sends plans, and never overwrites what others pushed; Fetch (fetch.go) brings them here, and merges
// what both sides wrote (mergechain.go), text piece by piece (merge.go, pieces.go). share.go talks to remotes, and says
// what they have. edit.go stores what people type and answer, compare.go shows what that changes, word by word.
package share
