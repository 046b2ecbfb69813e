// Package planner has a session write a plan, and says what keeps a plan from being done well.
//
//	MakePlan     a session reads the repository and writes a plan         planning.go
//	  survey     what it is told of the repository                       survey.go
//	  place      where it reads, and what it must leave alone            planningplace.go
//	Replan       what is open is planned again                           replan.go
//	Beyond       what of that a person must read first                   beyond.go
//	Lint         weaknesses of a plan, in line order                     lint.go, lint_step.go, lint_files.go, lint_command.go
package planner
