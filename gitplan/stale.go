package gitplan

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// maxForeign is how many commits that are not the plan's are looked at.
const maxForeign = 50

// Stale returns for each of some steps which of its files were changed, since the plan was made,
// by commits that are not the plan's: what the step was written for may no longer be there. If
// every commit is the plan's, it costs nothing.
func Stale(ctx context.Context, co *checkout.Checkout, steps ...*plan.Step) map[string][]string {
	named := slices.ContainsFunc(steps, func(s *plan.Step) bool { return len(s.Files) > 0 })
	foreign := foreignCommits(co)
	if len(foreign) == 0 || !named {
		return nil
	}
	log, err := co.Repo.Bytes(ctx, append([]string{"-c", "core.quotePath=false", "log", "--encoding=UTF-8", "--no-walk=unsorted", "--no-renames", "--name-only", "--format=%x00%h %s"}, foreign...)...)
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
func foreignCommits(co *checkout.Checkout) (foreign []string) {
	own := madeForSteps(co) // what reverts such a commit is not the plan's either
	for _, c := range slices.Backward(co.Walked) {
		own[c.OID] = own[c.OID] || ofPlan(co.Doc.ID, c.Message) || slices.ContainsFunc(strings.Split(c.Message, "\n"), func(line string) bool {
			oid, ok := journal.RevertedCommit(line)
			return ok && own[oid]
		})
	}
	for _, c := range co.Walked {
		if len(c.Parents) < 2 && !own[c.OID] && len(foreign) < maxForeign {
			foreign = append(foreign, c.OID)
		}
	}
	return foreign
}

// madeForSteps returns the commits from where a step began to where it was done. Some of them may
// not name it (a person's own), and a rebase that gives them new names hides those.
func madeForSteps(s *checkout.Checkout) map[string]bool {
	made, began, parents := map[string]bool{}, map[string]string{}, map[string][]string{}
	for _, c := range s.Walked {
		parents[c.OID] = c.Parents
	}
	for _, e := range s.Doc.Events {
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
