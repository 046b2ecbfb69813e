package terminal

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// summary is what a GitHub workflow's page shows of a run: the steps that ended, how the review
// did, and what its last round found.
type summary struct {
	titles          map[string]string // of steps
	steps, findings []string          // rows of Markdown tables
	review          string
}

func (s *summary) add(n journal.Notice) {
	switch n.Kind {
	case journal.StepStart:
		if s.titles == nil {
			s.titles = map[string]string{}
		}
		s.titles[n.Step] = n.Text
	case journal.StepDone:
		s.steps = append(s.steps, s.row(n.Step, "done", Committed(n.Commit)))
	case journal.StepBlocked:
		s.steps = append(s.steps, s.row(n.Step, "blocked", n.Reason))
	case journal.ReviewRound:
		s.findings = nil
	case journal.FindingSeen:
		if f := findingOf(n); f.Title != "" {
			s.findings = append(s.findings, fmt.Sprintf("| %s | %s | %s | %s |\n", inMarkdown(f.Severity), inMarkdown(f.place()), inMarkdown(f.Title), inMarkdown(f.Status)))
		}
	case journal.ReviewEnd:
		s.review = n.Text
	}
}

func (s *summary) row(step, state, more string) string {
	return fmt.Sprintf("| %s | %s | %s |\n", inMarkdown(cmp.Or(s.titles[step], step)), state, inMarkdown(more))
}

// write appends the summary to a file; nothing if nothing ended.
func (s *summary) write(file string) error {
	if file == "" || len(s.steps) == 0 && s.review == "" {
		return nil
	}
	var b strings.Builder
	b.WriteString("### git plan\n\n")
	if len(s.steps) > 0 {
		b.WriteString("| step | state | |\n|---|---|---|\n" + strings.Join(s.steps, "") + "\n")
	}
	if s.review != "" {
		b.WriteString("Review: " + inMarkdown(s.review) + "\n")
		if len(s.findings) > 0 {
			b.WriteString("\n| severity | place | finding | |\n|---|---|---|---|\n" + strings.Join(s.findings, ""))
		}
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(b.String())
	return cmp.Or(err, f.Close())
}

// inMarkdown makes a text of others fit for a cell: one line, which is no markup.
func inMarkdown(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", "|", "\\|", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[", "!", "\\!", "@", "&#64;").Replace(visible.OneLine(s, 300))
}
