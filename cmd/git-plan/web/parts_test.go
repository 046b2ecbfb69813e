package web

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/git-plan/git-plan/cmd/git-plan/status"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
)

// A finding is shown with the code around it; a fixed one only with its quote.
func TestCodeAroundFindings(t *testing.T) {
	file := []string{"one", "two", "three", "four", "five", "six", "seven", "eight"}
	code := around(file, finding.Finding{Line: 6, Quote: "six\nseven"})
	if len(code) != 7 || code[0].N != 2 || !code[4].Quoted || !code[5].Quoted || code[6].Quoted {
		t.Errorf("%+v", code)
	}
	for _, gone := range []finding.Finding{{Line: 6, Quote: "was here"}, {Line: 60, Quote: "was here"}} {
		if code := around(file, gone); len(code) != 1 || code[0].Text != "was here" || code[0].N != 0 {
			t.Errorf("%+v", code)
		}
	}
}

// Rounds have the numbers that the terminal gave them, in each review. Each says who judged how much, who gave no answer, and what became of the fixer's work.
func TestRounds(t *testing.T) {
	p := &Page{Stats: &Stats{}, Review: &Review{Rounds: []ledger.Round{{N: 1, Earlier: true}, {N: 1, Head: "0123456789abcdef", Files: 3, Blocking: []string{"x"},
		Reviewers: []ledger.Reviewed{{Name: "quality", Covered: []string{"a", "b"}}, {Name: "tests", Incomplete: "too late"}},
		Verifier:  &ledger.Reviewed{Agent: "claude", Incomplete: "no"},
		Fix:       &ledger.FixRecord{Head: "fedcba9876543210", Status: "done", Reason: "for a reason"}}}}}
	html, err := written("review", p)
	must(t, err)
	for _, want := range []string{"<b>Earlier review, round 1</b>: nothing blocks</span>", `<b>Round 1</b>: 1 blocking finding; the fixer committed fedcba9876: for a reason</span><code class="quiet">0123456789</code>`, "2 of 3 files, findings: 0", "no answer: too late", "<td>claude</td><td>no answer: no</td>"} {
		if !strings.Contains(html, want) {
			t.Errorf("no %q: %s", want, html)
		}
	}
	round := 1
	p.Acts, p.Working = true, true
	for want, n := range map[string]journal.Notice{"Reviewing the branch": {Round: &round}, "Planning the next steps": {Role: "planner"}} {
		p.Doing = []journal.Notice{n}
		if head, err := written("head", p); err != nil || !strings.Contains(head, "</i>"+want+"</p>") || strings.Contains(head, "after this step") || !strings.Contains(head, "Stop now") {
			t.Errorf("a run that is at no step does not say what it does: %s %v", head, err)
		}
	}
	p.Findings, p.Live = 1, true
	p.Steps = []Step{{Is: views.Step{Step: status.Step{N: 3, ID: "three", Title: "The third"}}, Working: "executor", Of: p}}
	p.Review.Blocking = []Finding{{Is: &finding.Finding{Title: "which one?", Remedy: "ask", Status: finding.Confirmed}, ID: "f915e03"}}
	decide, err := written("decide", p)
	for _, want := range []string{`name="name" value="f915e03"`, "Planning the next steps</h2>", `Step 3 <a href="#step-three">The third</a></h2>`} {
		if p.Doing[0].Round != nil {
			want = strings.Replace(want, "Planning the next steps", "Reviewing the branch", 1)
		}
		if err != nil || !strings.Contains(decide, want) {
			t.Errorf("no %q: %s %v", want, decide, err)
		}
	}
}

// The phases of a step are drawn in order: attempts, their checks, and waits, where days are as wide as
// minutes, as is a phase that still runs; a phase of a second is visible. The graph of steps is drawn only if
// it branches.
func TestPhasesAndGraph(t *testing.T) {
	at := func(seconds int) time.Time { return time.Unix(int64(seconds), 0) }
	s := &Step{}
	worked := s.spent([]journal.Event{
		{Kind: journal.Started, Time: at(0)}, {Kind: journal.Failed, Time: at(30), Took: 20 * time.Second},
		{Kind: journal.Blocked, Time: at(30)}, {Kind: journal.Reopened, Time: at(90_000)},
		{Kind: journal.Started, Time: at(90_000)}, {Kind: journal.Done, Time: at(90_010), Took: 9 * time.Second},
		{Kind: journal.Started, Time: at(90_010)}, {Kind: journal.Failed, Stopped: true, Time: at(90_020), Took: 10 * time.Second},
		{Kind: journal.Started, Time: at(90_020)},
	}, at(99_000))
	unchanged := &Step{}
	unchanged.spent([]journal.Event{{Kind: journal.Started, Time: at(0)}, {Kind: journal.Blocked, Tree: "t", Time: at(9), Took: 4 * time.Second}}, at(99))
	if len(unchanged.Spans) != 2 || unchanged.Spans[0].Says != "asked 4s" || unchanged.Spans[1].Kind != "checks" {
		t.Errorf("an attempt that changed nothing is drawn as %v", unchanged.Spans)
	}
	s.place(worked)
	var kinds []string
	for _, span := range s.Spans {
		kinds = append(kinds, fmt.Sprintf("%s %.0f+%.0f", span.Kind, span.X, span.Width))
	}
	if got := strings.Join(kinds, ", "); got != "failed 0+28, checks 28+14, waits 42+4, done 46+13, checks 59+1, stopped 60+14, running 74+4" {
		t.Error(got)
	}
	if most := drawnWhole([]float64{0, 2, 900, 4, 3}); most != 12 {
		t.Error("one long step makes stubs of the others:", most)
	}
	steps := func(needs ...string) *Page {
		p := &Page{}
		for i, n := range needs {
			p.Plan.Steps = append(p.Plan.Steps, views.Step{Step: status.Step{ID: fmt.Sprint(i)}, Needs: strings.Fields(n)})
			p.Steps = append(p.Steps, Step{Is: p.Plan.Steps[i]})
		}
		p.order()
		return p
	}
	if p := steps("", "0", "1"); p.Wide > 1 {
		t.Error("a line of steps is drawn")
	}
	p := steps("", "", "0 1", "1")
	if r := p.Steps[2].Rail; p.Wide != 2 || r.Lane != 0 || len(r.In) != 2 || len(r.Over) != 1 || p.Steps[3].Rail.Out {
		t.Errorf("%+v", p.Steps)
	}
}

func TestTextsOfNotices(t *testing.T) {
	failed := 1
	for want, n := range map[string]journal.Notice{
		"executor: edit a.go":                                {Kind: journal.SessionTool, Role: "executor", Command: "edit", Text: "a.go"},
		"executor: run: make":                                {Kind: journal.SessionStart, Role: "executor", Command: "make"},
		"reviewer quality: reviewer quality (claude) begins": {Kind: journal.SessionStart, Role: "reviewer", Agent: "claude", Reviewer: "quality"},
		": check: go test ./...":                             {Kind: journal.CheckStart, Command: "go test\n./..."},
		": check failed with 1: go test ./..":                {Kind: journal.CheckEnd, Command: "go test ./..", ExitCode: &failed},
		"executor: ":                                         {Kind: journal.SessionUsage, Role: "executor"},
	} {
		c := callOf(n)
		if got := c.Who + ": " + c.Text; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Text between back quotes is code, and text of others is escaped; a number has its second part below it.
func TestCodeInText(t *testing.T) {
	for text, want := range map[string]string{
		"reads `a <b>`, not `c`": "reads <code>a &lt;b&gt;</code>, not <code>c</code>",
		"one ` alone <i>":        "one ` alone &lt;i&gt;",
		"``":                     "``",
	} {
		if got := string(marked(text)); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
	first := &Page{Listed: checkout.Listed{ID: "a", Title: "First", Skipped: 1}, Plan: views.Plan{Far: views.Far{Plan: "a", Progress: status.Progress{Done: 6, Total: 6}}},
		Next: status.Advice{Command: "git plan step", Text: "git plan step sum, or git plan run"}}
	second := &Page{Listed: checkout.Listed{ID: "b", Title: "Second", Branch: "work"}, Plan: views.Plan{Far: views.Far{Plan: "b"}}, Waits: []*Step{{}}, Next: status.Advice{Command: "git plan answer", Text: "git plan answer, then git plan run"}}
	plans, err := written("plans", []*Page{first, second})
	if waits := strings.Index(plans, "Second"); err != nil || waits < 0 || waits > strings.Index(plans, "First") || !strings.Contains(plans, `<li class="waits">`) {
		t.Error("what waits for a person is not first:", plans, err)
	}
	if !strings.Contains(plans, `<a href="plan/a">First</a>`) || !strings.Contains(plans, ">1 step waits for you</b>") || !strings.Contains(plans, `<code class="copy">git plan answer</code></p><p class="s quiet why">then git plan run</p>`) || !strings.Contains(plans, "<b>5</b> of 6 done, 1 skipped") {
		t.Error("a row does not open its plan, or does not say why it waits and what comes next:", plans)
	}
	second.Elsewhere, second.Waits[0].Is.ID, second.Next.Command = true, "one", "git plan run"
	if card, err := written("decide", second); err != nil || !strings.Contains(card, `<code class="copy">git plan answer one "what to do differently"</code>`) {
		t.Error("a blocked step of another branch has no command that answers it:", card, err)
	}
	second.Waits, second.Passing, second.Reviewed, second.Plan.Review.PlanOnly = nil, "0 of 0", "done", true
	second.Unreviewed = true
	if row, err := written("plan-row", second); err != nil || second.Tone() != "idle" || !strings.Contains(row, ">Done; needs a review here</b>") {
		t.Error("a plan that was reviewed elsewhere asks for no review here:", second.Tone(), row, err)
	}
	second.Manual = []progress.Manual{{}}
	if row, err := written("plan-row", second); err != nil || second.Tone() != "wait" || !strings.Contains(row, ">Needs a review and 1 check by hand</b>") {
		t.Error("what is asked of a person is not said together:", second.Tone(), row, err)
	}
	second.Elsewhere, second.State, second.Failed, second.Stats = false, status.Unapproved, "the planner failed: no", &Stats{}
	if head, err := written("main", second); err != nil || !strings.Contains(head, "Approve the plan to go on</p>") || !strings.Contains(head, "data-news>Planning failed</p>") {
		t.Error("the headline does not say what is to be approved:", head, err)
	}
	one, err := plan.Parse([]byte("# A\n\n## Steps\n\n- [ ] **One** {#one}\n  - Do: `x`\n\n  and <this>\n"))
	must(t, err)
	if text, err := written("approve", Approval{Plan: one}); err != nil || !strings.Contains(text, `<span class="quiet">Do</span><span><code>x</code></span>`) || !strings.Contains(text, "and &lt;this&gt;</span>") {
		t.Error("a line of a step is left out:", text, err)
	}
	cell, err := written("cell", "105.6k, 75% wasted")
	if err != nil || cell != `<td>105.6k<br><small class="quiet">75% on failed attempts</small></td>` {
		t.Error(cell, err)
	}
}

// Of long output the end is shown, where most programs say why they failed, in whole lines.
func TestEndOfOutput(t *testing.T) {
	long := "it begins\n" + strings.Repeat("a line in the middle\n", 1000) + "the reason\n"
	shown := ends(long)
	if !strings.HasPrefix(shown, "... 17") || !strings.HasSuffix(shown, "middle\nthe reason\n") || len(shown) > mostText+50 {
		t.Errorf("%q", shown)
	}
	if ends("short\n") != "short\n" || !utf8.ValidString(ends(strings.Repeat("ä", mostText))) {
		t.Error("what is short is whole, and characters are")
	}
}
