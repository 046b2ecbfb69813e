package journal

import (
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/git"
)

// The subject of an event's commit has the plan's progress and the event.
func TestSubjects(t *testing.T) {
	a, held := []string{"a"}, []RoleUsage{{Role: agent.Planner, Sessions: 1}}
	for _, c := range []struct {
		e    Event
		want string
	}{
		{Event{Kind: Created}, "b 1/3 plan: created"},
		{Event{Kind: Done, Steps: a}, "b 1/3 step a: done"},
		{Event{Kind: Rewritten, Steps: []string{"a", "c"}}, "b 1/3 step a, c: rewritten"},
		{Event{Kind: Failed, Steps: a, Stopped: true}, "b 1/3 step a: stopped"},
		{Event{Kind: Reviewed, Reason: "passed"}, "b 1/3 review: passed"},
		{Event{Kind: Failed, Usage: held, Reason: Interrupted, Stopped: true}, "b 1/3 planner: stopped"},
		{Event{Kind: Failed, Usage: held}, "b 1/3 planner: failed"},
		{Event{Kind: Accepted, Check: "make lint"}, "b 1/3 check make lint: accepted"},
	} {
		subject, _, _ := strings.Cut(c.e.message("p", "b", 1, 3), "\n")
		if subject != c.want {
			t.Errorf("%q, want %q", subject, c.want)
		}
	}
	if m := (Event{Kind: Created}).message("p", "", 0, 1); !strings.HasPrefix(m, "(detached) 0/1 ") {
		t.Errorf("without a branch: %q", m)
	}
}

// What older versions said in words only is read as what it means.
func TestOlderReasons(t *testing.T) {
	for reason, want := range map[string]Event{
		"Plan-Event: failed\nPlan-Reason: interrupted\n":           {Stopped: true},
		"Plan-Event: failed\nPlan-Reason: interrupted: no\n":       {},
		"Plan-Event: reopened\nPlan-Reason: answered: blue\n":      {Answers: 1},
		"Plan-Event: edited\nPlan-Reason: answered: interrupted\n": {},
	} {
		var e Event
		if e.parse("p", git.Commit{Message: "x\n\n" + reason}); e.Stopped != want.Stopped || e.Answers != want.Answers {
			t.Errorf("%q is read as %+v", reason, e)
		}
	}
}

// A path inside the repository survives in an event; any other is dropped.
func TestImportedPaths(t *testing.T) {
	for path, kept := range map[string]bool{
		"docs/plans/demo.md": true, "ä b.md": true, "": false, ".": false, "../a": false, "/a": false, "a/../b": false, "a\nb": false, "a\x1b": false,
	} {
		want := ""
		if kept {
			want = path
		}
		e := Event{Kind: Created, Imported: path}
		var back Event
		back.parse("demo", git.Commit{Message: e.message("demo", "b", 0, 1)})
		if back.Imported != want {
			t.Errorf("%q comes back as %q", path, back.Imported)
		}
	}
}

// A plan may come from a remote: every field of a foreign event is limited.
func TestSanitize(t *testing.T) {
	oid := strings.Repeat("a", 40)
	var e Event
	e.parse("p", git.Commit{Message: "x\n\nPlan-Head: --upload-pack=x\nPlan-Tree: " + oid + "\nPlan-Start: none\nPlan-Kept: refs/heads/main\n" +
		"Plan-Step: p/a\nPlan-Step: p/../b\nPlan-Attempt: -3\nPlan-Duration: -1h\nPlan-Cost: -1.00 USD\nPlan-Session: ../../x\n" +
		"Plan-Tokens: -5 in, 9223372036854775807 cached, 7 out\nPlan-Reason: a\u202eb\nPlan-Drift: a\u202eb\n" +
		"Plan-Sessions: 1 nobody; 1 in; cost unknown; x\nPlan-Sessions: 1 fixer; 1 in; cost unknown, 1000000h; x\n" +
		"Plan-Sessions: 1073741824 fixer; 1 in; cost unknown; x\n"})
	if e.Reason != `a\u202eb` || e.Drift[0] != `a\u202eb` || e.Session != "" {
		t.Errorf("texts: %+v", e)
	}
	if e.Head != "" || e.Tree != oid || e.Start != None || e.Kept != "" || e.Step() != "a" {
		t.Errorf("names: %+v", e)
	}
	if e.Attempt != 0 || e.Took != 0 || e.Tokens.In != 0 || e.Tokens.Out != 7 || e.Tokens.Cached+e.Tokens.Cached < 0 || e.Cost.Known || len(e.Usage) != 1 || e.Usage[0].Took != 366*24*time.Hour {
		t.Errorf("numbers: %+v", e)
	}
	if e.parse("p", git.Commit{Message: "x\n\nPlan-Kept: " + AttemptPrefix + "p/a/1\n"}); e.Kept == "" {
		t.Error("a kept attempt of the plan is dropped")
	}
}

// A subject that was edited by hand does not change the event.
func TestEditedSubjects(t *testing.T) {
	e := Event{Kind: Done, Steps: []string{"a"}, By: ByPerson, Head: strings.Repeat("b", 40), Headline: "all is well"}
	if got := (Event{Kind: Accepted, Check: "make test", By: ByPerson}).Describe(); got != "accepted make test, by person" {
		t.Error(got)
	}
	if got := e.Describe(); got != "done a, by person, at bbbbbbbbbb" {
		t.Errorf("it says %q", got)
	}
	if !e.TickedByHand() || (Event{Kind: Done, By: ByPerson, Attempt: 1}).TickedByHand() {
		t.Error("who ticked it is not known")
	}
	d := &Document{Events: []Event{{Kind: Created, Start: "c0", Imported: "plan.md"}, e}}
	if d.Start() != "c0" || d.Imported() != "plan.md" || (&Document{}).Start() != None || (&Document{}).Imported() != "" {
		t.Error("where the plan began is not known")
	}
}

// Commit messages name steps and reverts in lines that only the program may write.
func TestCommitMessages(t *testing.T) {
	for _, c := range []struct{ name, proposed, body, trailer, want string }{
		{"from the session", "Add it", "Because.", "Plan-Step: p/a", "Add it\n\nBecause.\n\nPlan-Step: p/a\n"},
		{"from the task", "", "", "Plan-Step: p/a", "Do a\n\nPlan-Step: p/a\n"},
		{"one line is a subject", "Add\nPlan-Step: p/b", "", "x", "Add\n\nx\n"},
		{"no trailer of a session counts", "Plan-Step: p/b", "a\nPlan-Review: x\nPlan-Step : no\nb", "t", "Do a\n\na\nPlan-Step : no\nb\n\nt\n"},
		{"no Signed-off-by of a session counts", "Fix", "So.\n\nsigned-off-by: A <a@b>", "t", "Fix\n\nSo.\n\n> signed-off-by: A <a@b>\n\nt\n"},
		{"no revert of a session counts", "Fix", "This reverts commit " + strings.Repeat("a", 40), "t", "Fix\n\n> This reverts commit " + strings.Repeat("a", 40) + "\n\nt\n"},
	} {
		if got := CommitMessage(c.proposed, "Do a", c.body, c.trailer); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	before := "Add\n\nPlan-Step: p/a\n"
	for now, want := range map[string]string{
		"Add\n\nPlan-Step: p/a\n": "Add\n\nPlan-Step: p/a\n", "Add more\n": "Add more\n\nPlan-Step: p/a\n", "Add\n\nPlan-Step: p/b\n": "Add\n\nPlan-Step: p/a\n",
	} {
		if got := RestoreTrailers(now, before); got != want {
			t.Errorf("a hook made %q: it becomes %q, want %q", now, got, want)
		}
	}
	message := "Squash\n\n    Plan-Step: p/a\nPlan-Step: q/b\nPlan-Step: q/B\nAdd r/c\n"
	if got := strings.Join(NamedSteps(message), " "); got != "p/a q/b" {
		t.Errorf("it names the steps %q", got)
	}
}

// A record of rewritten commits is read back as it was written.
func TestRewrites(t *testing.T) {
	old, new := strings.Repeat("a", 40), strings.Repeat("b", 40)
	text := old + " " + new + " +a -b"
	r, ok := parseRewrite(text)
	if !ok || r.String() != text || !r.Did["a"] || r.Did["b"] {
		t.Errorf("%t, %v", ok, r)
	}
	for _, bad := range []string{"", old, old + " x", "x " + new} {
		if _, ok := parseRewrite(bad); ok {
			t.Errorf("%q is a rewrite", bad)
		}
	}
}

// Costs are exact, and a measured duration is never zero.
func TestAmounts(t *testing.T) {
	for usd, want := range map[float64]string{0: "0.00 USD", 1.5: "1.50 USD", 0.000125: "0.000125 USD"} {
		text := costTrailer(agent.Cost{USD: usd, Known: true})
		if back := parseCost(text); text != want || back.USD != usd || !back.Known {
			t.Errorf("%g is %q and read back as %v", usd, text, back)
		}
	}
	for took, want := range map[time.Duration]string{time.Microsecond: "1ms", 300 * time.Millisecond: "300ms", 90 * time.Second: "90s"} {
		if got := durationTrailer(took); got != want {
			t.Errorf("%v is %q, want %q", took, got, want)
		}
	}
	if Dollars(agent.Cost{}) != nil || *Dollars(agent.Cost{USD: 1, Known: true}) != 1 || OrNone("") != None || OrNone("x") != "x" {
		t.Error("an unknown amount is reported")
	}
	if n := About(FixName(2), agent.Executor, 1); *n.Round != 2 || n.Role != agent.Fixer || n.Step != "" {
		t.Errorf("a fixer's notice: %+v", n)
	}
	if n := About("a", agent.Executor, 1).Of(CheckEnd, "text"); n.Step != "a" || n.Kind != CheckEnd || n.Text != "text" {
		t.Errorf("a step's notice: %+v", n)
	}
}

// Whatever a program or another clone wrote into a notice or an event, each text is printed as one line
// without hidden characters.
func TestTextsAreSafeToShow(t *testing.T) {
	const hostile = "a\nPlan-Event: done\r\x1b[31mc\u202ed\u200be\x00"
	unsafe := func(s string) bool { return strings.ContainsAny(s, "\n\r\x1b\x00\u202e\u200b") }
	n := Notice{Kind: StepNote, Text: hostile, Reason: hostile, Command: hostile, Agent: hostile, Model: hostile, Also: []string{hostile}}.Safe()
	if unsafe(n.Text + n.Reason + n.Command + n.Agent + n.Model + n.Also[0]) {
		t.Errorf("the notice is %+v", n)
	}
	if output := (Notice{Kind: CheckEnd, Text: "one\ntwo\x1b[2J"}).Safe().Text; output != "one\ntwo\\u001b[2J" {
		t.Errorf("the output of a check is %q", output)
	}
	message := Event{Kind: Failed, Steps: []string{"a"}, Reason: hostile, Drift: []string{hostile}}.message("p", "b", 0, 1)
	if unsafe(strings.ReplaceAll(message, "\n", "")) || strings.Contains(message, "\nPlan-Event: done") {
		t.Errorf("the message is %q", message)
	}
	other := "b 0/1 step a: \x1bfailed\n\nPlan-Event: failed\nPlan-Reason: why \x1b[31m\u202e\nPlan-Summary: did\u200b\n"
	var e Event
	e.parse("p", git.Commit{Message: other})
	if e.Reason == "" || e.Summary == "" || unsafe(e.Reason+e.Summary+e.Headline) {
		t.Errorf("another clone's event is %+v", e)
	}
}
