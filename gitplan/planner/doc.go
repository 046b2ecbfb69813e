// Package planner has sessions write a plan (planning.go), judge it (critic.go), and plan its open steps again
// (replan.go, which says, too, which of these a person must read first). They are shown the repository
// and change nothing (survey.go), and may ask a person (interview.go).
package planner
