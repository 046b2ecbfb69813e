package ledger

import (
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/reviewers/finding"
)

const sums = "# Sums\n\nAdd *them* for @somebody.\n\n## Assumptions\n\nNumbers are small.\n\n## Checks\n\n- `make`\n\n## Steps\n\n" +
	"- [x] Write a {#a}\n  - Check: `echo \"``\"`\n- [x] Write b {#b}\n- [ ] Write c {#c}\n  - Status: blocked: by #1\n\n## Verification\n\n- `make all`\n"

func pullRequest(t *testing.T) *PullRequest {
	t.Helper()
	p, err := plan.Parse([]byte(sums))
	if err != nil {
		t.Fatal(err)
	}
	return &PullRequest{Plan: p, HeadTree: "h", Progress: &progress.Progress{Done: 2, Total: 3, Steps: map[string]progress.StepState{
		"a": {State: progress.StateDone, Commit: "0123456789abcdef"}, "b": {State: progress.StateDone},
	}}, Reviewed: p}
}

func holds(t *testing.T, p *PullRequest, parts ...string) {
	t.Helper()
	text := p.Text()
	for _, part := range parts {
		want := !strings.HasPrefix(part, "!")
		if strings.Contains(text, strings.TrimPrefix(part, "!")) != want {
			t.Errorf("%q in\n%s", part, text)
		}
	}
}

// The text for a pull request shows text of others, escaped, and no finding whose quote is in no file.
func TestPullRequestEscapesTextOfOthers(t *testing.T) {
	p := pullRequest(t)
	p.Ledger = &Ledger{
		End: Stalemate, Reason: "closes #1", HeadTree: "other",
		Rounds: []Round{
			{N: 1, Reviewers: []Reviewed{{Name: "quality", Covered: []string{"a.txt"}}}},
			{N: 1, Earlier: true, Reviewers: []Reviewed{{Name: "rules"}, {Name: "security", Incomplete: "timeout"}}},
		},
		Findings: []finding.Finding{
			{ID: "1", File: "a`b.txt", Line: 3, Severity: finding.High, Category: "correctness", Title: "<b>wrong</b>", Status: finding.Confirmed},
			{ID: "2", File: "a.txt", Severity: finding.Low, Category: "style", Title: "old", Because: "@me", Status: finding.Dismissed},
			{ID: "3", File: "a.txt", Severity: finding.High, Category: "correctness", Title: "quotes what no file has", Status: finding.Open},
		},
	}
	holds(t, p, "# Sums\n", "Add *them* for @<!-- -->somebody.", "Last result: waits for you: closes \\#1.", "The branch has changed since.",
		"in 2 rounds, by quality, rules.", "### Found and dismissed", "(@<!-- -->me)", "### Open", "`` a`b.txt:3 ``", "&lt;b>wrong",
		"!quotes what no file has", "## Assumptions", "!### Found and fixed")
}

// The listed checks are those that the review of these files ran; a box that a person ticked proves nothing.
func TestPullRequestListsChecks(t *testing.T) {
	p := pullRequest(t)
	b := p.Progress.Steps["b"]
	b.Event = &journal.Event{Kind: journal.Done, By: journal.ByPerson}
	p.Progress.Steps["b"] = b
	holds(t, p, "## Done: 2 of 3 steps", "- [x] Write a (0123456789)", "- [x] Write b (ticked in the plan, not checked)", "- [ ] Write c (blocked", "No reviewer has judged the branch.", "!Checked by commands")
	p.Ledger = &Ledger{End: Clean, HeadTree: "h"}
	holds(t, p, "## Checked by commands", "- `make`\n", "- ``` echo \"``\" ```", "- `make all`", "!The branch has changed")
	for _, l := range []*Ledger{{End: Clean, HeadTree: "other"}, {End: Stalemate, HeadTree: "h"}, {End: Incomplete, HeadTree: "h"}} {
		p.Ledger = l
		holds(t, p, "!Checked by commands")
	}
}
