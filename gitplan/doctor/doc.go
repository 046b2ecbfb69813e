// Package doctor examines whether everything is set up, and says what to do about what is not.
//
//	Examine            git, agents, keys, settings, sandbox, PATH           doctor.go
//	ExamineEndpoints   whether models can be reached                        settings.go
//	ExamineClone       interrupted sessions, plans without a branch         clone.go
//
// It changes nothing.
package doctor
