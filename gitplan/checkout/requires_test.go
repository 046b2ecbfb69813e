package checkout

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/testdata/texts"
)

// Steps run on a branch, in a work tree without an operation in progress, and not inside a session.
func TestRequirePlace(t *testing.T) {
	w := newWorld(t)
	w.plan()
	fine(t, w.load().RequirePlace(t.Context()))

	t.Setenv(proc.EnvDepth, "1")
	refused(t, w.open().RequirePlace(t.Context()), fault.ErrNested, proc.EnvDepth)
	t.Setenv(proc.EnvDepth, "")

	w.git("switch -q --detach")
	refused(t, w.open().RequirePlace(t.Context()), fault.ErrDetached, "HEAD is detached")

	w.git("switch -q work")
	w.commit("README", "ours\n")
	w.git("switch -q -c theirs main")
	w.commit("README", "theirs\n")
	for name, args := range map[string][]string{"merge": {"merge", "work"}, "rebase of theirs": {"rebase", "work"}} {
		exit, err := proc.Run(t.Context(), proc.Cmd{Name: "git", Args: args, Dir: w.dir})
		if err != nil || exit.Code == 0 {
			t.Fatalf("%v did not stop at the conflict: %v", args, err)
		}
		c := w.open()
		refused(t, c.RequirePlace(t.Context()), fault.ErrOperation, "a "+name+" is under way")
		refused(t, c.RequireNoOperation(), fault.ErrOperation, "a "+name+" is under way")
		w.git(args[0] + " --abort")
	}
	w.git("rebase --quiet main")
	fine(t, w.open().RequireNoOperation())

	bare := &world{T: t, dir: filepath.Join(t.TempDir(), "bare.git")}
	runGit(t, ".", "clone", "-q", "--bare", w.dir, bare.dir)
	refused(t, bare.open().RequirePlace(t.Context()), fault.ErrBare, "no work tree")
}

// A rebase detaches HEAD, but the plan is still found.
func TestLoadDuringARebase(t *testing.T) {
	w := newWorld(t)
	w.plan()
	w.does("a")
	if exit, err := proc.Run(t.Context(), proc.Cmd{Name: "git", Args: []string{"rebase", "--force-rebase", "--exec", "false", "main"}, Dir: w.dir}); err != nil || exit.Code == 0 {
		t.Fatalf("the rebase did not stop: %v", err)
	}
	refused(t, w.open().Load(t.Context()), fault.ErrOperation, "a rebase of work is under way")
}

// Nothing of a plan runs before a person has approved its meaning, all of which must be visible.
func TestRequireApproval(t *testing.T) {
	w := newWorld(t)
	id := w.plan()
	c := w.load()
	refused(t, c.RequireApproval(), fault.ErrUnapproved, "the plan of work is not approved")
	fine(t, integrity.Approve(c.Repo, id, c.Doc.Plan.Source), c.RequireApproval())

	fine(t, c.Revise(t.Context(), []byte(strings.Replace(string(c.Doc.Plan.Source), "[ ] b", "[x] b", 1))), c.RequireApproval())
	fine(t, c.Revise(t.Context(), []byte(strings.Replace(string(c.Doc.Plan.Source), "# ", "# Another title: ", 1))), c.RequireApproval())
	fine(t, c.Revise(t.Context(), []byte(texts.Steps("- [ ] a {#a}\n  - Do: something else\n"))))
	refused(t, c.RequireApproval(), fault.ErrUnapproved, "the changes of the plan are not approved: step a")
	fine(t, c.Revise(t.Context(), []byte(texts.Steps("- [ ] a\u202e {#a}\n"))))
	refused(t, c.RequireApproval(), fault.ErrHidden, "of the plan holds invisible characters: U+202E")
}

// An event that git plan neither wrote nor fetched here is not believed before a person has seen it.
func TestForeignEvent(t *testing.T) {
	w := newWorld(t)
	id := w.plan()
	c := w.load()
	fine(t, integrity.Approve(c.Repo, id, c.Doc.Plan.Source), c.RequireApproval())
	strange := func(step string) {
		t.Helper()
		tree := w.git("rev-parse refs/plans/" + id + "^{tree}")
		commit := runGit(t, w.dir, "commit-tree", tree, "-p", "refs/plans/"+id, "-m", "work 1/2 step "+step+": done",
			"-m", fmt.Sprintf("Plan-Event: done\nPlan-Step: %s/%s\nPlan-Head: none\nPlan-By: person", id, step))
		w.git("update-ref refs/plans/" + id + " " + commit)
	}
	strange("a")
	c = w.load()
	refused(t, c.RequireApproval(), fault.ErrUnapproved, "the plan has events that git plan did not write or fetch in this clone: 1; the last is: done a, by person")
	strange("b")
	c = w.load()
	refused(t, c.RequireApproval(), fault.ErrUnapproved, "did not write or fetch in this clone: 2;")
	if got := c.Store.Unverified(c.Doc); len(got) != 2 || got[0].Step() != "a" || got[1].Step() != "b" {
		t.Errorf("unwitnessed: %+v", got)
	}
	fine(t, journal.TrustTip(c.Repo, c.Doc.ID, "", c.Doc.Tip), c.RequireApproval())

	other := w.load()
	for range 20 { // more than there are tips
		w.happens(other, journal.Event{Kind: journal.Edited, By: journal.ByPerson}, nil)
	}
	fine(t, c.RequireApproval(), other.RequireApproval())
	strange("b")
	refused(t, c.RequireApproval(), fault.ErrUnapproved, "did not write or fetch in this clone: 1;")
	c.Doc.Events, c.Doc.Tip = append(slices.Clip(c.Doc.Events), journal.Event{Commit: "forged"}), "forged"
	if got := c.Store.Unverified(c.Doc); len(got) != len(c.Doc.Events) {
		t.Errorf("on no known event %d of %d are unwitnessed", len(got), len(c.Doc.Events))
	}
	c = w.load()

	journal.TipsNote(c.Repo, id).Remove() // a clone without its state files knows no event
	if got := c.Store.Unverified(c.Doc); len(got) != len(c.Doc.Events) {
		t.Errorf("%d of %d events are unwitnessed", len(got), len(c.Doc.Events))
	}
}

// A session that changed what it must not revokes the approval until a person approves again.
func TestUnseen(t *testing.T) {
	w := newWorld(t)
	w.plan()
	c := w.load()
	note := func(n TaskState) {
		t.Helper()
		fine(t, c.Task().Note().Save(n))
	}
	note(TaskState{Name: "a", Began: time.Now().Add(-time.Hour)})
	if text, ok := c.SetupChange(); ok {
		t.Errorf("nothing changed, but %q", text)
	}
	note(TaskState{Name: "a", Began: time.Now().Add(-time.Hour), Changed: []string{".git/config", "hooks"}})
	if text, ok := c.SetupChange(); !ok || text != ".git/config, hooks changed during the session at step a" {
		t.Errorf("got %q, %v", text, ok)
	}
	refused(t, c.RequireApproval(), fault.ErrSetupUnseen, ".git/config, hooks changed during the session at step a, and the plan has not been approved since")
	w.happens(c, journal.Event{Kind: journal.Approved, By: journal.ByPerson}, nil)
	if text, ok := c.SetupChange(); ok {
		t.Errorf("approved, but %q", text)
	}
}
