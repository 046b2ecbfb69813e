// Package panel judges a change by built-in rules, personas and commands, and has a verifier check what they found.
//
//	target.go    Target: what one round judges, by ApplyRules and by models; parts.go: what these are shown;
//	             the clone of a reviewer that could write, and what it changed there
//	panel.go     Reviewer, Report; AskAll asks all reviewers at once; command.go: a program of the person's own
//	persona.go   Persona: a Markdown file that says what a model is to look for; which of them a change calls for
//	session.go   the sessions of a persona, and RunSession, which runs them; prompt.go: what they read
//	verify.go    Verifier: a session that confirms findings or refutes them
//
// A reviewer that failed, answered nothing or read nothing is incomplete. A report lists exactly the judged files.
package panel
