// Package model asks a model: a request with a conversation goes to an OpenAI-compatible endpoint, and
// a turn of the model comes back, or a fault.
//
//	endpoint.go  a model server as it is configured, and what it says of its models
//	ask.go       one exchange within its limits, repeated after faults that may pass; which API and which optional
//	             parameters an endpoint turned out to take
//	message.go   conversations, turns and tools; chat.go and responses.go put them into the two APIs
//	events.go    server-sent events, within bounds, and tool calls put together from their pieces
//	fault.go     what went wrong, how a session ends by it, and what a person does about it
package model
