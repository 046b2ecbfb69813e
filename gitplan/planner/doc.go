// Package planner has sessions write a plan (planning.go), judge it (critic.go), and plan its open steps again
// (replan.go; bounds.go says which of these a person must read first). They are shown the repository
// (survey.go), may ask a person (interview.go), and change nothing (readonly.go).
package planner
