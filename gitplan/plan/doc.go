// Package plan is the text of a plan: how it is read, how single lines of it change, and
// what an approval covers.
//
//	Plan      a view of its Source, which stays as its author wrote it
//	Section   a level-2 heading; some have a meaning: Steps, Requirements, Rules, Checks, Verification
//	Step      one boxed item of the section Steps, with its fields
//	Check     a command that must exit 0, or a criterion in words
//	Meaning   the text without what only git plan writes: boxes and Status lines
//	Weakness  what keeps a plan from being done well, or at all
//
// Parse (parse.go) reads the sections into a Plan (plan.go), steps.go the steps, fields.go
// their fields, requirements.go what they serve, needs.go what they wait for and
// in which order they can be done; reader.go is what they all read from, checks included. It
// takes time linear in the text and returns all that is wrong at once (markdown.ParseError).
// names.go lists the keys and headings with a meaning, matches paths, and finds the program of a command line. render.go
// ticks boxes, sets Status lines, adds answers and writes ids; meaning.go says what an approval covers,
// unapproved.go which changes still need approval, weakness.go what is weak or
// hidden.
//
// Which steps are done is not read from boxes: the package progress derives it from events
// and commits.
package plan
