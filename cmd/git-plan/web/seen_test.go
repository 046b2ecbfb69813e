package web

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/testdata/repository"
)

// Without a script, what a page loads later is behind a link, to a page of its own that leads back.
func TestWithoutAScript(t *testing.T) {
	s := serve(t, hostile, nil)
	const name = "one-1-abcdef"
	must(t, s.co.Store.Apply(t.Context(), s.co.Doc, "work", journal.Change{Event: journal.Event{Kind: journal.Failed, Steps: []string{"one"}, Head: journal.None, By: journal.ByAgent, Attempt: 1, Session: name, Reason: "no"}}))
	folder := s.co.Repo.PlanDir(s.co.Doc.ID, "sessions")
	must(t, os.MkdirAll(folder, 0o700))
	must(t, os.WriteFile(filepath.Join(folder, name+".jsonl"), []byte(`{"turn":1,"text":"<b>what it said</b>"}`+"\n"), 0o600))
	_, page := s.ask("GET", s.look, nil)
	at := "attempt/one/" + name
	if !strings.Contains(page, `<a class="later" href="`+at+`">`) {
		t.Fatal("no link leads to the session: " + page)
	}
	_, part := s.ask("GET", s.look+at, nil)
	_, alone := s.ask("GET", s.look+at, nil, "Sec-Fetch-Mode", "navigate")
	if strings.Contains(part, "<!doctype") || !strings.Contains(alone, "<!doctype") || !strings.Contains(alone, `href="../../"`) || !strings.Contains(alone, "&lt;b&gt;what it said") {
		t.Errorf("%s\n%s", part, alone)
	}
	_, step := s.ask("GET", s.look+"step/one", nil, "Sec-Fetch-Mode", "navigate")
	if !strings.Contains(step, `href="../`+at+`"`) || !strings.Contains(step, `href="../"`) {
		t.Error(step)
	}
}

// The states of steps are signs in the drawing, too, and words to whoever does not see it.
func TestTheDrawingSaysStates(t *testing.T) {
	s := serve(t, hostile, nil)
	must(t, s.co.Store.Apply(t.Context(), s.co.Doc, "work", journal.Change{Event: journal.Event{Kind: journal.Skipped, Steps: []string{"one"}, By: journal.ByPerson}}))
	_, page := s.ask("GET", s.look, nil)
	for _, want := range []string{`aria-label="1 one, skipped"`, `>– 1 one<`, `>○ 2 two<`, `aria-hidden="true">–</span>`} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in %s", want, page)
		}
	}
}

// Who comes back to an address of a git plan web that has ended reads where the new ones are. Every wrong
// path has that answer, and no other.
func TestOldAddresses(t *testing.T) {
	s := serve(t, hostile, nil)
	_, old := s.ask("GET", s.origin()+"/"+strings.Repeat("0", 32)+"/", nil)
	if !strings.Contains(old, "git plan web makes new addresses each time it starts: its terminal shows them.") {
		t.Error(old)
	}
	for _, wrong := range []string{"/", "/plans", "/" + strings.Repeat("0", 32) + "/step/one", strings.TrimPrefix(s.look, s.origin()) + "x"} {
		if _, answer := s.ask("GET", s.origin()+wrong, nil, "Origin", "http://evil.example"); answer != old {
			t.Errorf("%s: %s", wrong, answer)
		}
	}
}

// The list of plans says what each is about, whether it waits for a person, and which are to look at only.
func TestTheListOfPlans(t *testing.T) {
	s := serve(t, hostile, nil)
	_, list := s.ask("GET", s.look+"plans", nil)
	for _, want := range []string{"<td>&lt;script&gt;alert(1)&lt;/script&gt;</td>", `<b>waits for you</b></td>`} {
		if !strings.Contains(list, want) {
			t.Errorf("no %s in %s", want, list)
		}
	}
	repository.Git(t, "", "switch", "-q", "main")
	if _, list := s.ask("GET", s.look+"plans", nil); !strings.Contains(list, `<span class="quiet">(to look at only)</span>`) {
		t.Error(list)
	}
}
