package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers"
)

type reviewStatus struct {
	End  string `json:"end"`
	Head string `json:"head"`
	// Stale says that the branch has changed since.
	Stale bool `json:"stale,omitempty"`

	// Told says that only the plan tells of this review: no verdict of this clone
	// passes the branch, with the plan and the reviewers as they are.
	Told bool `json:"told,omitempty"`

	Only []string `json:"only,omitempty"` // who judged, where that is not everybody

	blocking int      // findings
	found    bool     // something stands, if only a note
	stopped  bool     // it passed, and the gate stops a push all the same
	unheld   string   // the budget that could not be held
	why      string   // it ended so, where the end alone says too little
	nothing  bool     // is there to be reviewed
	missing  []string // who gave no answer
	goesOn   bool     // it was interrupted
}

// reviewState is the end of the last review, from the plan's ledger.
func reviewState(c *cli.Context, co *gitplan.Checkout) (reviewStatus, error) {
	s := reviewStatus{End: "none", Head: "-"}
	l, err := reviewers.LastLedger(c.Context, co.Store, co.Doc, co.Branch)
	if err != nil || l == nil {
		return s, err
	}
	s.blocking, s.found = len(l.Blocking()), len((&reviewers.Outcome{Ledger: l}).Standing())+len(l.Explained()) > 0
	s.nothing, s.missing, s.Only = l.BaseTree == l.HeadTree, l.Missing(), l.Only
	s.goesOn = l.Interrupted()
	if l.End != "" {
		s.End = string(l.End)
	}
	if l.End == reviewers.Oscillation || l.End == reviewers.Incomplete && (len(s.missing) == 0 || s.goesOn) {
		s.why = l.Reason
	}
	if l.Head != "" {
		s.Head = l.Head
	}
	if l.End == reviewers.Budget {
		if key, ok := gitplan.Unheld(co.Config, l.Reason); ok {
			s.unheld = key
		}
	}
	tree, err := co.Repo.Resolve(c.Context, "HEAD^{tree}")
	s.Stale = err == nil && tree != l.HeadTree
	if l.End.Passes() && !s.Stale {
		var p *plan.Plan
		if co.Doc != nil {
			p = co.Doc.Plan
		}
		v, err := reviewers.Known(c.Context, co, p, l.Base, "HEAD")
		passed := err == nil && v.Passes()
		mode, _ := co.Config.Word("plan.prePush")
		s.stopped, s.Told = mode == "block" && !passed, !passed && len(s.Only) == 0
	}
	return s, nil
}

// line is what a person is shown of it; none where there was no review.
func (s reviewStatus) line() string {
	if s.End == "none" {
		return ""
	}
	line := fmt.Sprintf("review: %s at %s", s.End, terminal.Short(s.Head))
	if len(s.Only) > 0 {
		line += ", by " + visible.Line(strings.Join(s.Only, ", ")) + " alone"
	}
	switch {
	case s.Stale:
		line += ", and the branch has changed since"
	case s.Told:
		line += ", its plan says; no review passed here with the plan and the reviewers as they are"
	case s.why != "":
		line += ": " + visible.Line(s.why)
	}
	if s.blocking > 0 {
		line += fmt.Sprintf("; blocking findings: %d", s.blocking)
	}
	if s.found {
		line += "; see git plan show --review"
	}
	return line
}
