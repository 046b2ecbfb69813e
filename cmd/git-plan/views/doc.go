// Package views prints a plan, for people and for programs.
//
//	status.go     progress and requirements; rows.go its steps
//	porcelain.go  the same in stable lines for programs
//	show.go       a plan and a step as JSON, and a step for people
//	outlook.go    what a person approves; weak.go what is weak in it
//	log.go        what happened to it; stats.go what the work took
//	changes.go    what a fetch or an edit changed
package views
