// Package commandline reads the words that a person typed: options in any place, a goal without a
// command, and slips.
//
//	arrange.go  options before arguments, as the flag package needs them
//	unknown.go  what is no command, and which one may have been meant
//	options.go  what is wrong with an option, in the words of who typed it
package commandline
