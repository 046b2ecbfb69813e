// Package share brings plans from clone to clone, and merges two texts of one plan.
//
//	Push        sends plans, and never overwrites what others pushed     push.go, share.go
//	Fetch       brings them here, and merges what both sides wrote       fetch.go, mergechain.go
//	MergeText   merges two texts, piece by piece                         merge.go, pieces.go
//	CompareWords shows what an edit changes, word by word                compare.go
//	Excerpt     returns one step for an editor, and puts it back         edit.go
//	StoreEdit   stores what a person typed, with what changed meanwhile  edit.go
//	StoreAnswer stores what a person answered to a step's question       edit.go
//	AnswerLater stores one once no session is at work                    edit.go
//	AtRemote    says what the branch's remote has of it                   share.go
package share
