package checkout

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/testdata/texts"
)

func parsed(t *testing.T, text string) *plan.Plan {
	t.Helper()
	p, err := plan.Parse([]byte(text))
	fine(t, err)
	return p
}

// A plan is stored on the current branch, or, if that is a base, on one named after the title.
func TestBranchOfANewPlan(t *testing.T) {
	for _, c := range []struct {
		name      string
		git       []string
		new       NewPlan
		want, was string // the branch of the plan, and the base
	}{
		{"on another branch", []string{"switch -q -c work"}, NewPlan{}, "work", "main"},
		{"on the base", nil, NewPlan{}, "plan/count-words", "main"},
		{"on the base, and the name is taken", []string{"branch plan/count-words", "branch plan/count-words-2"}, NewPlan{}, "plan/count-words-3", "main"},
		{"on the base, with a prefix", []string{"config plan.branchPrefix anna/"}, NewPlan{}, "anna/count-words", "main"},
		{"on the likeliest base, base another", []string{"branch dev"}, NewPlan{Base: "dev"}, "plan/count-words", "dev"},
		{"on a branch that is named", []string{"switch -q -c work"}, NewPlan{Branch: "mine"}, "mine", "main"},
		{"on an unborn branch", []string{"checkout -q --orphan first", "branch -q -D main"}, NewPlan{}, "first", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.git(c.git...)
			co := w.open()
			base, err := c.new.Ready(t.Context(), co)
			fine(t, err)
			_, err = c.new.Store(t.Context(), co, parsed(t, "# Count words\n\n## Steps\n\n- [ ] a\n"), base, journal.Event{By: journal.ByPerson})
			fine(t, err)
			if co = w.load(); co.Branch != c.want || co.Doc.Plan.Branch != c.want || co.Doc.Plan.Base != c.was {
				t.Errorf("on branch %s is the plan of %s on %s, want %s on %s", co.Branch, co.Doc.Plan.Branch, co.Doc.Plan.Base, c.want, c.was)
			}
		})
	}
}

// Obstacles to storing a plan are reported before a person types it.
func TestObstaclesAreReportedBeforeTyping(t *testing.T) {
	w := newWorld(t)
	id := w.plan()
	c := w.open()
	_, err := NewPlan{}.Ready(t.Context(), c)
	refused(t, err, fault.ErrPlanExists, "branch work already has plan "+id+"; for other work go to its base: git switch main")
	w.git("config --unset branch.work.plan") // as in a fresh clone after git plan fetch
	_, err = NewPlan{}.Ready(t.Context(), w.open())
	refused(t, err, fault.ErrPlanExists, "branch work already has plan "+id)
	c = w.open()
	for name, says := range map[string]string{"main": "branch main already exists", "a..b": `"a..b" is not a valid branch name`, "\xff": "is not a valid branch name"} {
		_, err = NewPlan{Branch: name}.Ready(t.Context(), c)
		refused(t, err, fault.ErrBranchName, says)
	}
	_, err = NewPlan{Force: true, Base: "gone"}.Ready(t.Context(), c)
	refused(t, err, fault.ErrNoBase, "gone is not a commit here")
	base, err := NewPlan{Force: true}.Ready(t.Context(), c)
	fine(t, err)
	_, err = NewPlan{Force: true}.Store(t.Context(), c, parsed(t, texts.Steps("- [ ] a\n")), base, journal.Event{By: journal.ByPerson})
	fine(t, err)
	if bound, _ := w.open().Bound(); bound == id {
		t.Error("the branch still has the plan of before")
	}
	w.git("switch -q --detach")
	_, err = NewPlan{}.Ready(t.Context(), w.open())
	refused(t, err, fault.ErrDetached, "")
}

// A person's text may name the base and tick boxes; an agent's may not.
func TestAuthorOfTheText(t *testing.T) {
	text := "---\nbase: dev\n---\n" + texts.Steps("- [x] a {#a}\n- [ ] b {#b}\n")
	for _, c := range []struct{ by, text, base, noBase, ticked, states string }{
		{journal.ByPerson, text, "dev", "", "a", "a done, b open"},
		{journal.ByPerson, strings.Replace(text, "dev", "gone", 1), "main", "gone", "a", "a done, b open"},
		{journal.ByAgent, text, "main", "", "a", "a open, b open"},
	} {
		w := newWorld(t)
		w.git("branch dev", "switch -q -c work")
		co := w.open()
		s, err := NewPlan{}.Store(t.Context(), co, parsed(t, c.text), "main", journal.Event{By: c.by})
		fine(t, err)
		if s.Base != c.base || s.NoBase != c.noBase || strings.Join(s.Ticked, " ") != c.ticked {
			t.Errorf("by %s: got %+v", c.by, s)
		}
		if co = w.load(); co.Doc.Plan.Base != c.base || states(co) != c.states {
			t.Errorf("by %s: base %s; %s, want %s", c.by, co.Doc.Plan.Base, states(co), c.states)
		}
	}
}

// If the plan cannot be attached, both it and its branch are removed.
func TestNewPlanIsAtomic(t *testing.T) {
	w := newWorld(t)
	before := w.git("for-each-ref")
	lock := filepath.Join(w.dir, ".git", "config.lock")
	fine(t, os.WriteFile(lock, nil, 0o600))
	c := w.open()
	_, err := NewPlan{}.Store(t.Context(), c, parsed(t, texts.Steps("- [ ] a\n")), "main", journal.Event{By: journal.ByPerson})
	if err == nil || !strings.Contains(err.Error(), "config.lock") || c.Doc != nil || w.git("for-each-ref") != before {
		t.Errorf("with a lock in the way: %v\n%s", err, w.git("for-each-ref"))
	}
	fine(t, os.Remove(lock))

	for _, from := range []string{"main", ""} { // or a detached HEAD
		if from == "" {
			w.git("switch -q --detach")
		}
		doc, err := c.Store.Create(t.Context(), []byte(texts.Steps("- [ ] a\n")), "t", "main", journal.Event{})
		fine(t, err)
		fine(t, c.NewBranch(t.Context(), "t"))
		journal.MarkAttached.Set(c.Repo, doc.ID)
		fine(t, rollBack(t.Context(), c, doc, from, w.git("rev-parse HEAD")))
		if now := w.git("for-each-ref"); now != before || c.Branch != from || w.git("branch --show-current") != from {
			t.Errorf("unmade: on branch %s\n%s", c.Branch, now)
		}
		if tips, marks := journal.TrustedTips(c.Repo, doc.ID), journal.MarkAttached.Plans(c.Repo); len(tips)+len(marks) > 0 {
			t.Errorf("unmade, but %v and %v are left", tips, marks)
		}
	}
}
