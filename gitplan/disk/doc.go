// Package disk answers where a path leads, makes folders that end with the process that made them (temp.go),
// says when a disk is full, and removes what programs made, writable or not (links.go).
package disk
