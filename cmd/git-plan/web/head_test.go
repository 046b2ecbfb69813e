package web

import (
	"os"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/cmd/git-plan/status"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/testdata/repository"
)

// Checks by hand are on the page and in the file, as git plan status shows them.
func TestByHand(t *testing.T) {
	s := serve(t, "# Work\n\n## Steps\n\n- [ ] **One** {#one}\n\n## Verification\n\n- a person <i>likes</i> it\n", nil)
	_, page := s.ask("GET", s.look, nil)
	p, err := Of(t.Context(), s.co, true)
	must(t, err)
	file := fileOf(t, p)
	for reviewed, want := range map[string]string{"": `<li><i class="sign open">`, "done": `<li class="wait"><i class="sign blocked">`} {
		p.State, p.Reviewed, p.Plan.Progress.Done = status.Done, reviewed, 1
		html, err := written("main", p)
		if err != nil || !strings.Contains(html, want) || strings.Contains(html, `<i class="sign wait"></i>Needs 1 check by hand</p>`) != (reviewed != "") || strings.Count(html, `<code class="copy">git plan approve</code>`) != 1 {
			t.Error(reviewed, err, html)
		}
	}
	p.Acts, p.Reviewed = true, "done"
	if html, err := written("main", p); err != nil || !strings.Contains(html, `<input type="hidden" name="name" value="`+p.Manual[0].ID+`"><button class="primary">Mark as checked</button>`) {
		t.Error("a person who may act has no button:", err, html)
	}
	for name, text := range map[string]string{"page": page, "file": file} {
		if !strings.Contains(text, "</b> a person &lt;i&gt;likes&lt;/i&gt; it</span><span class=\"s quiet\"><code class=\"copy\">git plan done --manual 1</code>") {
			t.Errorf("the %s has no check by hand", name)
		}
	}
}

// The reason why a step failed is at the step, and not repeated for the run; a stop by a person is not an
// error; any other reason is shown.
func TestReasonsOfEndedRuns(t *testing.T) {
	s := serve(t, hostile, nil)
	for said, want := range map[string]string{
		"error: step one failed after 1 attempt: no\nhint: see why: git plan log one\n":                                "",
		"error: step one is blocked until you confirm it: no change\nhint: git plan done one\n":                        "",
		"error: interrupted in step one; kept: git plan attempts show one/1\nhint: continue where it stopped with x\n": "stopped in step one; kept: git plan attempts show one/1",
		"error: the tree is not clean\nhint: commit\n":                                                                 "error: the tree is not clean",
	} {
		must(t, s.co.Store.Apply(t.Context(), s.co.Doc, "work", journal.Change{Event: journal.Event{Kind: journal.Blocked, Steps: []string{"one"}, Head: journal.None, By: journal.ByAgent, Attempt: 1, Reason: "no"}}))
		must(t, os.WriteFile(BegunPath(s.co.Repo, s.co.Doc.ID), []byte(said), 0o600))
		_, page := s.ask("GET", s.look, nil)
		head, _, _ := strings.Cut(page, `id="s-steps"`)
		if !strings.Contains(head, want) || strings.Contains(head, "error: ") != strings.HasPrefix(want, "error: ") || !strings.Contains(head, "1 step waits for you") || !strings.Contains(head, `id="ask-one"`) || !strings.Contains(head, "<title>(!) 0 of 2 – ") {
			t.Errorf("after %q: %s", said, head)
		}
	}
	if _, plans := s.ask("GET", s.look+"plans", nil); !strings.Contains(plans, ">Waits for your approval</b> <span class=\"quiet\">Then 1 step waits for you</span>") || !strings.Contains(plans, `<code class="copy">git plan approve</code>`) {
		t.Error("the list of plans does not say what the page says:", plans)
	}
}

// A failed planner is shown until something is done; of many events, the oldest are folded, by step; the step
// that was done last can be undone.
func TestListedEvents(t *testing.T) {
	s := serve(t, hostile, nil)
	must(t, integrity.Approve(s.co.Repo, s.co.Doc.ID, s.co.Doc.Plan.Source))
	for range 2 * mostNewest {
		s.ended(journal.Event{Kind: journal.Done, By: journal.ByPerson}, journal.Event{Kind: journal.Reopened, By: journal.ByPerson})
	}
	s.ended(journal.Event{Kind: journal.Done, Steps: []string{"two"}, By: journal.ByPerson})
	planner := journal.Event{Kind: journal.Failed, Steps: []string{}, By: journal.ByAgent, Usage: []journal.RoleUsage{{Role: agent.Planner, Agent: "fake", Sessions: 1}}, Reason: "the planner failed: no"}
	s.ended(planner)
	_, page := s.ask("GET", s.look, nil)
	newest, older, _ := strings.Cut(page[strings.Index(page, `id="s-log"`):], "<details")
	if !strings.Contains(page, "<b>The planner did not write the next steps</b></p><h2>no</h2>") || !strings.Contains(page, `<i class="sign bad"></i>Planning failed</p>`) || strings.Count(newest, "<time>") != mostNewest || !strings.Contains(older, "27 earlier, by step") ||
		strings.Count(older, `<li class="day"><a href="#step-one">`) != 1 || strings.Count(page, `<code class="copy">git plan undo</code>`) != 1 {
		t.Error(page)
	}
	planner.Stopped = true
	s.ended(planner)
	if _, page := s.ask("GET", s.look, nil); strings.Contains(page, "The planner did not write") {
		t.Error("a planner that was stopped has not failed:", page)
	}
	for _, kind := range []journal.Kind{journal.Failed, journal.Started, journal.Failed, journal.Failed, journal.Blocked, journal.Undone} { // a step that is blocked has failed
		s.ended(journal.Event{Kind: kind, Steps: []string{"two"}, By: journal.ByAgent, Attempt: 1})
	}
	_, page = s.ask("GET", s.look, nil)
	for kind, n := range map[string]int{"failed": 1, "blocked": 1, "undone": 1} {
		if row := `<b class="` + kind + `">` + kind + map[bool]string{true: " ×2"}[kind == "failed"] + `</b> <span><a href="#step-two">`; strings.Count(page, row) != n {
			t.Errorf("no %s, or more than one: %s", row, page)
		}
	}
}

// Before anything has run, the page offers to run the plan, and later to continue.
func TestRunThePlan(t *testing.T) {
	s := serve(t, hostile, &Acts{})
	repository.Git(t, "", "config", "plan.agent", "fake")
	repository.Git(t, "", "config", "planAgent.fake.command", "true")
	must(t, integrity.Approve(s.co.Repo, s.co.Doc.ID, s.co.Doc.Plan.Source))
	for _, want := range []string{"Run the plan", "Go on"} {
		if _, page := s.ask("GET", s.act, nil); !strings.Contains(page, `<button class="primary">`+want+"</button>") || !strings.Contains(page, `action="act/go-on"`) {
			t.Errorf("no %s: %s", want, page)
		}
		must(t, s.co.Store.Apply(t.Context(), s.co.Doc, "work", journal.Change{Event: journal.Event{Kind: journal.Failed, Steps: []string{"one"}, Head: journal.None, By: journal.ByAgent, Attempt: 1, Reason: "no"}}))
	}
}
