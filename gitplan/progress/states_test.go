package progress_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/testdata/texts"
)

// The last event that counts decides, and the branch must agree with it.
func TestStates(t *testing.T) {
	const before, work, later = "b000000000000000000000000000000000000000", "c000000000000000000000000000000000000000", "d000000000000000000000000000000000000000"
	event := func(kind journal.Kind, head string) journal.Event {
		return journal.Event{Kind: kind, Steps: []string{"a"}, Head: head, Reason: "because"}
	}
	both := []git.Commit{{OID: work, Parents: []string{before}, Message: "A\n\nPlan-Step: p/a\n"}, {OID: before, Message: "Before\n"}}
	none := both[1:]
	for _, c := range []struct {
		name    string
		status  string // the Status line of the text
		events  []journal.Event
		commits []git.Commit
		want    string
	}{
		{"nothing happened", "", nil, none, "open"},
		{"only the text says blocked", "blocked", nil, none, "blocked: typed"},
		{"only the text says skipped", "skipped", nil, none, "skipped: typed"},
		{"an event outweighs the text", "blocked", []journal.Event{event(journal.Reopened, work)}, none, "reopened c000: because"},
		{"a session is running", "", []journal.Event{event(journal.Started, before)}, none, "open: because"},
		{"a forged commit during a session", "", []journal.Event{event(journal.Started, before)}, both, "open: because"},
		{"an attempt failed", "", []journal.Event{event(journal.Started, before), event(journal.Failed, before)}, none, "open: because"},
		{"checked and not committed", "", []journal.Event{event(journal.Checked, before)}, none, "open: because"},
		{"checked and committed", "", []journal.Event{event(journal.Checked, before)}, both, "done c000, to heal: because"},
		{"checked again behind its commit", "", []journal.Event{event(journal.Checked, work)}, both, "open: because"},
		{"done", "", []journal.Event{event(journal.Done, work)}, both, "done c000: because"},
		{"done without a commit", "", []journal.Event{event(journal.Done, journal.None)}, none, "done none: because"},
		{"done, and the commit is missing", "", []journal.Event{event(journal.Done, work)}, none, "reopened c000: is no longer on the branch"},
		{"done and undone", "", []journal.Event{event(journal.Done, work), event(journal.Undone, work)}, none, "reopened c000: was undone"},
		{"done by another commit since", "", []journal.Event{event(journal.Done, later)}, both, "done c000: because"},
		{"blocked", "", []journal.Event{event(journal.Blocked, before)}, none, "blocked: because"},
		{"skipped", "", []journal.Event{event(journal.Skipped, before)}, none, "skipped: because"},
		{"edited since", "", []journal.Event{event(journal.Skipped, before), event(journal.Edited, before)}, none, "skipped: because"},
		{"replanned", "", []journal.Event{event(journal.Blocked, before), event(journal.Replanned, before)}, none, "open"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &plan.Plan{ID: "p", Steps: []plan.Step{{ID: "a"}}}
			if c.status != "" {
				p.Steps[0].Status = plan.StepStatus{Word: c.status, Reason: "typed"}
			}
			st := progress.From(p, c.events, c.commits, func(string) (git.Commit, bool) { return git.Commit{}, false }).Steps["a"]
			got := string(st.State)
			if st.Commit != "" {
				got += fmt.Sprintf(" %.4s", st.Commit)
			}
			if st.Unticked {
				got += ", to heal"
			}
			if st.Reason != "" {
				got += ": " + st.Reason
			}
			if got != c.want {
				t.Errorf("the step is %q, want %q", got, c.want)
			}
		})
	}
}

// Each event has the effect that the table of transitions lists.
func TestTransitions(t *testing.T) {
	p := &plan.Plan{ID: "p", Steps: []plan.Step{{ID: "a", Status: plan.StepStatus{Word: "blocked"}}}}
	reached := map[progress.State]bool{progress.StateRunning: true} // by Mark, while a session runs
	for event, to := range progress.Transitions {
		for before := range progress.Transitions {
			events := []journal.Event{{Kind: before, Steps: []string{"a"}, Head: journal.None}, {Kind: event, Steps: []string{"a"}, Head: journal.None}}
			if st := progress.From(p, events, nil, nil).Steps["a"].State; st != to {
				t.Errorf("%s after %s makes it %s, and the table says %s", event, before, st, to)
			}
		}
		reached[to] = true
	}
	if len(reached) != 6 {
		t.Errorf("only %v can be reached", reached)
	}
}

// The next step is the first open one whose needs are met.
func TestNext(t *testing.T) {
	for _, c := range []struct{ steps, next, blocked, left string }{
		{"a:open", "a", "", "0 of 1 done"},
		{"a:done", "", "", "no step is left: 1 of 1 done"},
		{"a:skipped", "", "", "no step is left: 0 of 1 done, 1 skipped"},
		{"a:done b:open:a", "b", "", "1 of 2 done"},
		{"a:open b:open:a", "a", "", "0 of 2 done"},
		{"a:open:b b:open", "b", "", "0 of 2 done"},
		{"a:blocked b:open:a c:open", "c", "a", "0 of 3 done"},
		{"a:blocked b:open:a", "", "a", "0 of 2 done"},
		{"a:skipped b:open:a", "b", "", "0 of 2 done, 1 skipped"},
		{"a:running b:open:a", "", "", "0 of 2 done"},
		{"a:reopened b:done:a", "a", "", "1 of 2 done"},
		{"a:done b:skipped", "", "", "no step is left: 1 of 2 done, 1 skipped"},
		{"a:done b:done", "", "", "no step is left: 2 of 2 done"},
	} {
		p, at := &plan.Plan{}, &progress.Progress{Steps: map[string]progress.StepState{}}
		for _, word := range strings.Fields(c.steps) {
			parts := strings.Split(word, ":")
			p.Steps = append(p.Steps, plan.Step{ID: parts[0], Needs: parts[2:]})
			at.Steps[parts[0]] = progress.StepState{State: progress.State(parts[1])}
			if at.Total++; parts[1] == "done" || parts[1] == "skipped" {
				at.Done++
			}
		}
		next, blocked, left := "", "", at.Summary()
		if s, ok := at.Next(p); ok {
			next = s.ID
		}
		if s, ok := at.Blocked(p); ok {
			blocked = s.ID
		}
		if at.Complete() {
			left = at.AllDone()
		}
		if next != c.next || blocked != c.blocked || left != c.left {
			t.Errorf("%s: next %q, blocked %q, %q", c.steps, next, blocked, left)
		}
	}
}

// A commit that names a step without an event here was made in another clone; a step that a session works on
// is shown as running.
func TestForeignCommitsAndRunningSteps(t *testing.T) {
	p := &plan.Plan{ID: "p", Steps: []plan.Step{{ID: "a"}, {ID: "b"}}}
	commits := []git.Commit{{OID: "c000000000000000000000000000000000000000", Message: "A\n\nPlan-Step: p/a\n"}}
	at := progress.From(p, nil, commits, func(string) (git.Commit, bool) { return git.Commit{}, false })
	if commit, ok := at.DoneElsewhere("a"); !ok || commit != commits[0].OID {
		t.Errorf("a is from elsewhere: %t, by %q", ok, commit)
	}
	if _, ok := at.DoneElsewhere("b"); ok {
		t.Error("b is from elsewhere")
	}
	at.Mark("b", progress.StateRunning)
	at.Mark("c", progress.StateRunning)
	if st := at.Steps["b"].State; st != progress.StateRunning || len(at.Steps) != 2 {
		t.Errorf("b is %s of %d steps", st, len(at.Steps))
	}
	if q, f := progress.Unblock("b", journal.Event{Question: true}), progress.Unblock("b", journal.Event{}); !strings.Contains(q, "git plan answer b") || !strings.Contains(f, "git plan log b") {
		t.Errorf("%q, %q", q, f)
	}
}

// The graph has a line for each step, with what it needs.
func TestGraph(t *testing.T) {
	p, err := plan.Parse([]byte(texts.Steps("- [ ] First {#a}\n- [ ] Then b {#b}\n  - Needs: #a\n- [ ] Last {#c}\n  - Needs: #a, #b\n")))
	if err != nil {
		t.Fatal(err)
	}
	at := &progress.Progress{Steps: map[string]progress.StepState{"a": {State: "done"}, "b": {State: "blocked"}, "c": {State: "open"}}}
	if got := progress.Graph(p, at); got != "  1  done      a\n  2  blocked   b <- a\n  3  open      c <- a, b\n" {
		t.Errorf("the graph is\n%s", got)
	}
}
