// Package fault names what can stand in the way of git plan, each as one kind of error. A [Fault] is a kind with
// its particulars; what to do about a kind, and its exit code, is in cmd/git-plan/exit/table.go.
package fault
