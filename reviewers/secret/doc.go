// Package secret finds credentials by the formats that their issuers publish.
//
//	secret.go       finding and masking credentials in a text, and in a file of any size; recognising placeholders
//	families.txt    the formats; families.go: the kinds of formats, and private keys, which take several lines
package secret
