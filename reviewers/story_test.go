package reviewers

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/cli"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// branch is a repository with a branch whose base has the file base.txt.
type branch struct {
	t    *testing.T
	dir  string
	repo *git.Repo
}

func newBranch(t *testing.T) *branch {
	t.Helper()
	b := &branch{t: t, dir: t.TempDir()}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_NAME", "A Tester")
		t.Setenv("GIT_"+who+"_EMAIL", "tester@example.com")
	}
	b.git("init", "-q", "-b", "main")
	b.commit("base.txt", "base\n")
	b.git("switch", "-q", "-c", "feature")
	repo, err := git.Open(t.Context(), b.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(repo.Close)
	b.repo = repo
	return b
}

func (b *branch) git(args ...string) string {
	b.t.Helper()
	var out, errs bytes.Buffer
	exit, err := proc.Run(b.t.Context(), proc.Cmd{Name: "git", Args: args, Dir: b.dir, Env: proc.Clean(), Stdout: &out, Stderr: &errs})
	if err != nil || !exit.OK() {
		b.t.Fatalf("git %s: %v %d %s", strings.Join(args, " "), err, exit.Code, errs.String())
	}
	return strings.TrimSpace(out.String())
}

// commit writes pairs of path and text and commits them.
func (b *branch) commit(files ...string) string {
	b.t.Helper()
	for i := 0; i < len(files); i += 2 {
		p := filepath.Join(b.dir, files[i])
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			b.t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(files[i+1]), 0o644); err != nil {
			b.t.Fatal(err)
		}
	}
	b.git("add", "-A")
	b.git("commit", "-q", "-m", "Change "+files[0])
	return b.git("rev-parse", "HEAD")
}

// script is the command line of a program in testdata/reviewers.
func script(t *testing.T, name string) string {
	t.Helper()
	p, err := filepath.Abs(filepath.Join("..", "testdata", "reviewers", name))
	if err != nil {
		t.Fatal(err)
	}
	return "sh '" + p + "'"
}

// hold holds sessions with a command of the person's own.
func hold(line string, env ...string) Hold {
	return func(ctx context.Context, s agent.Session) agent.Result {
		s.Env = append(proc.Clean(), env...)
		return (&cli.Command{AgentName: "fake", Line: line}).Run(ctx, s)
	}
}

func persona(name string, h Hold) *Panelist {
	return &Panelist{Persona: Persona{Name: name, Rounds: Every, Blocking: true, Text: "Look."}, Hold: h}
}

// loop is a review by one reviewer who finds BUG and a verifier who agrees.
func (b *branch) loop() *Loop {
	return &Loop{
		Repo: b.repo, Base: "main", PlanID: "p-1234", Rounds: 3, BlockOn: High,
		Reviewers: []Reviewer{persona("quality", hold(script(b.t, "finds-bugs.sh")))},
		Verifier:  hold(script(b.t, "verifies.sh")),
	}
}

// run holds the review, and sees that nothing of it is left behind.
func (b *branch) run(l *Loop) *Outcome {
	b.t.Helper()
	temp := b.t.TempDir()
	b.t.Setenv("TMPDIR", temp)
	out, err := l.Run(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	for _, pattern := range []string{"*", "git-plan-*/*"} {
		left, err := filepath.Glob(filepath.Join(temp, pattern))
		left = slices.DeleteFunc(left, func(path string) bool { return slices.Contains(disk.Temps(temp), path) })
		if err != nil || len(left) > 0 {
			b.t.Errorf("left behind: %v %v", left, err)
		}
	}
	return out
}

func (b *branch) expect(out *Outcome, end End, reason string) {
	b.t.Helper()
	if out.End != end || !strings.Contains(out.Reason, reason) {
		b.t.Errorf("ended %q, %q; want %q, %q\n%s", out.End, out.Reason, end, reason, text(out))
	}
}

func text(o *Outcome) string {
	var b strings.Builder
	_ = o.WriteText(&b)
	return b.String()
}

// says is a fixer that answers for every finding and leaves HEAD alone.
func says(disposition, because string) func(context.Context, Repair) FixResult {
	return func(_ context.Context, r Repair) FixResult {
		m := FixResult{Status: agent.Done}
		for _, f := range r.Findings {
			m.Dispositions = append(m.Dispositions, agent.Disposition{ID: f.ID, Disposition: disposition, Because: because})
		}
		return m
	}
}

// writes is a fixer that commits a text for a.txt, another in each round.
func (b *branch) writes(texts ...string) func(context.Context, Repair) FixResult {
	return func(ctx context.Context, r Repair) FixResult {
		m := says("fixed", "done")(ctx, r)
		m.Head = b.commit("a.txt", texts[min(r.Round, len(texts))-1])
		return m
	}
}
