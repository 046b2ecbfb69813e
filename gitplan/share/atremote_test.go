package share

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/git-plan/git-plan/gitplan/journal"
)

// The remote's commits of a branch are known without contacting it, and so is the command that pushes the
// rest.
func TestLookAtRemote(t *testing.T) {
	c := newClones(t)
	dir := c.dir("anna")
	c.git(dir, "commit", "-q", "--allow-empty", "-m", "first")
	look := func(what string, want AtRemote) {
		t.Helper()
		co := c.open("anna")
		if diff := cmp.Diff(want, LookAtRemote(t.Context(), co)); diff != "" {
			t.Errorf("%s:\n%s", what, diff)
		}
	}
	look("nothing is pushed, but git clone set an upstream", AtRemote{Name: "origin", Folder: true, Push: "git push"})
	c.git(dir, "switch", "-q", "-c", "work")
	look("a new branch", AtRemote{Name: "origin", Folder: true, Push: "git push -u origin HEAD"})
	c.git(dir, "config", "push.autoSetupRemote", "true")
	look("a new branch whose upstream git sets up", AtRemote{Name: "origin", Folder: true, Push: "git push"})
	c.git(dir, "config", "--unset", "push.autoSetupRemote")

	c.git(dir, "push", "-q", "origin", "work")
	look("pushed without an upstream", AtRemote{Name: "origin", Folder: true, Push: "git push -u origin HEAD", Has: true})
	c.git(dir, "branch", "-q", "--set-upstream-to=origin/work")
	look("pushed", AtRemote{Name: "origin", Folder: true, Push: "git push", Has: true})
	c.git(dir, "commit", "-q", "--allow-empty", "-m", "second")
	look("one commit more", AtRemote{Name: "origin", Folder: true, Push: "git push"})
	c.git(dir, "push", "-q")
	c.git(dir, "reset", "-q", "--hard", "HEAD~")
	look("taken back", AtRemote{Name: "origin", Folder: true, Push: "git push", More: "work"})
	c.git(dir, "commit", "-q", "--allow-empty", "-m", "second, reworded")
	look("rewritten", AtRemote{Name: "origin", Folder: true, Push: "git push", More: "work", Rewritten: true})

	c.git(dir, "checkout", "-q", "--detach")
	look("detached", AtRemote{Push: "git push"})
	c.git(dir, "switch", "-q", "work")
	c.git(dir, "remote", "remove", "origin")
	look("without a remote", AtRemote{Push: "git push"})
}

// Which remote has the current plan is known as of the last push or fetch.
func TestRemotesWithThePlan(t *testing.T) {
	c := newClones(t)
	c.working("anna")
	standing := func(what string, has, lacks bool) {
		t.Helper()
		if at := LookAtRemote(t.Context(), c.loaded("anna")); at.HasPlan != has || at.LacksPlan != lacks {
			t.Errorf("%s: the remote has it: %v; it has more: %v", what, at.HasPlan, at.LacksPlan)
		}
	}
	standing("pushed", true, false)
	c.happens("anna", 10, journal.Event{Kind: journal.Approved})
	standing("approved since, which counts here only", true, false)
	c.happens("anna", 20, skipped)
	standing("changed since", false, false)
	c.happens("ben", 30, journal.Event{Kind: journal.Blocked, Steps: []string{"a"}, Reason: "why"})
	c.push("ben")
	standing("changed by ben, which nobody knows here", false, false)
	c.git(c.dir("anna"), "fetch", "-q", "origin", "+refs/plans/*:"+seenPrefix("origin")+"*")
	standing("changed by both", false, true)

	if got := KnowPlan(t.Context(), c.open("anna"), c.id); len(got) != 1 || got[0] != "origin" {
		t.Errorf("the plan is at %v", got)
	}
	if got := KnowPlan(t.Context(), c.open("anna"), "other-0000"); len(got) != 0 {
		t.Errorf("a plan that was never pushed is at %v", got)
	}
}

// Nothing comes after a branch that was merged into its base.
func TestMergedInto(t *testing.T) {
	c := newClones(t)
	dir := c.dir("anna")
	into := func(what, want string) {
		t.Helper()
		if got := MergedInto(t.Context(), c.open("anna")); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	into("an unborn branch", "")
	c.git(dir, "commit", "-q", "--allow-empty", "-m", "first")
	into("the base itself", "")
	c.git(dir, "switch", "-q", "-c", "work")
	c.git(dir, "commit", "-q", "--allow-empty", "-m", "second")
	into("not merged", "")
	c.git(dir, "branch", "-q", "-f", "main", "work")
	into("merged", "main")
	c.git(dir, "branch", "-q", "-m", "main", "other")
	into("the base is gone", "")
}
