package views

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/cmd/git-plan/status"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/testdata/repository"
)

const text = `# Say hello

Why it is said.

## Requirements

- R1: somebody is greeted

## Steps

- [x] **Hello** {#hello}
  - For: R1
  - Run: ` + "`touch a`" + `
- [ ] **Bye** {#bye}
  - Needs: hello
  - Check: ` + "`test -e b`" + `
- [ ] **Later** {#later}
  - Needs: bye

## Verification

- somebody reads it
`

// stood is a plan with one done step, one that was tried, and one that waits, in a real repository.
func stood(t *testing.T) (*checkout.Checkout, *status.Plan) {
	t.Helper()
	dir := repository.New(t, "-b", "main")
	repository.Git(t, dir, "commit", "-q", "--allow-empty", "-m", "begin")
	repository.Git(t, dir, "switch", "-q", "-c", "work")
	t.Chdir(dir)
	co, err := checkout.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(co.Close)
	head := repository.Git(t, dir, "rev-parse", "HEAD")[:40]
	co.Doc, err = co.Store.Create(t.Context(), []byte(text), "work", "main", journal.Event{Start: head, Head: head, By: journal.ByPerson})
	if err == nil {
		err = co.Attach(t.Context(), co.Doc.ID)
	}
	for _, e := range []journal.Event{
		{Kind: journal.Started, Steps: []string{"bye"}, Head: head, Attempt: 1, By: journal.ByAgent},
		{Kind: journal.Failed, Steps: []string{"bye"}, Head: head, Attempt: 1, By: journal.ByAgent, Agent: "claude", Reason: "no b\x1b[31m", Time: time.Now()},
	} {
		if err == nil {
			err = co.Store.Apply(t.Context(), co.Doc, "work", journal.Change{Event: e})
		}
	}
	if err == nil {
		err = co.Load(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := status.Of(t.Context(), co)
	if err != nil {
		t.Fatal(err)
	}
	return co, s
}

// status shows how far a plan is, each step's state, and the next command.
func TestStatusForPeople(t *testing.T) {
	co, s := stood(t)
	var out strings.Builder
	Standing(t.Context(), &out, co, s)
	for _, want := range []string{
		"Say hello\nplan ", " of 3 done, unapproved\n", "  1 [", "  2 [ ] Bye (bye)  last attempt: no b\\u001b[31m", " R1 [ ] somebody is greeted: hello open",
		"    [ ] by hand, 1: somebody reads it (git plan done --manual 1)\n", "\nnext: git plan approve",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, out.String())
		}
	}
}

// For programs, status prints lines with fixed columns, and JSON, without anything that could change a
// terminal.
func TestStatusForPrograms(t *testing.T) {
	co, s := stood(t)
	s.Title = "Say\thello\u202e"
	var out strings.Builder
	Porcelain(&out, s)
	lines := strings.Split(out.String(), "\n")
	if lines[1] != "goal\tSay hello " || lines[2] != "state\tunapproved" || !strings.HasPrefix(lines[5], "step\t2\tbye\topen\t-\tBye") {
		t.Errorf("%q", lines)
	}
	out.Reset()
	if err := JSON(&out, WholePlan(s, co)); err != nil {
		t.Fatal(err)
	}
	var p Plan
	if err := json.Unmarshal([]byte(out.String()), &p); err != nil || len(p.Steps) != 3 || p.Steps[0].Run != "touch a" || p.Steps[0].Enables[0] != "bye" ||
		p.Verification[0].Text != "somebody reads it" || p.Summary != "Why it is said." {
		t.Errorf("%v: %+v", err, p)
	}
	if at := p.Steps[1].Sessions; len(at) != 1 || at[0].End != "failed" || at[0].Agent != "claude" {
		t.Errorf("sessions: %+v", at)
	}
}

// On a terminal JSON is printed as plain text; for programs it is unchanged.
func TestJSONIsEscapedOnATerminal(t *testing.T) {
	const text = "a\u009b31m\u202eb\x7f\u2069\x1b<é>"
	var b strings.Builder
	var got string
	if err := JSON(&b, text); err != nil || json.Unmarshal([]byte(b.String()), &got) != nil || got != text {
		t.Errorf("%q, %v", got, err)
	}
	if want := `"a\u009b31m\u202eb\u007f\u2069\u001b<é>"` + "\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

// A step is shown with what it needs and enables, and the results of its attempts.
func TestStepForPeople(t *testing.T) {
	co, _ := stood(t)
	step, _ := co.Doc.Plan.Step("bye")
	var out strings.Builder
	StepState(&out, co, AllSteps(co)[step.N-1])
	for _, want := range []string{"state: open\nneeds: hello (", "enables: later (open)\n", "attempt 1: failed (claude): no b\\u001b[31m\n", "git plan log bye\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, out.String())
		}
	}
}

func TestStepsShowTheirReasons(t *testing.T) {
	co, _ := stood(t)
	co.Progress = &progress.Progress{Steps: map[string]progress.StepState{}}
	for want, step := range map[string]status.Step{
		"  1 [x] T (a)  0123456789":                              {N: 1, State: progress.StateDone, Commit: "0123456789abcdef"},
		"  1 [!] T (a)  blocked: why":                            {N: 1, State: progress.StateBlocked, Reason: "why"},
		"  1 [-] T (a)  skipped":                                 {N: 1, State: progress.StateSkipped},
		"  1 [>] T (a)  running":                                 {N: 1, State: progress.StateRunning},
		"  1 [<] T (a)  reopened: 0123456789 its commit is gone": {N: 1, State: progress.StateReopened, Commit: "0123456789abcdef", Reason: "its commit is gone"},
		"  1 [ ] T (a)  waits for approval":                      {N: 1, State: progress.StateOpen, Unapproved: true},
	} {
		step.ID, step.Title = "a", "T"
		var out strings.Builder
		if steps(&out, co, []status.Step{step}); out.String() != want+"\n" {
			t.Errorf("%q, want %q", out.String(), want)
		}
	}
}

// Usage that was not reported is unknown or a lower bound, never zero.
func TestUnreportedUsageIsUnknown(t *testing.T) {
	cost, mean := 1.5, int64(3700)
	known := progress.Row{Name: "executor", Sessions: 2, Seconds: 90061, Productive: 59, Tokens: agent.Tokens{In: 105_000, Out: 600}, WastedTokens: 79_200, CostUSD: &cost, Attempts: 2, Wasted: 1, Mean: &mean}
	known.Interventions.Total = 1
	unknown := progress.Row{Name: "m\u202e", Sessions: 1, Untimed: 1, UnknownTokens: 1, UnknownCost: 1}
	var out strings.Builder
	if err := Stats(&out, 200, progress.Stats{Total: known, Roles: []progress.Row{known, unknown}, Approvals: 1, Human: progress.Human{Waiting: 60}}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"2 in 25h1m1s; work that was kept took 59s", "2, 1 wasted", "waited for 1m0s, at work 0s; 1 approval", "1, one for each 1h1m40s of work that was kept (mean time between interventions)", "by role", "unknown  0", "  105.6k, 75% wasted  "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, out.String())
		}
	}
	out.Reset()
	if err := Stats(&out, 200, progress.Stats{Total: unknown}); err != nil || !strings.Contains(out.String(), "interventions  none") || !strings.Contains(out.String(), "tokens unknown") || !strings.Contains(out.String(), ">=0s") {
		t.Errorf("%v: %s", err, out.String())
	}
}
