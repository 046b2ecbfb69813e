// Package parcel is a tree on its way between two repositories: the one in which a session is wanted,
// and the one that a worker has of it.
//
//	send.go        Send: a tree, as a pack that is thin against trees which the worker has; Take
//	back.go        Return: what a session made of it, as whole objects only
//	quarantine.go  Quarantine: where that is received, checked, and read; nothing of it gets into
//	               the repository
//	whole.go       only whole objects, within bounds: nothing in the pack can grow
//
// A tree travels in a commit that names nothing but the tree, so that both ends know its name.
// Sizes are in bytes.
package parcel
