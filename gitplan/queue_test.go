package gitplan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/testdata/repository"
)

// repo is a repository with main checked out, and branches that have plans.
type repo struct {
	*testing.T
	dir   string
	co    *checkout.Checkout
	plans []QueuedPlan
}

func withPlans(t *testing.T, branches ...string) *repo {
	t.Helper()
	r := &repo{T: t, dir: repository.New(t, "-b", "main")}
	t.Chdir(r.dir)
	r.git("commit", "-q", "--allow-empty", "-m", "begin")
	r.open()
	for _, b := range branches {
		b, base, _ := strings.Cut(b, " from ")
		r.git("branch", b)
		doc, err := r.co.Store.Create(t.Context(), []byte("# "+b+"\n\n## Steps\n\n- [ ] **A** {#a}\n"), b, cmp.Or(base, "main"), journal.Event{Start: r.git("rev-parse", "main"), By: journal.ByPerson})
		if err == nil {
			err = integrity.Approve(r.co.Repo, doc.ID, doc.Plan.Source)
		}
		if err != nil {
			t.Fatal(err)
		}
		r.git("config", integrity.PlanKey(b), doc.ID)
		r.plans = append(r.plans, QueuedPlan{Branch: b, ID: doc.ID})
	}
	r.open()
	return r
}

func (r *repo) git(args ...string) string { r.Helper(); return repository.Ask(r.T, args...) }

func (r *repo) open() {
	r.Helper()
	co, err := checkout.Open(r.Context())
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(co.Close)
	r.co = co
}

// ran is a plan that ran, and where.
type ran struct {
	branch, dir string
	clones      bool
}

// all runs all plans with a function, and returns which ran, by branch, and their results.
func (r *repo) all(run func(p QueuedPlan, dir string) (int, error)) (map[string]ran, []QueueEnd) {
	r.Helper()
	seen := map[string]ran{}
	q := &Queue{Checkout: r.co, Run: func(_ context.Context, p QueuedPlan, dir string, clones bool) (int, error) {
		seen[p.Branch] = ran{p.Branch, dir, clones}
		return run(p, dir)
	}}
	return seen, q.All(r.Context(), r.plans, func() bool { return false })
}

func (r *repo) trees() int {
	return strings.Count(r.git("worktree", "list", "--porcelain"), "worktree ")
}

// Each plan runs where its branch is: here, in a work tree of the person's, or in a temporary one that is
// removed afterwards.
func TestEachPlanRunsWhereItsBranchIs(t *testing.T) {
	r := withPlans(t, "here", "there", "nowhere")
	other := filepath.Join(t.TempDir(), "there")
	r.git("worktree", "add", "-q", other, "there")
	r.git("switch", "-q", "here")
	r.git("config", "plan.worktreeSetup", "true")
	r.open()
	seen, ended := r.all(func(p QueuedPlan, dir string) (int, error) {
		if got := repository.Ask(t, "-C", dir, "branch", "--show-current"); got != p.Branch {
			t.Errorf("%s runs on %s", p.Branch, got)
		}
		return 0, nil
	})
	made := r.co.Repo.PlanDir(r.plans[2].ID, "tree")
	for branch, want := range map[string]ran{"here": {"here", r.dir, false}, "there": {"there", other, false}, "nowhere": {"nowhere", made, true}} {
		if got := seen[branch]; disk.Real(got.dir) != disk.Real(want.dir) && want.dir != made || got.clones != want.clones {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	for _, e := range ended {
		if !e.Begun || e.Err != nil || e.Left != "" {
			t.Errorf("%+v", e)
		}
	}
	if _, err := os.Stat(made); err == nil || r.trees() != 2 {
		t.Errorf("%s is left", made)
	}
}

// A work tree is kept if it contains files, or its run was not completed; the next queue continues there.
func TestWorkTreeStaysIfNeeded(t *testing.T) {
	r := withPlans(t, "dirty", "busy", "killed", "fine")
	codes := map[string]int{"busy": 5, "killed": 137, "fine": 3}
	run := func(p QueuedPlan, dir string) (int, error) {
		if p.Branch == "dirty" {
			return 0, os.WriteFile(filepath.Join(dir, "new.txt"), []byte("mine\n"), 0o644)
		}
		return codes[p.Branch], nil
	}
	_, ended := r.all(run)
	for _, e := range ended {
		if stays := e.Branch != "fine"; stays != (e.Left != "") || e.Code != codes[e.Branch] {
			t.Errorf("%s ended with %d and left %q", e.Branch, e.Code, e.Left)
		}
	}
	clear(codes)
	seen, ended := r.all(run)
	for _, e := range ended {
		if left := e.Left != ""; left != (e.Branch == "dirty") || disk.Real(seen["dirty"].dir) != disk.Real(ended[0].Left) {
			t.Errorf("again: %s left %q", e.Branch, e.Left)
		}
	}
}

// Git remembers a work tree whose folder was removed: it is created again, and one of the person's is named.
func TestRemovedWorkTreeIsCreatedAgain(t *testing.T) {
	r := withPlans(t, "a")
	_, ended := r.all(func(QueuedPlan, string) (int, error) { return 137, nil })
	if err := os.RemoveAll(ended[0].Left); err != nil || ended[0].Left == "" {
		t.Fatal(ended, err)
	}
	if _, ended = r.all(func(QueuedPlan, string) (int, error) { return 0, nil }); !ended[0].Begun || ended[0].Left != "" || r.trees() != 1 {
		t.Errorf("%+v", ended)
	}
	theirs := filepath.Join(t.TempDir(), "theirs")
	r.git("worktree", "add", "-q", theirs, "a")
	if err := os.RemoveAll(theirs); err != nil {
		t.Fatal(err)
	}
	if _, ended = r.all(func(QueuedPlan, string) (int, error) { return 0, nil }); ended[0].Begun || !strings.HasSuffix(fmt.Sprint(ended[0].Err), "theirs is gone (git worktree prune)") {
		t.Errorf("%+v", ended)
	}
}

// No plan starts once the queue should stop, and for a deleted branch the reason is reported.
func TestPlansThatDoNotStart(t *testing.T) {
	r := withPlans(t, "a", "gone", "c")
	r.git("update-ref", "-d", "refs/heads/gone")
	stop := false
	q := &Queue{Checkout: r.co, Run: func(context.Context, QueuedPlan, string, bool) (int, error) {
		return 0, nil
	}}
	ended := q.All(t.Context(), r.plans[:2], func() bool { return stop })
	if !ended[0].Begun || ended[1].Begun || !errors.Is(ended[1].Err, fault.ErrBusy) {
		t.Errorf("%+v", ended)
	}
	stop = true
	if ended := q.All(t.Context(), r.plans, func() bool { return stop }); ended[0].Begun || ended[2].Begun || ended[0].Err != nil || r.trees() != 1 {
		t.Errorf("%+v", ended)
	}
}

// A plan whose base is another's branch runs after that one and starts from its result; it waits if that one
// failed, and so do plans based on it, while others continue. A branch with commits of its own is not moved.
func TestPlanStartsFromTheResultOfItsBase(t *testing.T) {
	r := withPlans(t, "c from b", "b from a", "a", "mine from a", "x from bad", "y from x", "bad", "begun from a")
	r.git("switch", "-q", "mine")
	r.git("commit", "-q", "--allow-empty", "-m", "mine")
	began, _ := PlanOf(r.co, "begun")
	doc, err := r.co.Store.Load(t.Context(), began.ID)
	if err != nil || r.co.Store.Apply(t.Context(), doc, "begun", journal.Change{Event: journal.Event{Kind: journal.Started, Steps: []string{"a"}, Head: journal.None, By: journal.ByPerson}}) != nil {
		t.Fatal(err)
	}
	if r.plans, err = WaitingPlans(t.Context(), r.co); err != nil {
		t.Fatal(err)
	}
	var order, ends []string
	_, ended := r.all(func(p QueuedPlan, dir string) (int, error) {
		order = append(order, p.Branch+" on "+repository.Ask(t, "-C", dir, "log", "--format=%s", "-1"))
		repository.Ask(t, "-C", dir, "commit", "-q", "--allow-empty", "-m", p.Branch)
		return map[string]int{"bad": 3}[p.Branch], nil
	})
	for _, e := range ended {
		ends = append(ends, fmt.Sprintf("%s %v %v", e.Branch, e.Begun, e.Waits))
		if errors.Is(e.Err, fault.ErrMovedBranch) != (e.Branch == "mine") {
			t.Errorf("%s: %v", e.Branch, e.Err)
		}
	}
	slices.Sort(order)
	slices.Sort(ends)
	if want := []string{"a on begin", "b on a", "bad on begin", "begun on begin", "c on b"}; !slices.Equal(order, want) {
		t.Errorf("it ran %q, want %q", order, want)
	}
	if want := []string{"a true false", "b true false", "bad true false", "begun true false", "c true false", "mine false false", "x false true", "y false true"}; !slices.Equal(ends, want) {
		t.Errorf("they ended %q, want %q", ends, want)
	}
	r = withPlans(t, "p from r", "q from p", "r from q")
	if all, err := WaitingPlans(t.Context(), r.co); err != nil || len(all) != 3 {
		t.Errorf("a cycle: %v, %v", all, err)
	}
}

func TestQueueOfARepository(t *testing.T) {
	r := withPlans(t, "a", "b")
	if p, ok := PlanOf(r.co, "a"); !ok || p != r.plans[0] {
		t.Errorf("%+v", p)
	}
	if p, ok := PlanOf(r.co, "main"); ok {
		t.Errorf("main has a plan: %+v", p)
	}
	waiting, err := WaitingPlans(t.Context(), r.co)
	if err != nil || len(waiting) != 2 {
		t.Errorf("%+v, %v", waiting, err)
	}
	// A goal whose steps are done continues until it is reviewed: its run may have been killed during another
	// planning.
	doc, err := r.co.Store.Load(t.Context(), r.plans[1].ID)
	if err != nil {
		t.Fatal(err)
	}
	goal := func([]byte) ([]byte, error) {
		return []byte("# b\n\n## Bounds\n\n- Files: `**`\n\n## Steps\n\n- [x] **A** {#a}\n"), nil
	}
	for kind, want := range map[journal.Kind]int{journal.Planned: 2, journal.Reviewed: 1} {
		if err := r.co.Store.Apply(t.Context(), doc, "b", journal.Change{Event: journal.Event{Kind: kind, Head: journal.None, By: journal.ByAgent}, Edit: goal}); err != nil || integrity.Approve(r.co.Repo, doc.ID, doc.Plan.Source) != nil {
			t.Fatal(err)
		}
		if waiting, err := WaitingPlans(t.Context(), r.co); err != nil || len(waiting) != want {
			t.Errorf("after %s %+v wait, %v", kind, waiting, err)
		}
	}
	lock, err := OpenQueue(r.co, "run")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenQueue(r.co, "run"); !errors.Is(err, fault.ErrBusy) {
		t.Errorf("two queues: %v", err)
	}
	lock.Release()
	if lock, err = OpenQueue(r.co, "run"); err != nil {
		t.Fatal(err)
	}
	lock.Release()
}
