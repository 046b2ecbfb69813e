// Package install is how git is made to call git plan: what is put into the hooks of a
// repository, and what a person adds if this program must not write there.
//
//	hook      a file that git runs; block.go has the table of those that have something to do
//	block     our lines in it, with their marks and checksum
//	facts     what the hooks folder and the configuration are now
//	action    what is to be done with one hook: created, changed, kept, removed, or refused
//
// How data walks: look.go asks git and the files (Look); install.go decides, purely, from facts
// to actions (PlanInstall, PlanUninstall, Status), with block.go, which finds and writes the
// lines in any file, and managers.go, which tells husky, lefthook and pre-commit apart and has
// the lines for each; Perform replaces a file whole or not at all. shim.sh is what is put into
// a hook: find git-plan, ask it, go on with the person's own hook; mark.sh is before it, but for
// the gate: is there anything to do? ownpush.go is what replaces pre-push while git plan pushes
// by itself.
//
// A person's own lines and hooks are never touched, and come back as they were.
package install
