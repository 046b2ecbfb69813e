package web

import (
	"os"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// BegunPath returns the file of what a run prints that was begun from the page.
func BegunPath(r *git.Repo, id string) string { return journal.LockPath(r, id) + ".begun" }

// Begun returns why that run ended, as it said it last; "" if it did not fail.
func Begun(r *git.Repo, id string) string {
	data, err := journal.ReadRegular(BegunPath(r, id))
	if err != nil {
		return ""
	}
	said := ""
	for l := range strings.Lines(string(data[max(0, len(data)-mostText):])) {
		if strings.HasPrefix(l, "error: ") {
			said = l
		} else if said != "" && strings.HasPrefix(l, "hint: ") {
			said += l
		}
	}
	return strings.TrimSpace(visible.Text(said))
}

// begunSince fills that in if nothing has happened to the plan since, and nothing else on the page says it:
// a step that waits for a person does. Who stopped the run did not fail at anything.
func (p *Page) begunSince(r *git.Repo, id string, last journal.Event) {
	if info, err := os.Stat(BegunPath(r, id)); err == nil && !p.Working && !info.ModTime().Before(last.Time) {
		p.Begun = Begun(r, id)
	}
	if where, ok := strings.CutPrefix(p.Begun, "error: interrupted"); ok {
		where, _, _ = strings.Cut(where, "\n")
		p.Begun, p.Stopped = "", "stopped"+where
	}
	for _, step := range p.Waits {
		if strings.HasPrefix(p.Begun, "error: step "+step+" failed after ") || strings.HasPrefix(p.Begun, "error: step "+step+" is blocked: ") {
			p.Begun = ""
		}
	}
}
