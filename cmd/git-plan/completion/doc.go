// Package completion completes words of git plan in a shell. Its scripts ask the program, which
// knows its commands, options and what their values may be: completion.go.
package completion
