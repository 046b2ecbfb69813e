// Package lint finds what is wrong or weak in the text of a plan, by the text and the work tree. It only reads. The
// rules about requirements and commands are in checks.go, those about the files of steps in lint.go.
package lint
