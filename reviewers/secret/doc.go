// Package secret finds credentials by the formats that their issuers publish.
//
//	secret.go       in a text or a line; mask.go takes them out of a text
//	stream.go       in a file of any size, a window at a time
//	families.go     the formats; pem.go: private keys, which take several lines
//	placeholder.go  whether a value was typed, as in examples
package secret
