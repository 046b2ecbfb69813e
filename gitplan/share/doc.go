// Package share brings plans from clone to clone, and two texts of one plan together.
//
//	Push        sends plans, and never overwrites what others pushed     push.go, share.go
//	Fetch       brings them, and merges what both wrote                  fetch.go, mergechain.go
//	MergeText   two texts of one plan, piece by piece                    merge.go, mergeorder.go, pieces.go
//	Compare     what an edit changes, in words                           compare.go, excerpt.go
//	StoreTyped  what a person typed, with what changed meanwhile         storetyped.go
//	AtRemote    what the branch's remote has of it                       atremote.go
package share
