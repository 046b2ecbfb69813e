// Package doctor examines the setup, and says how to fix what is wrong.
//
//	Examine            git, agents, keys, settings, sandbox, PATH
//	ExamineEndpoints   whether models can be reached
//	ExamineClone       interrupted sessions, packages that clones lack
//
// It changes nothing.
package doctor
