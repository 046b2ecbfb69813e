// Package disk answers where a path leads, and makes folders that end with the process that
// made them.
//
// What a path leads to is asked of [Links], which remembers what it saw, or with [Real] and
// [Within] about one path (links.go). [TempFolder] makes a folder that only this user can enter;
// if its process dies, the next TempFolder removes it (temp.go; temp_unix.go and
// temp_other.go hold what differs from system to system). [RemoveTree] removes what programs
// made, writable or not, and follows no link on the way (links.go).
package disk
