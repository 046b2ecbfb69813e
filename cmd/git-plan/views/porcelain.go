package views

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/git-plan/git-plan/cmd/git-plan/status"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Field makes a text fit for a column of --porcelain: what is hidden becomes a
// blank, since a program may print the line. All other bytes stay as they are; a
// branch's name need not be UTF-8.
func Field(s string) string {
	if s == "" {
		return "-"
	}
	s = strings.NewReplacer("\n", " ", "\t", " ", "\r", " ").Replace(s)
	var b strings.Builder
	at := 0
	for i, r := range visible.Hidden(s) {
		b.WriteString(s[at:i] + " ")
		at = i + utf8.RuneLen(r)
	}
	return b.String() + s[at:]
}

// Porcelain prints for programs how far a plan is: lines whose words and columns stay.
func Porcelain(w io.Writer, s *status.Plan) {
	row := func(cells ...string) { say(w, "%s", strings.Join(cells, "\t")) }
	row("plan", s.Plan, Field(s.Branch), Field(s.Base))
	row("goal", Field(s.Title))
	row("state", string(s.State))
	row("progress", fmt.Sprint(s.Progress.Done), fmt.Sprint(s.Progress.Total))
	for _, st := range s.Steps {
		row("step", fmt.Sprint(st.N), st.ID, string(st.State), Field(st.Commit), Field(st.Title))
	}
	if s.Review.PlanOnly {
		row("review", string(s.Review.End), s.Review.Head, "told")
	} else {
		row("review", string(s.Review.End), s.Review.Head)
	}
}
