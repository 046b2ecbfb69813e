// Package doctor examines whether everything is set up, and says what to do about what is not.
//
//	Examine                    git, agents, keys, sandbox, hooks, PATH    doctor.go
//	  examineSettings          what is set and cannot be read             settings.go
//	ExaminePrompts             the repository's own prompts               settings.go
//	ExamineClone               what crashes left in this clone            clone.go
//	ExamineLaunchers           do workers answer?                         settings.go
//	ExamineEndpoints           whether models can be reached              settings.go
//
// It changes nothing, but for what ExamineClone removes with --fix.
package doctor
