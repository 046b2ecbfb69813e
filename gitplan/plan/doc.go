// Package plan reads the Markdown of a plan, and changes single parts of it; every other byte stays.
//
// Parse (parse.go) takes time linear in the text and returns all that is wrong at once, as a ParseError. Below it are
// steps.go and fields.go; document.go, front.go, headings.go and items.go read Markdown,
// and fences.go and problems.go find what hides tasks from it. render.go ticks boxes, sets Status lines, adds answers
// and writes ids. meaning.go says what an approval covers, and which changes still need one. A Weakness is
// what keeps a plan from being done well, or at all. goal.go has the person's words, replaces sections,
// and says what needs no approval, limit.go what a number that a command prints must be.
//
// Which steps are done is not read from boxes: the package progress derives it from events and commits.
package plan
