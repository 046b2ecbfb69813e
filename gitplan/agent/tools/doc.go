// Package tools is what the model of the built-in agent may call, and the tree as these
// calls see it.
//
//	tools.go      a tool, and the arguments of a call
//	args.go       one argument: its JSON schema, and reading it as models write it
//	roles.go      which role has which tools
//	<name>.go     each tool, described for the model in <name>.md: read_file,
//	              list_files, search, write_file, edit_file, apply_patch, run_command, ask, submit_plan,
//	              submit_review, submit_answers, finish
//	patch.go      reads a patch in the form that GPT models are trained on, and places its changes
//	edit.go       finds what an edit replaces; it never guesses by likeness
//	workspace.go  the tree: no name leads out of it or to git's own files; commands are
//	              confined by Session.Confine
//	outputs.go    keeps what commands wrote in full, until the session ends
//
// An error is an answer to the model, in words that say what to do instead.
package tools
