package web

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// ended adds how attempts at the first step ended, in order.
func (s *site) ended(events ...journal.Event) {
	s.Helper()
	for _, e := range events {
		if e.Head = journal.None; e.Steps == nil {
			e.Steps = []string{"one"}
		}
		must(s.TB, s.co.Store.Apply(s.Context(), s.co.Doc, "work", journal.Change{Event: e}))
	}
}

// A session that asked a question has not failed; the question is shown with its answer, and a restarted
// count of attempts is mentioned.
func TestQuestionAndItsAnswer(t *testing.T) {
	s := serve(t, "# Walls\n\n## Steps\n\n- [ ] **One** {#one}\n", nil)
	s.ended(
		journal.Event{Kind: journal.Failed, By: journal.ByAgent, Attempt: 1, Session: "one-1-aaaaaa", Reason: "which <colour>?", Question: true},
		journal.Event{Kind: journal.Blocked, By: journal.ByAgent, Attempt: 1, Reason: "which <colour>?", Question: true},
		journal.Event{Kind: journal.Reopened, By: journal.ByPerson, Answers: 1, Reason: journal.AnswerPrefix + "<white>"},
		journal.Event{Kind: journal.Failed, By: journal.ByAgent, Attempt: 1, Reason: "no"},
		journal.Event{Kind: journal.Reopened, Steps: []string{"one", "two"}, By: journal.ByPerson, Reason: "<again>"},
		journal.Event{Kind: journal.Failed, By: journal.ByAgent, Attempt: 1, Session: "one-1-cccccc", Reason: "no"},
		journal.Event{Kind: journal.Blocked, By: journal.ByAgent, Attempt: 1, Reason: "no"},
	)
	_, page := s.ask("GET", s.look+"main", nil)
	card, attempts, _ := strings.Cut(page, `class="attempts"`)
	if strings.Count(card, `href="attempt/one/`) != 1 || !strings.Contains(card, `href="attempt/one/one-1-cccccc"`) {
		t.Error("what waits for a person does not lead to the attempts since the step was reopened:", card)
	}
	_, one := s.ask("GET", s.look+"attempt/one/one-1-cccccc", nil)
	id := s.co.Doc.ID // as the page of another branch's plan has it
	_, elsewhere := s.ask("GET", s.look+"plan/"+id, nil)
	_, there := s.ask("GET", s.look+"attempt/one/one-1-cccccc?plan="+id, nil)
	if status, _ := s.ask("GET", s.look+"attempt/one/one-1-cccccc?plan=no", nil); status == 200 || strings.Count(elsewhere, `href="../attempt/one/one-1-cccccc?plan=`+id+`"`) != 2 ||
		!strings.Contains(there, "Attempt 3 failed</p>") || !strings.Contains(there, `<a href="../../plan/`+id+`">Walls</a>`) || !strings.Contains(there, `href="one-1-aaaaaa?plan=`+id+`"`) {
		t.Error("the plan of another branch does not lead to its attempts:", status, elsewhere, there)
	}
	for shown, wants := range map[string][]string{
		attempts: {`<li class="asked">`, "which &lt;colour&gt;?", "<b>answered:</b> &lt;white&gt;", `<li class="failed">`, "Attempt 2 failed", "<b>reopened:</b> &lt;again&gt;", `<li class="failed">`, "Attempt 3 failed"},
		one:      {"Attempt 3 failed</p>", `<ol class="tabs">`, "Attempt 1 ", "<b>answered:</b> &lt;white&gt;", "<b>reopened:</b> &lt;again&gt;", `aria-current="page"`},
	} {
		rest := shown
		for _, want := range wants {
			_, after, ok := strings.Cut(rest, want)
			if !ok {
				t.Fatalf("no %s, in order: %s", want, shown)
			}
			rest = after
		}
	}
}

// The checks of a step that is done have passed, unless they may be others since.
func TestChecksThatPassed(t *testing.T) {
	s := serve(t, "# Walls\n\n## Steps\n\n- [ ] **One** {#one}\n  - Check: `make test`\n  - Check: it looks right\n", nil)
	passed := `<i class="sign done"></i><span class="unseen">passed: </span><code>make test</code></div><div class="quiet">it looks right</div>`
	for _, then := range []struct {
		is   journal.Event
		want bool
	}{
		{journal.Event{Kind: journal.Failed, By: journal.ByAgent, Attempt: 1}, false},
		{journal.Event{Kind: journal.Done, By: journal.ByAgent, Attempt: 2}, true},
		{journal.Event{Kind: journal.Edited, Steps: []string{}, By: journal.ByPerson}, false},
	} {
		s.ended(then.is)
		if _, page := s.ask("GET", s.look+"main", nil); strings.Contains(page, passed) != then.want {
			t.Errorf("after %s: %s", then.is.Kind, page)
		}
	}
}

// Each failed attempt shows the end of its check's output, also if another attempt followed, with what it
// read and its diff; the exported page has only each step's last one, and no words of sessions.
func TestCheckOutputOfAttempts(t *testing.T) {
	s := serve(t, "# Walls\n\n## Steps\n\n- [ ] **One** {#one}\n", nil)
	folder := s.co.Repo.PlanDir(s.co.Doc.ID, "sessions")
	must(t, os.MkdirAll(folder, 0o700))
	for n, name := range []string{"one-1-aaaaaa", "one-2-bbbbbb"} {
		var printed strings.Builder
		for i := range 4000 {
			fmt.Fprintf(&printed, "<line> %d of %d\n", i, n+1)
		}
		f, err := os.Create(filepath.Join(folder, name+".jsonl"))
		must(t, err)
		talk := agent.Transcript{W: f}
		exit := 1
		talk.Write(agent.Record{Turn: 1, Tokens: &agent.Tokens{In: 9, Cached: 4, Out: 2}, Text: "I am sure of it", Calls: []agent.CallRecord{{ID: "c1", Name: "read_file", Args: `{"path": "a.go"}`}, {ID: "c2", Name: "edit_file", Args: `{"path": "a.go", "old": "one", "new": "1\nor"}`}, {ID: "c3", Name: "edit_file", Args: `{"path": "a.go", "old": "two", "new": "2"}`}, {ID: "c4", Name: "edit_file", Args: `{"path": "b.go", "old": "three", "new": "3"}`}}})
		talk.Write(agent.Record{Turn: 1, Answers: []agent.AnswerRecord{{ID: "c1", Text: "7|seven\n8|eight"}}})
		talk.Write(agent.Record{Check: "make test", Exit: &exit, Output: printed.String()})
		talk.Write(agent.Record{Diff: "diff --git a/a.go b/a.go\nindex 1..2 100644\n--- a/a.go\n+++ b/a.go\n@@ -3 +3," + fmt.Sprint(2+40*n) + " @@ func f()\n three\n+four\n" + strings.Repeat("+more\n", 40*n)})
		must(t, f.Close())
		s.ended(journal.Event{Kind: journal.Failed, By: journal.ByAgent, Attempt: n + 1, Session: name, Reason: "`make test` exited with 1: no"})
	}
	_, did := s.ask("GET", s.look+"attempt/one/one-1-aaaaaa", nil)
	last, _, _ := strings.Cut(did, "</pre>")
	if !strings.Contains(last, "<h2>no</h2>") || !strings.Contains(last, `class="code printed"`) || !strings.Contains(last, "&lt;line&gt; 3999 of 1") || strings.Contains(last, "3900 of 1") ||
		!strings.Contains(did, "git plan log --session one-1-aaaaaa") || !strings.Contains(did, `<span class="who bad">check</span><details><summary class="s bad">exited with 1: make test`) {
		t.Error(did)
	}
	for _, want := range []string{`<code>a.go</code> <span class="quiet">2 lines</span>`, `<code>a.go</code>, 2 edits <span class="counts"><span class="good">+3</span><span class="bad">&#8722;2</span>`, `<code>b.go</code> <span class="counts"><span class="good">+1</span><span class="bad">&#8722;1</span>`, "<i>7</i><b>seven</b>", `<h3><code>a.go</code><span class="counts"><span class="good">+1</span>`, "<i></i><i>4</i><b>four</b>"} {
		if !strings.Contains(did, want) {
			t.Errorf("no %s: %s", want, did)
		}
	}
	if !strings.Contains(did, "(4 cached), 2 out</span>") || strings.Contains(did, `<details class="surface file">`) {
		t.Error(did)
	}
	if _, second := s.ask("GET", s.look+"attempt/one/one-2-bbbbbb", nil); !strings.Contains(second, `<details class="surface file"><summary><h3><code>a.go</code>`) {
		t.Error("a long difference is not folded:", second)
	}
	must(t, s.co.Load(t.Context()))
	p, err := Of(t.Context(), s.co, true)
	must(t, err)
	file := fileOf(t, p)
	if html := file; strings.Count(html, `class="code printed"`) != 1 || !strings.Contains(html, "&lt;line&gt; 3999 of 2") || strings.Contains(html, "I am sure") || !strings.Contains(html, "what sessions did is not in this file") {
		t.Error(html)
	}
	// A session that gave up shows the check that failed before its own words.
	s.ended(journal.Event{Kind: journal.Failed, By: journal.ByAgent, Attempt: 3, Session: "one-3-cccccc", Reason: "I am sure of it"})
	kept, err := os.ReadFile(filepath.Join(folder, "one-1-aaaaaa.jsonl"))
	must(t, err)
	must(t, os.WriteFile(filepath.Join(folder, "one-3-cccccc.jsonl"), kept, 0o600))
	_, did = s.ask("GET", s.look+"attempt/one/one-3-cccccc", nil)
	if last, _, _ = strings.Cut(did, "</pre>"); !strings.Contains(last, `<p class="check"><code>make test</code> <span class="quiet">exited with 1</span></p><h2>&lt;line&gt; 3999 of 1</h2>`) || !strings.Contains(did, `<p class="s quiet says">The agent says</p><p class="prose">I am sure of it</p>`) {
		t.Error(last)
	}
	// One that is done begins with what came of it, in its own words; what it did is folded.
	s.ended(journal.Event{Kind: journal.Done, By: journal.ByAgent, Attempt: 4, Session: "one-4-dddddd", Summary: "I <did> it", Took: time.Minute, Reason: "no command <checked> it"})
	if _, did = s.ask("GET", s.look+"attempt/one/one-4-dddddd", nil); strings.Contains(did, "Why it failed") || !strings.Contains(did, "<b>Done; nothing was committed</b>") || !strings.Contains(did, "<dt>at work</dt><dd>1m</dd>") ||
		!strings.Contains(did, `<p class="wait">no command &lt;checked&gt; it</p>`) || !strings.Contains(did, `<p class="prose">I &lt;did&gt; it</p>`) || !strings.Contains(did, `<details class="source"><summary><b>Session</b>`) || strings.Count(did, "The agent says") != 1 {
		t.Error(did)
	}
	must(t, s.co.Store.Apply(t.Context(), s.co.Doc, "work", journal.Change{Event: journal.Event{Kind: journal.Done, Steps: []string{"one"}, By: journal.ByAgent, Attempt: 5, Session: "one-5-eeeeee", Head: s.co.Doc.Start()}}))
	if _, did = s.ask("GET", s.look+"attempt/one/one-5-eeeeee", nil); !strings.Contains(did, "<b>Committed</b>") {
		t.Error("a step without a check is called checked:", did)
	}
	gone := `<p class="quiet"><code>` + s.co.Doc.Start()[:10] + "</code> "
	if _, page := s.ask("GET", s.look+"main", nil); !strings.Contains(page, gone) {
		t.Error("not", gone, page)
	}
}
