package views

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// covered prints in a line which requirements have steps, and which have none.
func covered(w io.Writer, width int, p *plan.Plan) {
	if len(p.Requirements) == 0 {
		return
	}
	var served, not []string
	serving := p.Serving()
	for _, r := range p.Requirements {
		if len(serving[r.ID]) > 0 {
			served = append(served, r.ID)
		} else {
			not = append(not, r.ID)
		}
	}
	text := fmt.Sprintf("requirements: %d of %d have steps", len(served), len(p.Requirements))
	if len(not) > 0 {
		text += "; none serves " + strings.Join(not, ", ")
	}
	terminal.Fold(w, width, 4, "%s", text)
}

// order prints the open steps in the order in which they could be done, those that could be
// done at once together, and which chain of them takes longest.
func order(w io.Writer, width int, p *plan.Plan, open func(*plan.Step) bool) {
	waves := p.Waves(open)
	widest, total := 0, 0
	for _, wave := range waves {
		widest, total = max(widest, len(wave)), total+len(wave)
	}
	way, minutes := p.LongestWay(open)
	about := ""
	if minutes > 0 {
		about = ", about " + shortTime(minutes)
	}
	switch {
	case total == 0:
		return
	case total == 1:
		terminal.Fold(w, width, 4, "1 step%s: %s", about, way[0].ID)
		return
	case widest == 1:
		terminal.Fold(w, width, 4, "%s, one after the other%s: %s", terminal.Count(total, "step"), about, strings.Join(idsOf(way), " -> "))
		return
	}
	var rounds []string
	for _, wave := range waves {
		rounds = append(rounds, strings.Join(idsOf(wave), ", "))
	}
	terminal.Fold(w, width, 4, "%s, up to %d at once: %s", terminal.Count(total, "step"), widest, strings.Join(fewIDs(rounds), " -> "))
	terminal.Fold(w, width, 4, "longest chain%s: %s", about, strings.Join(idsOf(way), " -> "))
}

// idsOf returns the ids of steps; of many, the first and the last ones.
func idsOf(steps []*plan.Step) []string {
	var ids []string
	for _, s := range steps {
		ids = append(ids, s.ID)
	}
	return fewIDs(ids)
}

// fewIDs leaves out the middle of many ids, and says how many were left out.
func fewIDs(ids []string) []string {
	const many, each = 24, 8
	if len(ids) <= many {
		return ids
	}
	return slices.Concat(ids[:each], []string{fmt.Sprintf("(%d more)", len(ids)-2*each)}, ids[len(ids)-each:])
}

func shortTime(minutes int) string {
	if minutes < 60 {
		return fmt.Sprintf("%d minutes", minutes)
	}
	return fmt.Sprintf("%dh%02dm", minutes/60, minutes%60)
}
