package views

import (
	"cmp"
	"fmt"
	"io"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Away says of a plan that no branch here has where that is; "" if a branch has it.
func Away(l checkout.Listed) string {
	switch {
	case l.Remote != "":
		return "its branch is at " + visible.Line(l.Remote)
	case l.NoBranch:
		return "no branch has it"
	}
	return ""
}

// Several prints how each of several plans ended, and what is to be done. listed are all there are.
func Several(w io.Writer, width int, listed []checkout.Listed, all []gitplan.QueueEnd) error {
	var rows [][]string
	var notes []string
	for _, e := range all {
		progress, how := "-", "not begun"
		for _, l := range listed {
			if l.ID == e.ID {
				progress = fmt.Sprintf("%d/%d", l.Done, l.Total)
			}
		}
		switch {
		case e.Err != nil:
			how = visible.OneLine(e.Err.Error(), 200)
		case e.Begun:
			how = cmp.Or(map[int]string{exit.Interrupted: "stopped", exit.Terminated: "stopped", exit.Busy: "busy"}[e.Code], exit.Word(e.Code))
		}
		rows = append(rows, []string{visible.Line(e.Branch), progress, how})
		if e.Left != "" {
			notes = append(notes, fmt.Sprintf("the work tree of %s is kept, because it contains something: %s", visible.Line(e.Branch), visible.Line(e.Left)))
		}
	}
	say(w, "")
	if err := terminal.Table(w, width, nil, rows); err != nil {
		return err
	}
	for _, note := range notes {
		say(w, "%s", note)
	}
	for _, e := range all {
		if e.Begun && e.Code != exit.OK {
			say(w, "what each needs: git switch BRANCH, then git plan status")
			break
		}
	}
	return nil
}
