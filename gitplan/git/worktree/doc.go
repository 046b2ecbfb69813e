// Package worktree is the index and the files of a work tree, and clones: what is changed, and changing it so
// that nothing is lost that the user hides from git or that git does not track.
package worktree
