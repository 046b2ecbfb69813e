// Package launch has work at a site done on another machine, by the launcher that is configured for it
// (gitplan/elsewhere): the sessions of a role, those that only read, and checks.
//
//	launch.go  Of: the launcher of a role; From: what it starts
//	reader.go  Reader: where a session runs that only reads
//	check.go   Check: runs checks on files as they are now
package launch
