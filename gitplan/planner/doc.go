// Package planner has sessions write a plan (planning.go), judge it (critic.go), and plan again what is open of it
// (replan.go; bounds.go says which steps of that a person must read first). They are shown the repository
// (survey.go), may ask a person (interview.go), and change nothing (readonly.go).
package planner
