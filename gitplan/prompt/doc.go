// Package prompt writes what a session reads: it fills a template (prompts/*.md) from a
// plan, its progress and the attempts before.
//
//	templates.go  the template of each role, or the repository's own; whole plans to start from
//	step.go       what a step or a fix puts into it, with the rest of the plan; planning.go: a planner
//	codemap.go    what is shown of the code: folders, and the files that a step names
//	frame.go      two lines around a text say what it is: data, instructions or findings
//
// What all steps share comes first, so that models' caches hold it. What is about other
// steps has a budget; what exceeds it is left out step by step, never cut within one.
package prompt
