package main

import (
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/form"
	"github.com/git-plan/git-plan/gitplan/visible"
)

func forms(all []form.Form) string {
	names := make([]string, len(all))
	for i, f := range all {
		names[i] = string(f)
	}
	return strings.Join(names, ", ")
}

// formNamed returns the form that a flag names; "" if the flag is not given.
func formNamed(c *cli.Context, flag string, all []form.Form) (form.Form, error) {
	kind := form.Form(c.String(flag))
	if kind != "" && !slices.Contains(all, kind) {
		return "", misused(c, "unknown format %q: it must be one of %s", string(kind), forms(all))
	}
	return kind, nil
}

// printImport says what became of a plan in another form.
func printImport(w io.Writer, in *form.Imported) {
	if in.Doubt != "" {
		say(w, "read as %s: %s; but %s", in.Form, visible.Line(in.Reason), visible.Line(in.Doubt))
	} else if in.Form != form.Own {
		say(w, "read as %s: %s", in.Form, visible.Line(in.Reason))
	}
	printNotes(w, in.Notes)
}

// printNotes prints a line for each note; of very many only the first ones.
func printNotes(w io.Writer, notes []form.Note) {
	const most = 100
	for _, n := range notes[:min(len(notes), most)] {
		say(w, "%s", visible.Line(n.String()))
	}
	if more := len(notes) - most; more > 0 {
		say(w, "and %s more of the kind", terminal.Count(more, "line"))
	}
}
