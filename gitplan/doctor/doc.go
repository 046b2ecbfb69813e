// Package doctor examines the setup, and says how to fix what is wrong.
//
//	Examine            git, agents, keys, settings, sandbox, PATH           doctor.go
//	ExamineEndpoints   whether models can be reached                        doctor.go
//	ExamineClone       interrupted sessions, plans without a branch         doctor.go
//
// It changes nothing.
package doctor
