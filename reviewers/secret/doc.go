// Package secret knows what credentials look like: by the formats that their issuers publish, and what
// in a text was drawn rather than typed. It knows nothing of changes and rules.
//
//	secret.go       finds them in a text or a line by their marks; mask.go takes them out of what may go out
//	stream.go       finds them in the bytes of a file of any size, of which one window is in memory
//	families.go     the formats
//	pem.go          private keys, which take several lines
//	placeholder.go  whether a value was typed, as in examples, or drawn
package secret
