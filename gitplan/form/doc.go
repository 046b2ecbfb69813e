// Package form converts between plans and the formats of other tools: checklists, headings of tasks, JSON, YAML,
// OpenSpec, spec-kit, task queues.
//
// ImportFrom and Import (import.go) recognise the format (recognise.go) and read the text into a draft, a plan whose
// lines have their places in the source. Markdown is split by its headings (outline.go), with the boxes and
// states of other tools made plain (recognise.go), and read by boxes or headings (convert.go); JSON and YAML (yaml.go)
// by a table of members (json.go), whose values become Markdown (object.go); a folder by queue.go. fields.go changes the
// draft until it is a plan that says the same; a Note names what could not stay as it was.
// Export (export.go) goes the other way.
package form
