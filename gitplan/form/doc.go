// Package form converts between plans and the formats of other tools: checklists, headings
// of tasks, JSON, YAML, OpenSpec, spec-kit, task queues.
//
//	Form      the name of a format, such as Ralphex (form.go)
//	draft     a plan between two formats (draft.go): title, sections and steps, each of
//	          their lines with its origin (form.go)
//	Imported  the plan that a draft became, with the place of each line in its source
//	Note      what could not stay as it was
//
// ImportFrom and Import (import.go) recognise the format (import_form.go) and read the text
// into a draft: from boxes (import_checklist.go), from headings (import_sections.go), both
// split by import_foreign.go, from JSON or YAML (import_json.go, import_jsonstep.go, object.go,
// object_read.go; commandline.go says which of their criteria are commands), from a folder
// (import_queue.go). import_fields.go changes the draft until it is a plan that says the same.
// Export (export.go, export_json.go) goes the other way.
package form
