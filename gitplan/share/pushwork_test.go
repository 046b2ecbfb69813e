package share

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// working makes a commit on the branch work of a clone with the plan, and returns the checkout with the plan
// loaded.
func (c *clones) working(who string) *checkout.Checkout {
	c.t.Helper()
	c.git(c.dir(who), "checkout", "-q", "-b", "work")
	c.git(c.dir(who), "commit", "-q", "--allow-empty", "-m", "work of "+who)
	co := c.open(who)
	if err := co.Attach(c.t.Context(), c.id); err != nil {
		c.t.Fatal(err)
	}
	return c.loaded(who)
}

func (c *clones) loaded(who string) *checkout.Checkout {
	c.t.Helper()
	co := c.open(who)
	if err := co.Load(c.t.Context()); err != nil {
		c.t.Fatal(err)
	}
	return co
}

// value is the value of a ref in a repository, "" if there is none.
func (c *clones) value(dir, ref string) string {
	c.t.Helper()
	return c.git(dir, "for-each-ref", "--format=%(objectname)", ref)
}

// arrived fails the test unless the remote has the branch work and the plan as they are in a clone.
func (c *clones) arrived(who string) {
	c.t.Helper()
	for _, ref := range []string{"refs/heads/work", "refs/plans/" + c.id} {
		if here, there := c.value(c.dir(who), ref), c.value(c.remote, ref); here != there {
			c.t.Errorf("the remote has %s at %q, and %s at %q", ref, there, who, here)
		}
	}
}

var skipped = journal.Event{Kind: journal.Skipped, Steps: []string{"b"}, Head: journal.None}

// The branch is pushed under its own name, with the plan; the remote may lack both.
func TestPushWork(t *testing.T) {
	for _, atomic := range []string{"true", "false"} { // some hosts do not support --atomic
		c := newClones(t)
		c.git(c.remote, "config", "receive.advertiseAtomic", atomic)
		c.working("anna")
		c.happens("anna", 10, skipped)
		if remote, _, err := PushWork(t.Context(), c.loaded("anna"), Way{}); remote != "origin" || err != nil {
			t.Fatalf("to %s: %v", remote, err)
		}
		c.arrived("anna")
		if !HasPlan(t.Context(), c.loaded("anna"), "origin", c.loaded("anna").Doc) {
			t.Error("it is not recorded that the remote has the plan")
		}
		if _, _, err := PushWork(t.Context(), c.loaded("anna"), Way{}); err != nil {
			t.Errorf("a second time: %v", err)
		}
	}
}

// Changes of others to the plan are merged first; their commits on the branch are never overwritten, and then
// the plan is not pushed alone.
func TestPushWorkAfterOthers(t *testing.T) {
	for _, atomic := range []string{"true", "false"} {
		c := newClones(t)
		c.git(c.remote, "config", "receive.advertiseAtomic", atomic)
		c.working("anna")
		c.happens("ben", 10, journal.Event{Kind: journal.Blocked, Steps: []string{"a"}, Reason: "why"})
		c.push("ben")
		c.happens("anna", 20, skipped)
		anna := c.loaded("anna")
		if _, _, err := PushWork(t.Context(), anna, Way{}); err != nil {
			t.Fatalf("with atomic=%s: %v", atomic, err)
		}
		c.arrived("anna")
		if got := anna.Progress; got.Steps["a"].State != "blocked" || got.Steps["b"].State != "skipped" {
			t.Errorf("the plan is not read again: %+v", got.Steps)
		}

		c.fetch("ben")
		c.working("ben") // a branch of the same name, with other commits
		c.happens("ben", 30, journal.Event{Kind: journal.Reopened, Steps: []string{"b"}, Head: journal.None})
		before := c.value(c.remote, "refs/")
		_, _, err := PushWork(t.Context(), c.loaded("ben"), Way{})
		if !errors.Is(err, fault.ErrRemote) || !strings.Contains(err.Error(), "branch") {
			t.Errorf("with atomic=%s a branch that went elsewhere: %v", atomic, err)
		}
		if now := c.value(c.remote, "refs/"); now != before {
			t.Errorf("with atomic=%s the remote has\n%s\nand had\n%s", atomic, now, before)
		}
	}
}

// A plan with conflicting changes is for a person, and the branch waits with it.
func TestPushWorkWithConflicts(t *testing.T) {
	c := newClones(t)
	c.working("anna")
	for who, title := range map[string]string{"anna": "# Hers", "ben": "# His"} {
		co := c.open(who)
		d := c.load(who)
		err := co.Store.Apply(t.Context(), d, "work", journal.Change{Event: journal.Event{Kind: journal.Edited}, Edit: func(text []byte) ([]byte, error) {
			return []byte(strings.Replace(string(text), "# T", title, 1)), nil
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	c.push("ben")
	before := c.value(c.remote, "refs/")
	if _, _, err := PushWork(t.Context(), c.loaded("anna"), Way{}); !errors.Is(err, fault.ErrDiverged) || c.value(c.remote, "refs/") != before {
		t.Errorf("%v\n%s", err, c.value(c.remote, "refs/"))
	}
}

// A remote that refuses plans gets the branch alone; one that already has the plan gets both or neither.
func TestPushWorkWithoutPlans(t *testing.T) {
	for _, atomic := range []string{"true", "false"} {
		c := newClones(t)
		c.git(c.remote, "config", "receive.advertiseAtomic", atomic)
		co := c.working("anna")
		c.git(c.remote, "update-ref", "-d", "refs/plans/"+c.id)
		c.git(c.dir("anna"), "update-ref", "-d", "refs/plan-remotes/origin/"+c.id)
		refuses := filepath.Join(c.remote, "hooks", "update")
		if err := errors.Join(os.MkdirAll(filepath.Dir(refuses), 0o755), os.WriteFile(refuses, []byte("#!/bin/sh\ncase $1 in refs/plans/*) exit 1 ;; esac\n"), 0o755)); err != nil {
			t.Fatal(err)
		}
		_, noPlan, err := PushWork(t.Context(), co, Way{})
		if err != nil || !strings.Contains(noPlan, "declined") || c.value(c.remote, "refs/heads/work") != c.value(c.dir("anna"), "refs/heads/work") || c.value(c.remote, "refs/plans/") != "" {
			t.Errorf("with atomic=%s: %q, %v", atomic, noPlan, err)
		}
		if err := os.Remove(refuses); err != nil {
			t.Fatal(err)
		}
		if _, noPlan, err := PushWork(t.Context(), c.loaded("anna"), Way{}); err != nil || noPlan != "" {
			t.Errorf("with atomic=%s, later: %q, %v", atomic, noPlan, err)
		}
		c.arrived("anna")
	}
}

// The hooks of a given folder run in place of the person's, and may refuse.
func TestPushWorkRunsHooks(t *testing.T) {
	c := newClones(t)
	c.working("anna")
	hook := func(dir, text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, "pre-push"), []byte("#!/bin/sh\n"+text+"\n"), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	hook(filepath.Join(c.dir("anna"), ".git", "hooks"), "exit 1")
	if _, _, err := PushWork(t.Context(), c.loaded("anna"), Way{}); !errors.Is(err, fault.ErrRemote) || c.value(c.remote, "refs/heads/") != "" {
		t.Errorf("the person's hook refuses: %v", err)
	}
	ours := t.TempDir()
	hook(ours, "exit 0")
	if _, _, err := PushWork(t.Context(), c.loaded("anna"), Way{Hooks: ours}); err != nil {
		t.Errorf("git plan's hook does not: %v", err)
	}
	c.arrived("anna")
}

// A push that no person typed asks nothing on the terminal, neither by git nor by ssh; a person's own ssh
// command is not changed.
func TestPushWorkAsksNothing(t *testing.T) {
	c := newClones(t)
	c.working("anna")
	t.Setenv("GIT_TERMINAL_PROMPT", "1")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", "Basic")
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(server.Close)
	bin, own := t.TempDir(), filepath.Join(t.TempDir(), "own")
	for _, program := range []string{filepath.Join(bin, "ssh"), own} {
		fine(t, os.WriteFile(program, []byte("#!/bin/sh\necho \"${0##*/} $GIT_TERMINAL_PROMPT $*\" >&2\nexit 1\n"), 0o755))
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, with := range [][3]string{
		{"remote.origin.url", server.URL, "terminal prompts disabled"},
		{"remote.origin.url", "ssh://host.example/x", "ssh 0 -oBatchMode=yes"},
		{"core.sshCommand", own, "own 0 host.example"},
	} {
		c.git(c.dir("anna"), "config", with[0], with[1])
		anna := c.loaded("anna")
		_, _, err := PushWork(t.Context(), anna, Way{Env: Unasked(anna)})
		if !errors.Is(err, fault.ErrRemote) || !strings.Contains(err.Error(), with[2]) {
			t.Errorf("%s: %v", with[1], err)
		}
	}
}

// Nothing is pushed along because of the person's configuration: no tag, no other branch; and a mirror's
// other branches stay.
func TestPushWorkPushesNothingElse(t *testing.T) {
	c := newClones(t)
	c.working("anna")
	for _, args := range []string{"branch mine", "tag -a -m x v1", "config push.followTags true", "config push.default matching", "config remote.origin.mirror true"} {
		c.git(c.dir("anna"), strings.Fields(args)...)
	}
	c.git(c.remote, "update-ref", "refs/heads/theirs", c.value(c.remote, "refs/plans/"+c.id))
	_, _, err := PushWork(t.Context(), c.loaded("anna"), Way{})
	fine(t, err)
	if got, want := c.git(c.remote, "for-each-ref", "--format=%(refname)"), "refs/heads/theirs\nrefs/heads/work\nrefs/plans/"+c.id; got != want {
		t.Errorf("the remote has\n%s\nwant\n%s", got, want)
	}
}

// Nothing is pushed or fetched without a remote, with an unreachable one, or by a session.
func TestNothingIsShared(t *testing.T) {
	c := newClones(t)
	c.working("anna")
	t.Setenv(proc.EnvDepth, "1")
	_, _, err := PushWork(t.Context(), c.loaded("anna"), Way{})
	if !errors.Is(err, fault.ErrNested) {
		t.Errorf("by a session: %v", err)
	}
	t.Setenv(proc.EnvDepth, "")
	c.git(c.dir("anna"), "remote", "set-url", "origin", c.remote+"-gone")
	_, _, pushed := PushWork(t.Context(), c.loaded("anna"), Way{})
	_, all := Push(t.Context(), c.loaded("anna"), "origin", nil)
	_, fetched := Fetch(t.Context(), c.loaded("anna"), "origin", Neither)
	for what, err := range map[string]error{"branch and plan": pushed, "plans": all, "fetch": fetched} {
		if !errors.Is(err, fault.ErrRemote) {
			t.Errorf("%s of a missing remote: %v", what, err)
		}
	}
	if _, err := Push(t.Context(), c.loaded("anna"), "origin", []string{"gone-0000"}); !errors.Is(err, fault.ErrPlanGone) {
		t.Errorf("a plan that is not here: %v", err)
	}
	c.git(c.dir("anna"), "remote", "remove", "origin")
	if _, _, err := PushWork(t.Context(), c.loaded("anna"), Way{}); !errors.Is(err, fault.ErrNoRemote) {
		t.Errorf("without a remote: %v", err)
	}
}
