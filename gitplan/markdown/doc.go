// Package markdown reads the Markdown of plans, and changes parts of it without touching
// any other byte.
//
//	Document  a source with its blocks (goldmark), and the way from an offset to a line
//	Box       the [ ] or [x] that begins an item; after it a title and an id, {#id}
//	Part      a heading of level 1 or 2, and what is below it
//	Problem   what is wrong in a line, by the stable name of a rule
//	Edit      a part of the source, and what replaces it
//
// New makes a Document (markdown.go) and ReadBlocks parses what follows its front matter
// (front.go). Parts (headings.go) and Boxed (items.go, emphasis.go) find what plans are made of, code
// spans included. fences.go and unread.go note as Suspicious what hides tasks from Markdown. slug.go
// makes ids and finds misspelt words; problems.go reports what is wrong, and refuses what is not text.
//
// What a section or a field means is up to the package plan; how other tools write plans, to
// the package form.
package markdown
