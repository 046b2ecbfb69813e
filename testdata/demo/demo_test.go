package demo

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/agent/script"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/planner"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/work"
	"github.com/git-plan/git-plan/reviewers"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/testdata/repository"
)

// shell runs a command line in dir and returns its exit code and its output.
func shell(t *testing.T, dir, line string) (int, string) {
	t.Helper()
	var out bytes.Buffer
	name, args := proc.Shell(line)
	exit, err := proc.Run(t.Context(), proc.Cmd{Name: name, Args: args, Dir: dir, Env: proc.CleanEnv(), Stdout: &out, Stderr: &out})
	if err != nil {
		t.Fatal(err)
	}
	return exit.Code, out.String()
}

func must(t *testing.T, dir, line string) string {
	t.Helper()
	code, out := shell(t, dir, line)
	if code != 0 {
		t.Fatalf("%s: exit code %d\n%s", line, code, out)
	}
	return strings.TrimSpace(out)
}

// newRepository makes the project the first commit of main, with the recording as its agent, and makes it the
// current folder.
func newRepository(t *testing.T) string {
	t.Helper()
	for name, value := range map[string]string{
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_SYSTEM": os.DevNull, "GIT_PLAN_DEPTH": "", "GOFLAGS": "", "GOWORK": "off",
		"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.com",
	} {
		t.Setenv(name, value)
	}
	dir := t.TempDir()
	repository.CompiledOnce(t)
	recording := filepath.Join(t.TempDir(), "recording.json")
	for _, err := range []error{WriteProject(dir), WriteRecording(recording, 0)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(t, dir, "git init -q -b main && git add . && git commit -qm 'The ledger'")
	must(t, dir, "git config plan.agent recorded && git config planAgent.recorded.baseURL 'replay:"+recording+"'")
	must(t, dir, "git config plan.reviewers quality,fidelity")
	t.Chdir(dir)
	return dir
}

// watcher remembers what a worker reports.
type watcher struct{ seen []journal.Notice }

func (w *watcher) notice(n journal.Notice) { w.seen = append(w.seen, n) }

// failedChecks are the commands of checks that failed, in order.
func (w *watcher) failedChecks() (out []string) {
	for _, n := range w.seen {
		if n.Kind == journal.CheckEnd && *n.ExitCode != 0 {
			out = append(out, n.Command)
		}
	}
	return out
}

func (w *watcher) count(kind string) (n int) {
	for _, s := range w.seen {
		if s.Kind == kind {
			n++
		}
	}
	return n
}

func open(t *testing.T) *checkout.Checkout {
	t.Helper()
	c, err := checkout.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// The project in the demo is sound.
func TestTheProjectIsSound(t *testing.T) {
	dir := newRepository(t)
	must(t, dir, "test -z \"$(gofmt -l .)\" && go vet ./... && go test ./...")
	must(t, dir, "go run ./cmd/ledger help | diff USAGE -")
}

// The recording has no answer for another goal.
func TestAnotherGoalHasNoRecording(t *testing.T) {
	newRepository(t)
	w := work.New(&runner.Runner{Checkout: open(t)})
	if made, err := planner.MakePlan(t.Context(), w, prompt.Planning{Goal: "print the report as JSON"}); err == nil {
		t.Errorf("a plan was made:\n%s", made.Text)
	}
}

// From the goal to a clean review, with the real sessions, tools, checks and
// commits; only the model is recorded.
func TestFromGoalToCleanReview(t *testing.T) {
	dir := newRepository(t)
	saw := &watcher{}
	steps := plan(t, saw)
	doSteps(t, dir, steps)
	if diff := cmp.Diff([]string{"go test ./book"}, saw.failedChecks()); diff != "" {
		t.Errorf("the second step fails its check once, and nothing else ever does:\n%s", diff)
	}

	// Every check and the verification pass, and the mistake is there all the same.
	must(t, dir, "go vet ./... && go test ./... && go run ./cmd/ledger help | diff USAGE -")
	if code, out := checkWrongMonth(t, dir); code != 0 || out != "every category is within its budget\n" {
		t.Errorf("an invalid month: exit code %d, %q; the planted mistake is missing", code, out)
	}
	planted := must(t, dir, "git rev-parse HEAD")

	review(t, steps.Worker)
	must(t, dir, "go vet ./... && go test ./... && test -z \"$(git status --porcelain)\"")
	if code, out := checkWrongMonth(t, dir); code != 2 || !strings.Contains(out, `"2024-3" is no month such as 2024-03`) {
		t.Errorf("after the repair: exit code %d, %q", code, out)
	}
	must(t, dir, "git checkout -q "+planted+" -- cmd/ledger/check.go")
	if code, out := shell(t, dir, "go test ./cmd/ledger"); code != 1 || !strings.Contains(out, "--- FAIL: TestAnInvalidMonthIsAnError") {
		t.Errorf("the fixer's test without the fixer's repair: exit code %d\n%s", code, out)
	}
	playedWhole(t, saw)
}

// doSteps does the four steps: one commit each, of the files that the plan names.
func doSteps(t *testing.T, dir string, steps *gitplan.Steps) {
	t.Helper()
	for _, want := range []struct {
		step     string
		attempts int
		files    string
	}{
		{"budget-lines", 1, "entry/budget.go\nentry/budget_test.go"},
		{"over-budget", 2, "book/book.go\nbook/book_test.go"},
		{"check-command", 1, "cmd/ledger/check.go\ncmd/ledger/check_test.go\ncmd/ledger/main.go"},
		{"usage", 1, "USAGE"},
	} {
		before := must(t, dir, "git rev-parse HEAD")
		step, out, err := steps.Step(t.Context(), "")
		if err != nil {
			t.Fatalf("%s: %v", want.step, err)
		}
		if step.ID != want.step || out.Attempts != want.attempts || len(out.Reported) > 0 {
			t.Errorf("got step %s after %d sessions, %v; want %s after %d", step.ID, out.Attempts, out.Reported, want.step, want.attempts)
		}
		if diff := cmp.Diff(want.files, must(t, dir, "git show --format= --name-only HEAD")); diff != "" {
			t.Errorf("%s: %s", step.ID, diff)
		}
		if parent := must(t, dir, "git rev-parse HEAD^"); parent != before {
			t.Errorf("%s is not one commit", step.ID)
		}
	}
	if !steps.Checkout.Progress.Complete() {
		t.Error("steps are left")
	}
}

// review finds the mistake in its first round and nothing in its second.
func review(t *testing.T, w *work.Worker) {
	t.Helper()
	out, err := (reviewers.New(w)).Review(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rounds, found := len(out.Ledger.Rounds), out.Ledger.Findings
	if out.Ledger.End != ledger.Clean || rounds != 2 {
		t.Fatalf("the review ended %s (%s) after %d rounds, with %+v", out.Ledger.End, out.Ledger.Reason, rounds, found)
	}
	if len(found) != 1 || found[0].Status != finding.Fixed || found[0].Line == 0 || !slices.Equal(found[0].Reviewers, []string{"quality"}) {
		t.Errorf("findings: %+v", found)
	}
}

// plan has the planner write the plan, and approves it.
func plan(t *testing.T, saw *watcher) *gitplan.Steps {
	t.Helper()
	ctx := t.Context()
	c := open(t)
	w := work.New(&runner.Runner{Checkout: c, On: saw.notice})
	made, err := planner.MakePlan(ctx, w, prompt.Planning{Goal: Goal})
	if err != nil {
		t.Fatal(err)
	}
	start, err := c.Repo.Resolve(ctx, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.NewBranch(ctx, "plan/budget"); err != nil {
		t.Fatal(err)
	}
	doc, err := c.Store.Create(ctx, made.Text, c.Branch, "main", w.WithSessions(journal.Event{Start: start, By: journal.ByAgent}))
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{c.Attach(ctx, doc.ID), integrity.Approve(c.Repo, doc.ID, doc.Plan.Source)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	again := open(t) // as the next command would
	if err := again.Load(ctx); err != nil {
		t.Fatal(err)
	}
	return gitplan.NewSteps(work.New(&runner.Runner{Checkout: again, On: saw.notice}), reviewers.StepGuard)
}

// checkWrongMonth asks for an invalid month, of a ledger whose groceries are over budget in the intended
// month.
func checkWrongMonth(t *testing.T, dir string) (int, string) {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "ledger")
	must(t, dir, "go build -o '"+bin+"' ./cmd/ledger")
	file := filepath.Join(t.TempDir(), "ledger.txt")
	if err := os.WriteFile(file, []byte("budget groceries 250\n2024-03-02 groceries 260\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return shell(t, dir, "LEDGER='"+file+"' '"+bin+"' check 2024-3")
}

// playedWhole compares the recording with the run: each of its calls was made once, each session reported its
// usage, and no session was left out.
func playedWhole(t *testing.T, saw *watcher) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "recording.json")
	if err := WriteRecording(file, 0); err != nil {
		t.Fatal(err)
	}
	sc, err := script.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	calls, sessions := 0, 1 // the step that is a command is a session without calls
	for _, l := range sc.Lanes {
		sessions++
		for _, turn := range l.Turns {
			calls += len(turn.Calls)
			if turn.Usage == nil || turn.Usage.Cached > turn.Usage.In {
				t.Errorf("a turn of %s %s%s tells no usage that can be", l.Role, l.Step, l.Reviewer)
			}
		}
	}
	if made := saw.count(journal.SessionTool); made != calls {
		t.Errorf("%d calls are recorded, %d were made", calls, made)
	}
	if held := saw.count(journal.SessionStart); held != sessions {
		t.Errorf("%d sessions are recorded, %d were held", sessions, held)
	}
}
