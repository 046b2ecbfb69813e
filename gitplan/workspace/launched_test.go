package workspace

import (
	"errors"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/remote"
)

type nobody struct{ agent.Agent }

func (nobody) Name() string { return "nobody" }

// A session on another machine has a clone here: it gets the files of that as they are, and the files that it
// sends back are there as if it had written them.
func TestRemoteSessionHasAClone(t *testing.T) {
	w := newWorld(t, "plan.isolation", "box", "planLauncher.box.command", "false")
	write(t, w.dir, "other.txt", "theirs\n")
	w.git("add", "other.txt")
	sent := w.git("write-tree")
	w.git("reset", "-q", "--hard")
	task := w.begin().does("echo x >x.txt; rm a.txt")
	there, ok := task.Agent(nobody{}, agent.Executor).(*remote.Agent)
	if !ok || !task.InClone() || there.Dir != w.dir || there.Files != task.Tree() {
		t.Fatalf("it is %T, apart %v", there, task.InClone())
	}
	paths, err := there.Paths(t.Context())
	fine(t, err)
	tree, err := worktree.Snapshot(t.Context(), there.Files, paths)
	fine(t, err)
	w.says(w.git("diff", "--name-status", "HEAD", tree), "D\ta.txt\nA\tx.txt")
	fine(t, worktree.Become(t.Context(), task.Tree(), paths, sent))
	left, reason := task.left()
	w.says(reason, "")
	if got := strings.Join(left.Paths(), " "); got != "other.txt" {
		t.Errorf("left: %s", got)
	}
	if here := w.recalls().Agent(nobody{}, agent.Executor); here != (nobody{}) {
		t.Errorf("in the work tree it is %T", here)
	}
}

// All files of the tree are kept, though only some are removed.
func TestOnlySomeFilesAreRemoved(t *testing.T) {
	w := newWorld(t)
	ref, err := w.begin().does("echo x >x.txt; echo y >y.txt; echo four >>a.txt").KeepAndRemove(t.Context(), "it failed", []string{"x.txt", "a.txt"})
	fine(t, err)
	w.says(w.git("ls-tree", "--name-only", ref), "a.txt\nx.txt\ny.txt")
	w.says(w.git("status", "--porcelain"), "?? y.txt")

	w = newWorld(t, "plan.isolation", "clone") // in which only sessions work
	ref, err = w.begin().does("echo x >x.txt").KeepAndRemove(t.Context(), "it failed", []string{"x.txt"})
	if fine(t, err); ref != "" {
		t.Errorf("%s was kept for a file of the session only", ref)
	}
}

// A finished task leaves nothing, unless a person must look at what it changed.
func TestFinishedTask(t *testing.T) {
	for name, story := range map[string]struct {
		over  func(w *world)
		noted bool
	}{
		"forgotten":                 {func(w *world) { w.site.Checkout.Task().Forget() }, false},
		"never started":             {func(w *world) { w.site.Checkout.Task().Abandon(errors.New("no")) }, false},
		"changed the configuration": {func(w *world) { w.site.Checkout.Task().Abandon(fault.New(fault.ErrSetupChanged, "a hook")) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "plan.isolation", "clone")
			w.begin().gone()
			if err := w.site.Checkout.Task().RequireFreeClone(); !errors.Is(err, fault.ErrUnfinished) {
				t.Errorf("while it is under way: %v", err)
			}
			story.over(w)
			if noted := w.site.Checkout.Task().State().Name != ""; noted != story.noted {
				t.Errorf("noted: %v", noted)
			}
		})
	}
}
