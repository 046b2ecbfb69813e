// Package fault names what can stand in the way of git plan, each as one kind of error
// (errors.go).
//
//	Kind   a sentinel such as ErrDirty; errors.Is finds it in its special cases too
//	Fault  a kind with its particulars: the line that a person reads, the step, the setting
//
// What to do about a kind, and which exit code it means, is in one table for all of them:
// cmd/git-plan/exit/table.go.
package fault
