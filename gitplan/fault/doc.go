// Package fault names what can stand in the way, each as one kind of error. What to do
// about a kind, and which exit code it means, stands in one table for all of them:
// cmd/git-plan/fail.go.
//
//	Kind    a fact, as ErrDirty; errors.Is finds it, also where it is a case of another
//	Fault   a kind with its particulars: the line that a person reads, the step, the setting
package fault
