// Package form converts between plans and the formats of other tools: checklists, headings
// of tasks, JSON, YAML, OpenSpec, spec-kit, task queues.
//
//	Form      the name of a format, such as Ralphex (form.go)
//	draft     a plan between two formats (draft.go): title, sections and steps, each of
//	          their lines with its origin (lines.go)
//	Imported  the plan that a draft became, with the place of each line in its source
//	Note      what could not stay as it was
//
// ImportFrom and Import (import.go) recognise the format (import_form.go) and read the text
// into a draft: from boxes (import_checklist.go), from headings (import_sections.go), both
// split by import_foreign.go and cut by source.go, from JSON or YAML, which the room value reads
// (import_json.go, import_jsonstep.go, import_jsontext.go; commandline.go says which of their
// criteria are commands), from a folder (import_queue.go). import_parallel.go gives the steps
// marked [P] their needs, and draft_boxes.go says by its boxes whether a step is done.
// import_tame.go changes the draft until it is a plan that says the same;
// import_careless.go finds what hides tasks. Export (export.go, export_json.go,
// export_queue.go) goes the other way. wrapped.go takes off the code fence that models put
// around a whole plan.
package form
