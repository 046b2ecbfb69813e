package progress

import "github.com/git-plan/git-plan/gitplan/journal"

// Proposal is how a session would change the plan.
type Proposal struct {
	Step string `json:"step"` // at which it worked
	Text string `json:"text"`
}

// Proposals returns what sessions proposed since the plan was last rewritten, oldest first,
// each once.
func Proposals(events []journal.Event) (out []Proposal) {
	seen := map[Proposal]bool{}
	for _, e := range events {
		if e.Kind == journal.Replanned {
			out, seen = nil, map[Proposal]bool{}
		}
		p := Proposal{e.Step(), e.Proposal}
		if e.Proposal != "" && p.Step != "" && !seen[p] {
			seen[p] = true
			out = append(out, p)
		}
	}
	return out
}
