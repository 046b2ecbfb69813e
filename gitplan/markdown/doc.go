// Package markdown reads the Markdown that plans are written in, and keeps every byte
// of it in its place: whoever changes a text changes parts of it and leaves the rest.
//
//	Document  a source with its blocks (goldmark), and the way from an offset to a line
//	Box       the [ ] or [x] that begins an item; behind it a title and an id, {#id}
//	Part      a heading of level 1 or 2, and what stands under it
//	Problem   what is wrong in a line, by the stable name of a rule
//	Edit      a part of the source, and what comes in its place
//
// A text goes New, ReadBlocks (behind its front matter, see ReadFront), then Parts,
// Boxed and Paragraph; what hides tasks from Markdown is noted as Careless on the way
// (FindUnread, FindSwallowed). What a section or a field means is the business of the
// package plan, and how other tools write plans that of form.
//
//	markdown.go             Document: blocks, lines, paragraphs
//	front.go                front matter: its keys, with the lines they stand in
//	headings.go, numbered.go  parts, and headings such as `Task 2: title`
//	box.go, emphasis.go     boxes, ids, titles without emphasis
//	items.go                code spans, and what commas part outside of them
//	fences.go, unread.go    what swallows tasks, and what looks like one and is none
//	slug.go, nearest.go     ids of titles, and words that are a slip apart
//	readable.go, problems.go  texts that are none, and what is wrong in a line
//	change.go               edits
package markdown
