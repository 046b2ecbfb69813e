// Package mcp offers a plan to an agent that a person talks to, as tools of the Model Context
// Protocol on standard input and output.
//
// # Words
//
//	tool          one command that the agent may call: status, show, next, done, block, review
//	instructions  what the agent's model reads of all of them before it calls any
//
// # Files
//
//	tools.go   the tools, and the instructions
//	server.go  Serve; how a tool runs, reports progress and is cancelled
//
// Each tool runs this program in the work tree, so that locks, gates and messages are its own. What
// is a person's to decide (approving, editing, dismissing, running) is no tool.
package mcp
