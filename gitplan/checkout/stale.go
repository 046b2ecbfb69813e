package checkout

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// maxForeign is how many commits that are not the plan's are looked at.
const maxForeign = 50

// Stale returns for each of some steps which of its files were changed, since the plan was made,
// by commits that are not the plan's: what the step was written for may no longer be there. If
// every commit is the plan's, it costs nothing.
func (c *Checkout) Stale(ctx context.Context, steps ...*plan.Step) map[string][]string {
	named := slices.ContainsFunc(steps, func(s *plan.Step) bool { return len(s.Files) > 0 })
	foreign := foreignCommits(c)
	if len(foreign) == 0 || !named {
		return nil
	}
	log, err := c.Repo.Bytes(ctx, append([]string{"-c", "core.quotePath=false", "log", "--encoding=UTF-8", "--no-walk=unsorted", "--no-renames", "--name-only", "--format=%x00%h %s"}, foreign...)...)
	if err != nil {
		return nil
	}
	out := map[string][]string{}
	for _, s := range steps {
		if files := staleFiles(s, string(log)); files != nil {
			out[s.ID] = files
		}
	}
	return out
}

// foreignCommits returns commits of the branch that are not the plan's, at most maxForeign.
func foreignCommits(c *Checkout) (foreign []string) {
	own := madeForSteps(c) // what reverts such a commit is not the plan's either
	for _, k := range slices.Backward(c.Walked) {
		own[k.OID] = own[k.OID] || ofPlan(c.Doc.ID, k.Message) || slices.ContainsFunc(strings.Split(k.Message, "\n"), func(line string) bool {
			oid, ok := journal.RevertedCommit(line)
			return ok && own[oid]
		})
	}
	for _, k := range c.Walked {
		if len(k.Parents) < 2 && !own[k.OID] && len(foreign) < maxForeign {
			foreign = append(foreign, k.OID)
		}
	}
	return foreign
}

// madeForSteps returns the commits from where a step began to where it was done. Some of them may
// not name it (a person's own), and a rebase that gives them new names hides those.
func madeForSteps(c *Checkout) map[string]bool {
	made, began, parents := map[string]bool{}, map[string]string{}, map[string][]string{}
	for _, k := range c.Walked {
		parents[k.OID] = k.Parents
	}
	for _, e := range c.Doc.Events {
		switch e.Kind {
		case journal.Started:
			began[e.Step()] = e.Head
		case journal.Done:
			from, known := began[e.Step()]
			for at := e.Head; known && at != from && len(parents[at]) == 1; at = parents[at][0] {
				made[at] = true
			}
		}
	}
	return made
}

// ofPlan reports whether a commit is one of a plan's steps or of its review.
func ofPlan(plan, message string) bool {
	for _, line := range strings.Split(message, "\n") {
		if id, _, ok := journal.NamedStep(line); ok && id == plan {
			return true
		}
		if strings.HasPrefix(strings.TrimSpace(line), journal.ReviewTrailer+": "+plan+"/") {
			return true
		}
	}
	return false
}

// staleFiles reads what git log prints: for each commit a NUL, its name and subject, and the
// files it changed.
func staleFiles(step *plan.Step, log string) []string {
	var out, seen []string
	for _, commit := range strings.Split(log, "\x00") {
		head, files, _ := strings.Cut(commit, "\n")
		for _, path := range strings.Split(files, "\n") {
			if path == "" || slices.Contains(seen, path) || !plan.MatchesAny(step.Files, path) {
				continue
			}
			seen = append(seen, path)
			out = append(out, fmt.Sprintf("%s changed since the plan was made, by %s", visible.OneLine(path, 200), visible.OneLine(head, 120)))
		}
	}
	return out
}
