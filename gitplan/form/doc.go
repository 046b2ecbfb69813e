// Package form reads plans as other tools write them, and writes them so: checklists,
// headings of tasks, JSON, OpenSpec, spec-kit, task queues.
//
//	Form      the name of a form, as `plan` or `openspec`
//	draft     what was read: title, sections and steps, each line with where it came from
//	Imported  the plan that a draft became, with the place of each line in its source
//
// A text or a folder goes Import or ImportFrom: the form is recognised (import_form.go), read
// as a draft (import_*.go, draft.go), and tamed into a plan that Parse accepts
// (import_tame.go). What hides tasks in it is told (import_careless.go). Export goes the
// other way; what a form cannot carry is listed with it.
package form
