// Package prompt writes what a session reads: it fills a template (prompts/*.md) from a
// plan, its progress and the attempts before.
//
//	Prompts   a template for each role; a repository may have its own
//	parts     the value of each variable of a template: a section, or nothing
//	frame     two lines around a text, which say what it is: data, instructions or findings
//	Attempt   what a session reads about the attempts before it
//	Planning  what a planner is asked for
//
// step.go makes the parts of a prompt for a step or a fix, with othersteps.go for the rest
// of the plan, and planning.go those for a planner. instructions.go reads the project's own
// words, frame.go writes headings and marks what files and outputs say. templates.go
// fills these parts into the role's template, and holds whole plans to start from. codemap.go is what
// a session is shown of the repository: its folders, and the files that its step names (codetexts.go).
//
// What all steps share comes first, so that models' caches hold it. What is about other
// steps has a budget; what exceeds it is left out step by step, never cut within one.
package prompt
