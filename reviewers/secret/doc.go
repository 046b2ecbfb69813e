// Package secret finds credentials by the formats that their issuers publish.
//
//	secret.go       in a text or a line, and takes them out
//	stream.go       in a file of any size, a window at a time
//	families.go     the formats, also of private keys, which take several lines
//	placeholder.go  whether a value was typed, as in examples
package secret
