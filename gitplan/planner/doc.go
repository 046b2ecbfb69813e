// Package planner has a session write a plan.
//
//	MakePlan     a session reads the repository and writes a plan         planning.go
//	  survey     what it is shown of the repository                      survey.go
//	  place      where it reads, and what it must leave alone            planningplace.go
//	  interview  what it asks a person, and what that person decided     interview.go
//	Replan       what is open is planned again                           replan.go
//	OutOfScope       what of that a person must read first                   beyond.go
package planner
