package checkout

import (
	"testing"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// The base is the one that a person names, else the likeliest existing branch.
func TestBase(t *testing.T) {
	for _, c := range []struct {
		name, given, want string
		git               []string
	}{
		{"main", "", "main", nil},
		{"master", "", "master", []string{"branch -m main master"}},
		{"init.defaultBranch", "", "trunk", []string{"config init.defaultBranch trunk", "branch trunk"}},
		{"init.defaultBranch, but it does not exist", "", "main", []string{"config init.defaultBranch trunk"}},
		{"origin's default branch", "", "origin/dev", []string{"update-ref refs/remotes/origin/dev HEAD", "symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/dev"}},
		{"plan.base", "", "dev", []string{"config plan.base dev", "branch dev"}},
		{"plan.base, and nothing else", "", "", []string{"config plan.base dev"}},
		{"none", "", "", []string{"branch -m main other"}},
		{"given", "dev", "dev", []string{"branch dev"}},
		{"given, at origin", "dev", "origin/dev", []string{"update-ref refs/remotes/origin/dev HEAD"}},
		{"given, but it does not exist", "dev", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.git(c.git...)
			got, err := w.open().Base(t.Context(), c.given)
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if c.want == "" {
				refused(t, err, fault.ErrNoBase, "")
			}
		})
	}
}

// A revision that moves along with the branch is replaced by its current commit. Without any commit the base
// is the empty tree.
func TestBaseThatMovesWithTheBranch(t *testing.T) {
	w := newWorld(t)
	first := w.git("rev-parse HEAD")
	w.commit("a", "")
	if got, err := w.open().Base(t.Context(), "HEAD~1"); got != first || err != nil {
		t.Errorf("HEAD~1 is %q, want %s: %v", got, first, err)
	}
	for name, want := range map[string]bool{
		"HEAD": true, "@": true, "HEAD~2": true, "@{u}": true, "HEAD^": true, "@~": true, "main": false, "HEADING": false, "main~2": false, "": false,
	} {
		if movesAlong().MatchString(name) != want {
			t.Errorf("%q moves along: %v", name, !want)
		}
	}
	w.git("checkout -q --orphan new", "branch -q -D main")
	if got, err := w.open().Base(t.Context(), ""); got != "" || err != nil {
		t.Errorf("the base of an unborn branch is %q, %v", got, err)
	}
}

// Steps do not run on a base branch or a protected one, except when the plan makes the first commits.
func TestProtectedBranches(t *testing.T) {
	for _, c := range []struct {
		branch, protect string
		protected       bool
	}{
		{"main", "", true}, {"master", "", true}, {"work", "", false},
		{"work", "work", true}, {"main", "work", false},
		{"release/1.0", "stable,release/*", true}, {"release", "release/*", false}, {"work", "stable,release/[", true},
	} {
		w := newWorld(t)
		w.plan()
		if c.protect != "" {
			w.git("config plan.protect " + c.protect)
		}
		co := w.load()
		co.Branch = c.branch
		if err := co.RequirePlace(t.Context()); (err != nil) != c.protected {
			t.Errorf("%s, if plan.protect is %q: %v", c.branch, c.protect, err)
		} else if c.protected {
			refused(t, err, fault.ErrProtected, "steps never run on "+c.branch)
		}
	}
	w := newWorld(t)
	w.git("checkout -q --orphan first", "branch -q -D main", "config plan.protect first")
	w.planWith(twoSteps)
	fine(t, w.load().RequirePlace(t.Context()))
}

// A branch that is its own base is compared with its remote's value.
func TestOwnBase(t *testing.T) {
	w := newWorld(t)
	own := func() string {
		t.Helper()
		got, err := w.open().OwnBase(t.Context())
		fine(t, err)
		return got
	}
	if got := own(); got != "main" {
		t.Errorf("without a remote it is %q", got)
	}
	w.git("update-ref refs/remotes/origin/main HEAD")
	if got := own(); got != "origin/main" {
		t.Errorf("with origin it is %q", got)
	}
	w.git("remote add fork ../fork", "update-ref refs/remotes/fork/main HEAD", "branch -q --set-upstream-to=fork/main")
	if got := own(); got != "fork/main" {
		t.Errorf("with an upstream it is %q", got)
	}
	c := w.open()
	c.Doc = &journal.Document{Events: []journal.Event{{Kind: journal.Created, Start: journal.None}}}
	if got, err := c.OwnBase(t.Context()); got != "" || err != nil {
		t.Errorf("of a plan that makes the first commits it is %q, %v", got, err)
	}
}
