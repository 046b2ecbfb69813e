// Package secret finds credentials by the formats that their issuers publish.
//
//	secret.go       in a text or a line, and takes them out; in a file of any size; whether a value was typed, as in examples
//	families.go     the formats, also of private keys, which take several lines
package secret
