// Package events reads the answer of a model server, event by event and within bounds.
//
// events.go takes server-sent events, and one JSON object from a server that sends none; whatever else
// answers, such as a web page, is a [Fault].
package events
