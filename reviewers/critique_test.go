package reviewers

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/panel"
)

// soundPlan is a plan in which each seed plants one fault.
const soundPlan = `# Warn when a day is over its budget

Users are warned once a day on standard error.

## Checks

- ` + "`make test`" + `

## Steps

- [ ] **Store budgets** {#store}
  - Files: ` + "`store.go`, `store_test.go`" + `
  - Do: Keep budgets in budgets.json.
  - Check: ` + "`go test -run TestStore ./...`" + `
- [ ] **Compare with spending** {#compare}
  - Needs: #store
  - Files: ` + "`compare.go`" + `
  - Do: Compare the sum of a day with its budget.
  - Check: ` + "`go test -run TestCompare ./...`" + `
- [ ] **Warn** {#warn}
  - Needs: #compare
  - Files: ` + "`cmd/warn.go`, `README.md`, `etc/crontab`" + `
  - Do: Print one line, once a day and for each user.
  - Check: ` + "`go test -run TestWarn ./cmd/...`" + `

## Verification

- ` + "`go test ./...`" + `
`

// seed is a fault of a kind that a critic looks for: what is in the plan in place of what, the
// line that the critic quotes, and what becomes of it.
type seed struct {
	kind, right, wrong, quote, step string
	end                             finding.Status // after the repair: fixed, confirmed, plausible or refuted; "" where the quote is made up
}

var seeds = []seed{
	{"missing-verification", "`go test -run TestCompare ./...`", "`true`", "Check: `true`", "compare", finding.Fixed},
	{"missing-verification", "`go test -run TestStore ./...`", "`test -f store.go`", "Check: `test -f store.go`", "store", finding.Fixed},
	{"missing-verification", "- `go test ./...`\n", "- `go vet ./...`\n", "- `go vet ./...`", "", finding.Fixed},
	{"missing-verification", "-run TestWarn", "-run TestNothing", "-run TestNothing ./cmd/...", "warn", finding.Confirmed},
	{"missing-verification", "`make test`", "`make`", "- `make`", "", finding.Plausible},
	{"hidden-dependency", "Needs: #compare", "Needs: #store", "- Needs: #store\n  - Files: `cmd/warn.go`, `README.md`, `etc/crontab`", "warn", finding.Fixed},
	{"hidden-dependency", "Needs: #store", "Needs: none", "Needs: none", "compare", finding.Fixed},
	{"hidden-dependency", "in budgets.json", "where the warning reads them", "where the warning reads them", "store", finding.Refuted},
	{"wrong-order", "Keep budgets in budgets.json.", "Delete the old report, then keep budgets in budgets.json.", "Delete the old report", "store", finding.Fixed},
	{"wrong-order", "**Store budgets**", "**Store budgets, once they are compared**", "once they are compared", "store", finding.Confirmed},
	{"over-engineering", "Print one line", "Print through a registry of plugins", "through a registry of plugins", "warn", finding.Fixed},
	{"over-engineering", "Compare the sum", "Compare, behind a cache of five layers, the sum", "behind a cache of five layers", "compare", finding.Fixed},
	{"over-engineering", "on standard error", "on standard error, by mail and by pager", "by mail and by pager", "", finding.Plausible},
	{"invented-name", "`compare.go`", "`internal/ledger/ledger.go`", "`internal/ledger/ledger.go`", "compare", finding.Fixed},
	{"invented-name", "`make test`", "`make budget-test`", "`make budget-test`", "", finding.Fixed},
	{"invented-name", "the sum of a day", "spending.SumOfDay", "with a quote of its own", "", ""},
	{"integration-point", "`README.md`, ", "", "`cmd/warn.go`, `etc/crontab`", "warn", finding.Fixed},
	{"integration-point", ", `etc/crontab`", "", "`cmd/warn.go`, `README.md`", "warn", finding.Refuted},
	{"missing-requirement", ", once a day and for each user", " for each user", "Print one line for each user.", "warn", finding.Fixed},
	{"missing-requirement", " and for each user", "", "Print one line, once a day.", "warn", finding.Confirmed},
}

// Each fault that is seeded in a plan is found where it is and verified; what the planner then
// repairs is gone, and the rest is shown where it is in the plan as it is then.
func TestSeededFaultsOfPlans(t *testing.T) {
	for i, s := range seeds {
		name := fmt.Sprintf("%d %s: %s", i, s.kind, s.quote)
		text := strings.Replace(soundPlan, s.right, s.wrong, 1)
		if text == soundPlan {
			t.Fatalf("%s: nothing is seeded", name)
		}
		to := &panel.PlanTarget{Text: []byte(text), Nonce: "word", Cites: func(string) bool { return false }}
		found := panel.Critic{RunSession: s.hold(false)}.Judge(t.Context(), to)
		if found.Incomplete != "" {
			t.Fatalf("%s: %s", name, found.Incomplete)
		}
		if s.end == "" {
			if len(found.Findings) > 0 || found.Unquoted != 1 {
				t.Errorf("%s: a quote that is not in the plan counts: %+v", name, found)
			}
			continue
		}
		first := map[finding.Status]finding.Status{finding.Fixed: finding.Confirmed}[s.end]
		if first == "" {
			first = s.end
		}
		if f := found.Findings; len(f) != 1 || f[0].Status != first || f[0].Category != s.kind || f[0].Line != lineIn(text, s.quote) {
			t.Fatalf("%s: found %+v", name, found)
		}
		q := &Critiqued{Findings: found.Findings}
		if list := q.Confirmed(); len(list) > 0 {
			if noted := panel.PlanFaults(list); !strings.Contains(noted, fmt.Sprintf("line %d, %s: ", lineIn(text, s.quote), s.kind)) {
				t.Errorf("%s: the planner is told %s", name, noted)
			}
			text = "\n" + text // a planner moves lines
			if s.end == finding.Fixed {
				text = "\n" + soundPlan
			}
			to.Text = []byte(text)
			q.judgedAgain(panel.Critic{RunSession: s.hold(true)}.Verify(t.Context(), to, list).Findings)
		}
		if q.Findings[0].Status != s.end {
			t.Errorf("%s: it ends as %s, want %s", name, q.Findings[0].Status, s.end)
		}
		p, err := plan.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		q.Findings = panel.InPlan(p.Source, q.Findings)
		shown := q.weaknesses(p)
		if gone := s.end == finding.Fixed || s.end == finding.Refuted; gone != (len(shown) == 0) {
			t.Errorf("%s: %+v is shown", name, shown)
		} else if !gone && (shown[0].Step != s.step || shown[0].Line != lineIn(text, s.quote) || shown[0].Rule != CriticRule) {
			t.Errorf("%s: %+v is shown, want step %q, line %d", name, shown, s.step, lineIn(text, s.quote))
		}
	}
}

// hold answers as a critic that finds the seed, and as a verifier of it.
func (s seed) hold(repaired bool) panel.RunSession {
	return func(_ context.Context, session agent.Session) agent.Result {
		var answer any
		if session.Role == agent.Critic {
			answer = map[string]any{"nonce": session.Nonce, "covered": []string{panel.PlanName}, "findings": []any{map[string]string{
				"category": s.kind, "severity": "high", "file": "somewhere.md", "quote": s.quote, "title": "it is wrong", "detail": "since it is", "trigger": "always", "remedy": "fix"}}}
		} else {
			word, quote := finding.Confirmed, ""
			switch {
			case s.end == finding.Plausible: // a refutation without a citation
				word, quote = finding.Refuted, "from nowhere"
			case s.end == finding.Refuted, s.end == finding.Fixed && repaired:
				word, quote = finding.Refuted, "Users are warned once a day"
			}
			_, rest, _ := strings.Cut(session.Prompt.User, " finding ")
			id, _, _ := strings.Cut(rest, "\n")
			answer = map[string]any{"nonce": session.Nonce, "answers": []any{map[string]string{"id": id, "answer": string(word), "because": "looked", "quote": quote}}}
		}
		text, _ := json.Marshal(answer)
		return agent.Result{Status: agent.Done, Answer: string(text)}
	}
}

// lineIn returns the line at which a quote begins.
func lineIn(text, quote string) int {
	return 1 + strings.Count(text[:strings.Index(text, quote)], "\n")
}
