// Package builtin is the agent that needs no other program: it holds the conversation with a model itself. Its tools
// are described for the model in tools.json.
package builtin
