// Package plan is the text of a plan: read, changed to the byte, and what of it a person
// approves.
//
//	Plan        a view of its Source, which stays as its author wrote it
//	Section     a level-2 heading; some have a meaning: Steps, Rules, Checks, Verification
//	Step        one boxed item of the section Steps, with its fields
//	Check       a command that must exit 0, or words for whoever reads it
//	Meaning     the text without what only git plan writes: boxes and Status lines
//	Weakness    what keeps a plan from being done well, or at all
//
// Parse reads a text, in time linear in it, or says all that is wrong with it
// (markdown.ParseError). Tick, SetStatus and FillIDs change single lines. Approved and
// Meaning say what an approval covers. Which steps are done is not read from boxes: that is
// derived from events and commits.
//
//	plan.go, parse.go            the model, and its sections
//	steps.go, fields.go, needs.go, checkitems.go  a step, its fields, what it waits for
//	misspelt.go, othersigns.go   what is nearly a key or a heading
//	render.go, meaning.go        changes of a line, and what approval covers
//	hidden.go, weakness.go       what nobody can see; what is wrong or weak
//	matching.go                  patterns of files
package plan
