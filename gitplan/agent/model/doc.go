// Package model asks a model: a request with a conversation goes to an OpenAI-compatible endpoint, and
// a turn of the model comes back, or a fault.
package model
