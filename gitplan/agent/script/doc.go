// Package script implements a model server that plays recorded conversations over the chat-completions API.
// Replays, the demo and tests talk to it as to a model.
package script
