// Package planner has a session write a plan.
//
//	MakePlan     a session reads the repository and writes a plan      planning.go
//	survey       what it is shown of the repository                    survey.go
//	planningDir  where it reads, and what it must not change           readonly.go
//	interview    what it asks a person, and what that person decided   interview.go
//	Criticise    a session judges the text of a plan                   critic.go
//	Replan       what is open is planned again                         replan.go
//	OutOfScope   what of that a person must read first                 scope.go
package planner
