// Package doctor examines the setup without changing it, and says how to fix problems.
//
//	Examine            git, agents, keys, settings, sandbox, PATH
//	ExamineEndpoints   whether models can be reached
//	ExamineClone       interrupted sessions, packages that clones lack
package doctor
