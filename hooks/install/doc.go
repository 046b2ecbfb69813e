// Package install makes git call git plan: it adds lines to the hooks of a repository, or says what a person adds
// where this program must not write.
//
//	look.go      Look: what the hooks folder and the configuration are now
//	install.go   from facts to actions, purely; Perform replaces a file whole or not at all
//	section.go   our lines in a hook, with marks and checksum: shim.sh, mark.sh before it; what others (husky ...) need
//	ownpush.go   what replaces pre-push while git plan pushes automatically
//
// A person's own lines and hooks are never touched, and come back as they were.
package install
