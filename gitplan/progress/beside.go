package progress

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/plan"
)

// Beside is how many steps that are not done could be at work at once, and what keeps the others
// from that.
type Beside struct {
	Most  int       `json:"most"`            // at once
	Above []string  `json:"above,omitempty"` // that need the step above only because they have no Needs
	Meet  []Meeting `json:"meet,omitempty"`  // that only files keep apart now

	left int // steps that are to be done
}

// Meeting is a step that waits for another that is at work or comes first, since both may write the
// same file.
type Meeting struct {
	Step string `json:"step"`
	With string `json:"with"`
	File string `json:"file"` // as the first names it
}

// Beside says which steps could be at work beside those that are.
func (p *Progress) Beside(pl *plan.Plan, waits plan.Unapproved, atWork map[string]bool) Beside {
	left := func(s *plan.Step) bool {
		st := p.Steps[s.ID].State
		return st != StateDone && st != StateSkipped
	}
	var out Beside
	for _, wave := range pl.Waves(left) {
		able := slices.DeleteFunc(wave, func(s *plan.Step) bool { return p.Steps[s.ID].State == StateBlocked })
		out.Most, out.left = max(out.Most, len(able)), out.left+len(able)
	}
	for i := range pl.Steps {
		if s := &pl.Steps[i]; i > 0 && left(s) && left(&pl.Steps[i-1]) && !s.NamesNeeds() {
			out.Above = append(out.Above, s.ID)
		}
	}
	_, out.Meet = p.ready(pl, waits, atWork)
	return out
}

// Lines explains it to people; jobs is the run's number of jobs, 0 if that is not known. It is empty
// if Needs neither separate steps nor leave a job idle.
func (b Beside) Lines(jobs int) (out []string) {
	idle := b.Most < b.left && (jobs == 0 || b.Most < jobs)
	above := ""
	switch n := len(b.Above); {
	case n == 1:
		above = b.Above[0] + " needs the step above it, since it does not say what it needs: write `Needs: none` if it needs none"
	case n > 1:
		above = few(b.Above) + " each need the step above, since they do not say what they need: write `Needs: none` if they need none"
	}
	switch {
	case !idle:
	case b.Most == 1 && above != "":
		out = append(out, "no two steps can run side by side; "+above)
	case b.Most == 1 && len(b.Meet) == 0:
		out = append(out, "no two steps can run side by side: each needs another that is not done")
	case b.Most > 1 && above != "":
		out = append(out, fmt.Sprintf("side by side: at most %d steps; %s", b.Most, above))
	case b.Most > 1:
		out = append(out, fmt.Sprintf("side by side: at most %d steps, by what they need", b.Most))
	}
	for _, m := range b.Meet[:min(len(b.Meet), 3)] {
		out = append(out, fmt.Sprintf("side by side: %s waits for %s, since both may write %s", m.Step, m.With, m.File))
	}
	if more := len(b.Meet) - 3; more > 0 {
		out = append(out, fmt.Sprintf("side by side: %d more wait for others, since both may write the same file", more))
	}
	return out
}

// few lists ids, at most four.
func few(ids []string) string {
	if len(ids) > 4 {
		ids = append(slices.Clone(ids[:3]), fmt.Sprintf("%d more", len(ids)-3))
	}
	if len(ids) == 1 {
		return ids[0]
	}
	return strings.Join(ids[:len(ids)-1], ", ") + " and " + ids[len(ids)-1]
}
