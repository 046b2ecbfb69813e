// Package form converts between plans and the formats of other tools: checklists, headings
// of tasks, JSON, YAML, OpenSpec, spec-kit, task queues.
//
//	Form      the name of a format, such as Ralphex
//	draft     a plan between two formats: title, sections and steps, each of their lines with its origin
//	Imported  the plan that a draft became, with the place of each line in its source
//	Note      what could not stay as it was
//
// ImportFrom and Import (import.go) recognise the format (recognise.go) and read the text into a draft:
// Markdown is split by its headings (outline.go) and read by boxes or headings (convert.go), JSON and YAML
// by a table of members (json.go, object_read.go; commandline.go says which criteria are commands), a
// folder by queue.go. fields.go changes the draft until it is a plan that says the same. Export
// (export.go, export_json.go) goes the other way.
package form
