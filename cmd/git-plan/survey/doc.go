// Package survey is what is set up around a plan: agents, reviewers, hooks, who is notified, and what
// the person's own agent knows.
//
//	proposals.go  what is here and what is missing, each with the command that sets it up: git plan init
//	skill.go      what teaches the person's own agent
//	symptoms.go   what of it works, besides what package doctor examines: git plan doctor
//
// It prints nothing, and sets up nothing but what a person agrees to.
package survey
