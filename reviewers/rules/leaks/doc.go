// Package leaks finds what of a change anybody who gets the branch could use: credentials, in its
// files, in the commits and tags that bring them, in the names of refs, and in what a later commit
// removes again.
//
//	secrets.go    in lines: the forms that issuers publish, files by their names, addresses
//	unseen.go     in files that a difference does not show whole, as they are unpacked
//	said.go       in what is in no file: messages, authors, names of refs, a rule's own title
//	lost.go       in the history: what one commit adds and a later one removes
//
// What a credential looks like, and how a text is shown without it, is the package secret. A secret is
// never repeated: only its first characters and its length are reported.
package leaks
