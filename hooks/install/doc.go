// Package install makes git call git plan: it adds lines to the hooks of a repository, or says what a person adds
// where this program must not write.
//
//	look.go      Look: reads the hooks folder and the configuration
//	install.go   pure decisions from facts to actions; Perform replaces each file atomically
//	section.go   our lines in a hook, with marks and checksum: shim.sh, mark.sh before it; what others (husky ...) need
//	ownpush.go   the replacement of pre-push while git plan pushes automatically
//
// A person's own lines and hooks are never touched, and come back as they were.
package install
