package launch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/elsewhere"
	"github.com/git-plan/git-plan/gitplan/elsewhere/worker"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/site"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/testdata/repository"
)

// asWorker has this test be the worker that a launcher starts.
const asWorker = "LAUNCH_TEST_WORKER"

func TestMain(m *testing.M) {
	if os.Getenv(asWorker) == "" {
		os.Exit(m.Run())
	}
	if err := worker.Serve(context.Background(), "test", os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// world is a repository with one commit and a launcher, box, and what was reported.
type world struct {
	*testing.T
	site     *site.Site
	reported []string
}

func newWorld(t *testing.T, config ...string) *world {
	t.Helper()
	repository.Here(t)
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv("GIT_PLAN_WORKER_CACHE", t.TempDir())
	t.Setenv(proc.EnvDepth, "")
	repository.Write(t, "a.txt", "one\n")
	repository.Commit(t, "first")
	repository.Ask(t, "config", "planLauncher.box.command", asWorker+"=1 exec "+visible.Shell(os.Args[0]))
	for i := 0; i < len(config); i += 2 {
		repository.Ask(t, "config", config[i], config[i+1])
	}
	c, err := checkout.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	w := &world{T: t}
	w.site = &site.Site{Checkout: c, On: func(n journal.Notice) { w.reported = append(w.reported, n.Text) }}
	return w
}

// says fails the test unless a text holds a part; "" is no text.
func (w *world) says(text, want string) {
	w.Helper()
	if !strings.Contains(text, want) || want == "" && text != "" {
		w.Errorf("%q does not say %q", text, want)
	}
}

// asItIs is the work tree.
type asItIs struct{ r *git.Repo }

func (f asItIs) Repo() *git.Repo { return f.r }

func (f asItIs) Snapshot(ctx context.Context) (string, error) {
	s, err := worktree.ReadStatus(ctx, f.r)
	if err != nil {
		return "", err
	}
	return worktree.Snapshot(ctx, f.r, append(s.Unstaged(), s.Untracked...))
}

func (f asItIs) Become(context.Context, *git.Repo, string) error {
	return errors.New("nothing comes back")
}

// checks runs commands, and returns what is wrong.
func (w *world) checks(commands ...string) string {
	w.Helper()
	err := Check(w.Context(), w.site, asItIs{w.site.Repo}, w.site.Checks("a", journal.Notice{}, os.Environ()), commands)
	if err == nil {
		return ""
	}
	return err.Error()
}

// Checks run on the files as they are, by a worker if that is configured: there they pass only if
// they change nothing, and nothing of what they write comes back.
func TestChecksRunWhereTheyAreConfiguredTo(t *testing.T) {
	w := newWorld(t)
	repository.Write(t, "new.txt", "new\n")
	w.says(w.checks("test -z \"$"+asWorker+"\" && test -e new.txt"), "")
	w = newWorld(t, "plan.checkLauncher", "box")
	repository.Write(t, "new.txt", "new\n")
	w.says(w.checks("test -e new.txt", "echo made >made.txt"), "")
	w.says(strings.Join(w.reported, "\n"), "launcher box: ")
	w.says(w.checks("true", "echo no such thing; exit 7"), "`echo no such thing; exit 7` exited with 7: no such thing")
	w.says(w.checks("echo x >>a.txt"), "`echo x >>a.txt` changed a.txt, of which nothing comes back from plan.checkLauncher")
	w.says(repository.Ask(t, "status", "--porcelain"), "?? new.txt")
	w = newWorld(t, "plan.checkLauncher", "nowhere")
	w.says(w.checks("true"), "there is no launcher nowhere: planLauncher.nowhere.command is not set")
}

type nobody struct{ agent.Agent }

func (nobody) Name() string { return "nobody" }

// A session that only reads runs here, or is sent the files of its commit without those that no model
// sees; no file comes back.
func TestWhereReadersRun(t *testing.T) {
	w := newWorld(t, "plan.reviewer.launcher", "box")
	repository.Write(t, "secret.txt", "x\n")
	head := repository.Commit(t, "second")
	here, err := ReaderFor(w.site, agent.Planner, agent.Review{})
	if err != nil {
		t.Fatal(err)
	}
	if a := here.Agent(nobody{}, agent.Planner); a != (nobody{}) {
		t.Errorf("a planner is %T", a)
	}
	if _, err := here.ConfineSession(t.Context(), nobody{}, agent.Session{Dir: w.site.Repo.Top}); err != nil {
		t.Error(err)
	}
	for of, want := range map[*agent.Review]string{{}: "a.txt\nsecret.txt", {Head: head + "^"}: "a.txt", {Head: head, Hidden: []string{"secret.txt"}}: "a.txt"} {
		there, err := ReaderFor(w.site, agent.Reviewer, *of)
		if err != nil {
			t.Fatal(err)
		}
		a, ok := there.Agent(nobody{}, agent.Reviewer).(*elsewhere.Agent)
		if bounds, err := there.ConfineSession(t.Context(), a, agent.Session{}); !ok || bounds != nil || err != nil {
			t.Fatalf("a reviewer is %T, confined here: %v, %v", a, bounds, err)
		}
		tree, err := a.Tree.Snapshot(t.Context())
		if err != nil || a.Tree.Repo() != w.site.Repo {
			t.Fatal(err)
		}
		w.says(repository.Ask(t, "ls-tree", "--name-only", tree), want)
		if a.Tree.Become(t.Context(), w.site.Repo, tree) == nil {
			t.Error("it brings files back")
		}
	}
	repository.Ask(t, "switch", "-q", "--orphan", "unborn")
	if tree, err := (reads{w.site.Repo, agent.Review{}}).Snapshot(t.Context()); err != nil || tree != w.site.Repo.EmptyTree() {
		t.Errorf("of no commit: %s, %v", tree, err)
	}
}
