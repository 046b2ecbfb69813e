package checkout

import (
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/fault"
)

// Plans are pushed where git itself would push the branch, and fetched from where it would pull.
func TestRemote(t *testing.T) {
	for _, c := range []struct {
		name, named       string
		git               []string
		fetch, push, says string
	}{
		{"none", "", nil, "", "", "this repository has no remote"},
		{"the only one", "", []string{"remote add one x"}, "one", "one", ""},
		{"origin, of two", "", []string{"remote add one x", "remote add origin x"}, "origin", "origin", ""},
		{"ambiguous", "", []string{"remote add two x", "remote add one x"}, "", "", "which remote do you mean: one, two?"},
		{"the named one", "two", []string{"remote add two x", "remote add one x"}, "two", "two", ""},
		{"an unknown name", "three", []string{"remote add one x"}, "", "", "three is not a remote of this repository"},
		{"the branch's", "", []string{"remote add origin x", "remote add one x", "config branch.main.remote one"}, "one", "one", ""},
		{"the branch's, which is \".\"", "", []string{"remote add origin x", "config branch.main.remote ."}, "origin", "origin", ""},
		{"the branch's, which was removed", "", []string{"remote add one x", "config branch.main.remote gone"}, "", "", "branch.main.remote names gone, which is not a remote of this repository"},
		{"the branch's, which is a URL", "", []string{"remote add origin x", "config branch.main.remote https://example.com/x"}, "", "", "names https://example.com/x, which is not a remote"},
		{"another to push to", "", []string{"remote add one x", "remote add two x", "config branch.main.remote one", "config remote.pushDefault two"}, "one", "two", ""},
		{"the branch's own to push to", "", []string{"remote add one x", "remote add two x", "config branch.main.pushRemote one", "config remote.pushDefault two", "config branch.main.remote two"}, "two", "one", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.git(c.git...)
			co := w.open()
			for push, want := range map[bool]string{false: c.fetch, true: c.push} {
				got, err := co.Remote(c.named, push)
				if got != want {
					t.Errorf("push: %v: got %q, want %q", push, got, want)
				}
				if c.says != "" {
					refused(t, err, fault.ErrNoRemote, c.says)
				}
			}
		})
	}
}

// An earlier version of the plan is named by its commit, or by how many events ago it was.
func TestVersion(t *testing.T) {
	w := newWorld(t)
	w.plan()
	before := w.load().Doc
	w.does("a")
	c := w.load()
	for _, name := range []string{"~1", before.Tip, before.Tip[:4]} {
		text, err := c.Version(t.Context(), name)
		if err != nil || string(text) != string(before.Plan.Source) {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
	if text, err := c.Version(t.Context(), "~0"); err != nil || string(text) != string(c.Doc.Plan.Source) {
		t.Errorf("~0: %v\n%s", err, text)
	}
	for _, name := range []string{"~2", "~-1", "~x", "", before.Tip[:3], "main"} {
		_, err := c.Version(t.Context(), name)
		refused(t, err, fault.ErrUnknownVersion, strings.TrimSpace("the plan has no version "+name))
	}
}

// The base of a branch is its plan's, if that names one.
func TestPlanBase(t *testing.T) {
	w := newWorld(t)
	w.git("branch dev")
	if _, ok := w.open().Text(t.Context()); ok || w.open().PlanBase(t.Context()) != "main" {
		t.Errorf("without a plan it is %q", w.open().PlanBase(t.Context()))
	}
	w.plan()
	c := w.load()
	fine(t, c.Revise(t.Context(), []byte("---\nbase: dev\n---\n# T\n\n## Steps\n\n- [ ] a {#a}\n")))
	c = w.open()
	if p, ok := c.Text(t.Context()); !ok || p.Base != "dev" || c.PlanBase(t.Context()) != "dev" {
		t.Errorf("with a plan it is %q", c.PlanBase(t.Context()))
	}
}
