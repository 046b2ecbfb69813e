package share

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/testdata/texts"
)

func fine(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// clones are a bare remote and two clones of it, in a fixed world.
type clones struct {
	t      *testing.T
	remote string
	id     string // of the plan that both have
}

func newClones(t *testing.T) *clones {
	t.Helper()
	for k, v := range map[string]string{
		"HOME": t.TempDir(), "GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C", "GIT_PLAN_DEPTH": "",
		"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.com",
	} {
		t.Setenv(k, v)
	}
	c := &clones{t: t, remote: filepath.Join(t.TempDir(), "remote.git")}
	c.git(".", "init", "-q", "--bare", "-b", "main", c.remote)
	for _, who := range []string{"anna", "ben"} {
		c.git(".", "clone", "-q", c.remote, c.dir(who))
	}
	anna := c.open("anna")
	doc, err := anna.Store.Create(t.Context(), []byte(texts.Steps("- [ ] a {#a}\n- [ ] b {#b}\n")), "work", "main", journal.Event{Start: journal.None, By: journal.ByPerson})
	if err != nil {
		t.Fatal(err)
	}
	c.id = doc.ID
	c.push("anna")
	c.fetch("ben")
	return c
}

func (c *clones) dir(who string) string { return filepath.Join(filepath.Dir(c.remote), who) }

func (c *clones) git(dir string, args ...string) string {
	c.t.Helper()
	out, err := gitIn(c.t.Context(), dir, "", args...)
	if err != nil {
		c.t.Fatal(err)
	}
	return out
}

// gitIn runs git in a folder, with a text on its standard input.
func gitIn(ctx context.Context, dir, stdin string, args ...string) (string, error) {
	var out, said proc.Tail
	exit, err := proc.Run(ctx, proc.Cmd{Name: "git", Args: args, Dir: dir, Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &said})
	if err == nil && exit.Code != 0 {
		err = fmt.Errorf("git %s: %s", strings.Join(args, " "), said.String())
	}
	return strings.TrimSpace(out.String()), err
}

func (c *clones) open(who string) *checkout.Checkout {
	c.t.Helper()
	c.t.Chdir(c.dir(who))
	co, err := checkout.Open(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(co.Close)
	return co
}

func (c *clones) load(who string) *journal.Document {
	c.t.Helper()
	d, err := c.open(who).Store.Load(c.t.Context(), c.id)
	if err != nil {
		c.t.Fatal(err)
	}
	return d
}

// happens writes an event into a clone's plan, at a time in seconds.
func (c *clones) happens(who string, at int, e journal.Event) {
	c.t.Helper()
	c.t.Setenv("GIT_COMMITTER_DATE", fmt.Sprintf("%d +0000", 2_000_000_000+at))
	co := c.open(who)
	d, err := co.Store.Load(c.t.Context(), c.id)
	if err == nil {
		err = co.Store.Apply(c.t.Context(), d, "work", journal.Change{Event: e})
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

func (c *clones) push(who string) {
	c.t.Helper()
	pushed, err := Push(c.t.Context(), c.open(who), "origin", nil)
	for _, p := range pushed {
		err = errors.Join(err, p.Err)
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

func (c *clones) fetch(who string) map[string]Fetched {
	c.t.Helper()
	all, err := Fetch(c.t.Context(), c.open(who), "origin", Neither)
	if err != nil {
		c.t.Fatal(err)
	}
	out := map[string]Fetched{}
	for _, f := range all {
		out[f.ID] = f
	}
	return out
}

// Of concurrent events on two sides the newer one counts; an event that follows another is newer than it,
// whatever the clocks say.
func TestLastEventAfterAMerge(t *testing.T) {
	done, reopened := journal.Event{Kind: journal.Done, Steps: []string{"a"}, Head: journal.None}, journal.Event{Kind: journal.Reopened, Steps: []string{"a"}, Head: journal.None}
	other := journal.Event{Kind: journal.Skipped, Steps: []string{"b"}, Head: journal.None}
	for _, c := range []struct {
		name string
		play func(c *clones)
		want journal.Kind
	}{
		{"done here, reopened there later", func(c *clones) {
			c.happens("anna", 10, done)
			c.happens("ben", 20, reopened)
		}, journal.Reopened},
		{"reopened there, done here later", func(c *clones) {
			c.happens("ben", 10, reopened)
			c.happens("anna", 20, done)
		}, journal.Done},
		{"reopened after a fetch, by a slow clock", func(c *clones) {
			c.happens("anna", 10, done)
			c.push("anna")
			c.fetch("ben")
			c.happens("ben", 5, reopened)
			c.happens("anna", 15, other)
		}, journal.Reopened},
		{"a clock that is reset between two events", func(c *clones) {
			c.happens("ben", 30, done)
			c.happens("ben", 4, reopened)
			c.happens("anna", 20, other)
		}, journal.Reopened},
		{"a clock far ahead on the other side", func(c *clones) {
			c.happens("ben", 900_000, other)
			c.happens("anna", 10, reopened)
			c.happens("anna", 20, done)
		}, journal.Done},
	} {
		t.Run(c.name, func(t *testing.T) {
			both := newClones(t)
			c.play(both)
			both.push("ben")
			t.Setenv("GIT_COMMITTER_DATE", "2000000001 +0000") // the merger's clock decides nothing
			if f := both.fetch("anna")[both.id]; f.End != FetchedMerged {
				t.Fatalf("the plan was not merged: %+v", f)
			}
			both.push("anna")
			both.fetch("ben")
			for _, who := range []string{"anna", "ben"} {
				d := both.load(who)
				if got := progress.LastEvents(d.Events)["a"].Kind; got != c.want {
					t.Errorf("for %s the last event is %s, want %s", who, got, c.want)
				}
				if d.Events[0].Kind != journal.Created || d.Events[len(d.Events)-1].Reason != "merged from origin" {
					t.Errorf("the events of %s begin with %s and end with %q", who, d.Events[0].Kind, d.Events[len(d.Events)-1].Reason)
				}
				if state := progress.From(d.Plan, d.Events, nil, nil).Steps["a"].State; (state == progress.StateDone) != (c.want == journal.Done) {
					t.Errorf("for %s step a is %s", who, state)
				}
			}
		})
	}
}

// The ledger of a review is that of the newer review.
func TestNewerReviewIsKept(t *testing.T) {
	c := newClones(t)
	for at, who := range map[int]string{10: "ben", 20: "anna"} {
		t.Setenv("GIT_COMMITTER_DATE", fmt.Sprintf("%d +0000", 2_000_000_000+at))
		co := c.open(who)
		d := c.load(who)
		change := journal.Change{Event: journal.Event{Kind: journal.Reviewed, Reason: "clean"}, Files: map[string][]byte{journal.ReviewFile: []byte(who)}}
		if err := co.Store.Apply(t.Context(), d, "work", change); err != nil {
			t.Fatal(err)
		}
	}
	c.push("anna")
	c.fetch("ben")
	data, err := c.open("ben").Store.File(t.Context(), c.load("ben"), journal.ReviewFile)
	if err != nil || string(data) != "anna" {
		t.Errorf("the ledger is %q, %v", data, err)
	}
}

// commitOf makes a commit in the remote that has a text as its plan.
func (c *clones) commitOf(text, message string) string {
	c.t.Helper()
	blob, err := gitIn(c.t.Context(), c.remote, text, "hash-object", "-w", "--stdin")
	if err != nil {
		c.t.Fatal(err)
	}
	tree, err := gitIn(c.t.Context(), c.remote, "100644 blob "+blob+"\tplan.md\n", "mktree")
	if err != nil {
		c.t.Fatal(err)
	}
	commit, err := gitIn(c.t.Context(), c.remote, message, "commit-tree", tree)
	if err != nil {
		c.t.Fatal(err)
	}
	return commit
}

// A ref of a remote below refs/plans is accepted only if it is a plan of that name; a refused one stops
// nothing else.
func TestInvalidPlansAreRefused(t *testing.T) {
	c := newClones(t)
	front := func(id string) string { return "---\nplan: " + id + "\n---\n\n" }
	good := front("good-0000") + texts.Steps("- [ ] a\n")
	ok := c.commitOf(good, "created")
	blob, err := gitIn(t.Context(), c.remote, good, "hash-object", "-w", "--stdin")
	if err != nil {
		t.Fatal(err)
	}
	c.git(c.remote, "tag", "-a", "-m", "x", "t", c.commitOf(front("tag-0000")+texts.Steps("- [ ] a\n"), "created"))
	for name, oid := range map[string]string{
		"good-0000":   ok,
		"other-0000":  ok, // good's text under another name
		"Bad_Name":    ok,
		"deep/er":     ok,
		"blob-0000":   blob,
		"tag-0000":    c.git(c.remote, "rev-parse", "refs/tags/t"),
		"text-0000":   c.commitOf(front("text-0000")+"# no steps\n", "created"),
		"nul-0000":    c.commitOf(front("nul-0000")+texts.Steps("- [ ] a\x00\n"), "created"),
		"big-0000":    c.commitOf(front("big-0000")+texts.Steps("- [ ] a\n\n  "+strings.Repeat("x", maxPlan)+"\n"), "created"),
		"front-0000":  c.commitOf("---\nplan: \"front-0000\\nx\"\n---\n"+texts.Steps("- [ ] a\n"), "created"),
		"escape-0000": c.commitOf("---\nplan: \"escape-0000\\e[31m\"\n---\n"+texts.Steps("- [ ] a\n"), "created"),
	} {
		c.git(c.remote, "update-ref", "refs/plans/"+name, oid)
	}
	tree := c.git(c.remote, "mktree")
	bare, err := gitIn(t.Context(), c.remote, "x", "commit-tree", tree)
	if err != nil {
		t.Fatal(err)
	}
	c.git(c.remote, "update-ref", "refs/plans/empty-0000", bare)
	small, err := gitIn(t.Context(), c.remote, front("long-0000")+texts.Steps("- [ ] a\n"), "hash-object", "-w", "--stdin")
	large, err2 := gitIn(t.Context(), c.remote, strings.Repeat("x", maxPlan+1), "hash-object", "-w", "--stdin")
	fine(t, errors.Join(err, err2))
	tree, err = gitIn(t.Context(), c.remote, "100644 blob "+small+"\tplan.md\n100644 blob "+large+"\treview.json\n", "mktree")
	fine(t, err)
	c.git(c.remote, "update-ref", "refs/plans/long-0000", c.git(c.remote, "commit-tree", "-m", "x", tree))
	unrelated := c.commitOf(front(c.id)+texts.Steps("- [ ] a\n"), "created")
	c.git(c.remote, "update-ref", "refs/plans/"+c.id, unrelated)

	before := c.git(c.dir("ben"), "for-each-ref", "refs/plans/"+c.id)
	got := c.fetch("ben")
	if f := got["good-0000"]; f.End != FetchedNew || f.Approved {
		t.Errorf("the good plan: %+v", f)
	}
	if len(got) != 14 {
		t.Errorf("%d plans are reported, want 14", len(got))
	}
	for id, f := range got {
		if id == "good-0000" {
			continue
		}
		if f.End != FetchedNot || !errors.Is(f.Err, fault.ErrRefused) {
			t.Errorf("%s: %s, %v", id, f.End, f.Err)
		}
		if f.Err != nil && strings.ContainsAny(f.Err.Error(), "\x1b\n") {
			t.Errorf("%s: the message %q drives a terminal", id, f.Err)
		}
	}
	if diff := cmp.Diff(before, c.git(c.dir("ben"), "for-each-ref", "refs/plans/"+c.id)); diff != "" {
		t.Errorf("the plan here was changed: %s", diff)
	}
	if refs := strings.Fields(c.git(c.dir("ben"), "for-each-ref", "--format=%(refname)", "refs/plans")); len(refs) != 2 {
		t.Errorf("the plans are %v", refs)
	}
	// The second time nothing else happens.
	if f := c.fetch("ben")["good-0000"]; f.End != FetchedSame {
		t.Errorf("the good plan, again: %+v", f)
	}
}

// An event of a remote is untrusted data: invalid values are dropped.
func TestHostileEventsAreSanitised(t *testing.T) {
	c := newClones(t)
	text := "---\nplan: bad-0000\nbranch: work\n---\n\n" + texts.Steps("- [ ] a {#a}\n")
	tip := c.commitOf(text, strings.Join([]string{"work 0/1 \x1b]0;x\a", "",
		"Plan-Event: created", "Plan-Start: --output=stolen", "Plan-Head: refs/heads/main", "Plan-Tree: HEAD^{tree}", "Plan-Kept: refs/heads/main", "Plan-Imported: a/../../b",
		"Plan-Step: bad-0000/../../x", "Plan-Step: bad-0000/a", "Plan-Attempt: 9223372036854775807", "Plan-Tokens: -5 in, -5 cached, -5 out",
		"Plan-Cost: NaN USD", "Plan-Duration: -5h", "Plan-Sessions: 1 fixer; -5 in, 0 cached, 0 out; cost unknown, -5h; x", ""}, "\n"))
	c.git(c.remote, "update-ref", "refs/plans/bad-0000", tip)
	if f := c.fetch("ben")["bad-0000"]; f.End != FetchedNew {
		t.Fatalf("%+v", f)
	}
	ben := c.open("ben")
	d, err := ben.Store.Load(t.Context(), "bad-0000")
	if err != nil {
		t.Fatal(err)
	}
	want := journal.Event{Kind: journal.Created, Steps: []string{"a"}, Attempt: 1_000_000, Usage: []journal.RoleUsage{{Role: agent.Fixer, Agent: "x", Sessions: 1}}}
	got := d.Events[0]
	got.Commit, got.Time, got.Headline = "", want.Time, ""
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	ben.Doc, ben.Branch = d, "work"
	if err := ben.Derive(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat("stolen"); err == nil {
		t.Error("an event wrote a file")
	}
}

// A plan with a running session is not moved.
func TestRunningPlanIsNotMoved(t *testing.T) {
	c := newClones(t)
	skipped := journal.Event{Kind: journal.Skipped, Steps: []string{"b"}, Head: journal.None}
	c.happens("anna", 10, skipped)
	c.push("anna")
	for _, ahead := range []bool{false, true} { // to be moved forward, and to be merged
		if ahead {
			c.happens("ben", 20, skipped)
		}
		before := c.load("ben").Tip
		lock, err := journal.Acquire(c.open("ben").Repo, c.id, "step")
		if err != nil {
			t.Fatal(err)
		}
		if f := c.fetch("ben")[c.id]; !errors.Is(f.Err, fault.ErrBusy) || c.load("ben").Tip != before {
			t.Errorf("with a running worker: %+v", f)
		}
		lock.Release()
	}
	if f := c.fetch("ben")[c.id]; f.End != FetchedMerged {
		t.Errorf("afterwards: %+v", f)
	}
}

// After an interrupted fetch the next one completes it.
func TestInterruptedFetchIsCompleted(t *testing.T) {
	c := newClones(t)
	c.git(c.dir("ben"), "update-ref", "-d", "refs/plans/"+c.id)
	if f := c.fetch("ben")[c.id]; f.End != FetchedNew {
		t.Errorf("%+v", f)
	}
}

// A fetch takes newer events of the remote, keeps newer ones here, and deletes nothing.
func TestResultsOfAFetch(t *testing.T) {
	c := newClones(t)
	found := func(want FetchEnd) {
		t.Helper()
		tip := c.load("ben").Tip
		f := c.fetch("ben")[c.id]
		if f.End != want || f.Err != nil {
			t.Errorf("got %s, %v, want %s", f.End, f.Err, want)
		}
		if moved := c.load("ben").Tip != tip; moved != (f.Plan != nil) {
			t.Errorf("%s: moved: %v, plan: %v", want, moved, f.Plan)
		}
	}
	found(FetchedSame)
	c.happens("ben", 10, skipped)
	found(FetchedAhead)
	c.push("ben")
	c.fetch("anna")
	c.happens("anna", 20, journal.Event{Kind: journal.Reopened, Steps: []string{"b"}, Head: journal.None})
	c.push("anna")
	found(FetchedForward)
	ben := c.open("ben")
	fine(t, integrity.Approve(ben.Repo, c.id, c.load("ben").Plan.Source))
	c.happens("ben", 30, skipped)
	c.happens("anna", 40, journal.Event{Kind: journal.Blocked, Steps: []string{"a"}, Reason: "why"})
	c.push("anna")
	if f := c.fetch("ben")[c.id]; f.End != FetchedMerged || !f.Approved {
		t.Errorf("boxes and states need no approval: %+v", f)
	}
	c.git(c.remote, "update-ref", "-d", "refs/plans/"+c.id)
	found(FetchedGone)
	if f, known := c.fetch("ben")[c.id]; known {
		t.Errorf("deleted a second time: %+v", f)
	}
}

// A push never overwrites another one, whether that was not fetched, or fetched and not merged.
func TestPushNeverOverwrites(t *testing.T) {
	c := newClones(t)
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
	c.push("anna")
	hers := c.git(c.remote, "rev-parse", "refs/plans/"+c.id)
	for _, moment := range []string{"not fetched", "fetched and not merged"} {
		pushed, err := Push(t.Context(), c.open("ben"), "origin", []string{c.id})
		if err != nil || len(pushed) != 1 || !errors.Is(pushed[0].Err, fault.ErrBehind) {
			t.Errorf("%s: %+v, %v", moment, pushed, err)
		}
		if now := c.git(c.remote, "rev-parse", "refs/plans/"+c.id); now != hers {
			t.Fatalf("%s: her push was overwritten", moment)
		}
		if f := c.fetch("ben")[c.id]; !errors.Is(f.Err, fault.ErrDiverged) || f.Conflicts[0].Part != "the title" {
			t.Errorf("%s: %+v", moment, f)
		}
	}
}

// Each plan that changed costs at most three more git processes.
func TestSharingManyPlansStartsFewProcesses(t *testing.T) {
	c := newClones(t)
	count := func(do func()) int64 {
		before := proc.Started.Load()
		do()
		return proc.Started.Load() - before
	}
	var pushes, fetches, forwards [2]int64
	for i, n := range []int{1, 30} {
		anna := c.open("anna")
		var docs []*journal.Document
		for range n {
			d, err := anna.Store.Create(t.Context(), []byte(texts.Steps("- [ ] a\n")), "work", "main", journal.Event{Start: journal.None})
			if err != nil {
				t.Fatal(err)
			}
			docs = append(docs, d)
		}
		pushes[i] = count(func() { c.push("anna") })
		fetches[i] = count(func() { c.fetch("ben") })
		for _, d := range docs {
			if err := anna.Store.Apply(t.Context(), d, "work", journal.Change{Event: journal.Event{Kind: journal.Approved}}); err != nil {
				t.Fatal(err)
			}
		}
		c.push("anna")
		forwards[i] = count(func() { c.fetch("ben") })
	}
	for what, n := range map[string][2]int64{"push": pushes, "fetch of new plans": fetches, "fetch of more": forwards} {
		if n[1] > n[0]+3*29 || n[0] > 12 {
			t.Errorf("%s starts %d processes for 1 plan and %d for 30", what, n[0], n[1])
		}
	}
}

// A repository with SHA-256 objects shares plans as well.
func TestSharingInSHA256(t *testing.T) {
	c := newClones(t)
	for _, name := range []string{"long.git", "long"} {
		args := []string{"init", "-q", "--object-format=sha256", c.dir(name)}
		if name == "long.git" {
			args = append(args[:2:2], append([]string{"--bare"}, args[2:]...)...)
		}
		c.git(".", args...)
	}
	c.git(c.dir("long"), "remote", "add", "origin", c.dir("long.git"))
	co := c.open("long")
	d, err := co.Store.Create(t.Context(), []byte(texts.Steps("- [ ] a\n")), "work", "", journal.Event{Start: journal.None})
	if err != nil {
		t.Fatal(err)
	}
	c.push("long")
	if err := co.Repo.DeleteRef(t.Context(), journal.RefPrefix+d.ID, d.Tip, "x"); err != nil {
		t.Fatal(err)
	}
	if f := c.fetch("long")[d.ID]; f.End != FetchedNew {
		t.Errorf("%+v", f)
	}
	if _, err := co.Repo.Resolve(t.Context(), journal.RefPrefix+d.ID); errors.Is(err, git.ErrMissing) {
		t.Error("the plan did not come back")
	}
}
