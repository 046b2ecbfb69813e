// Package planner has sessions write a plan (planning.go), judge it (critic.go), and plan again what is open of it
// (replan.go; scope.go says when a person must read that first). They are shown the repository (survey.go), may ask
// a person (interview.go), and change nothing (readonly.go).
package planner
