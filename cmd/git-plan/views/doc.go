// Package views prints a plan, for people and for programs.
//
//	status.go     progress and requirements, its steps, also for programs
//	show.go       a plan and a step as JSON, and a step for people
//	outlook.go    what a person approves, and what is weak in it
//	log.go        what happened to it, and what a fetch or an edit changed, and what the work took
package views
