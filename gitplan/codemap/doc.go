// Package codemap is what a session is shown of a repository before it looks itself: where
// things are, and the files that its step names. It reads; nothing is run for it but the git
// that reads objects.
//
//	codemap.go  Of: the map for one step, in some bytes of a prompt; the repository's folders; the files of a commit
//	texts.go    the text of the files that a step names
//
// All of it is bounded: files and folders that are looked at, bytes that are read, and bytes
// that come of it. Names and texts are the repository's, so whoever shows them frames them.
package codemap
