// Package secret finds credentials by the formats that their issuers publish.
//
//	secret.go       finding and masking credentials in a text, and in a file of any size; recognising placeholders
//	families.go     the formats, including private keys, which take several lines
package secret
