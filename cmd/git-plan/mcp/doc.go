// Package mcp offers a plan to an agent that a person talks to, as tools of the Model Context Protocol
// on standard input and output. Each tool runs this program in the work tree, so that locks, gates and
// messages are its own. What a person decides (approving, editing, dismissing, running) is not a tool.
package mcp
