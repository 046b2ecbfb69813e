package runner

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// A pre-push hook runs what lies in the tree, as commit hooks do: make lint, npx, a script. If
// somebody types git push, they have looked at that. A push that this program makes by itself
// comes right after a session, so then the hook runs in the sandbox of checks, as commit hooks
// do; package hooks says what git runs in its place (OwnPush).

// HooksOf returns the arguments that have git run the hooks of one folder and no others; none for
// the person's own.
func HooksOf(folder string) []string {
	if folder == "" {
		return nil
	}
	return []string{"-c", "core.hooksPath=" + folder}
}

// PathOf keeps what such a push starts, a helper or git-lfs, from being found in the tree.
func PathOf(folder string) []string {
	if folder == "" {
		return nil
	}
	return []string{"PATH=" + proc.PathOutside()}
}

// LeftPush says why a push that nobody asked for just now is left to the person: git would run a
// pre-push hook that a session may have written, or one that cannot be taken into the sandbox. It
// is "" if hooks are not sandboxed.
func LeftPush(c *checkout.Checkout) (why string) {
	if sandboxed, _ := c.Config.Word("plan.hooksSandbox"); sandboxed == "off" { // a wrong value is on
		return ""
	}
	for _, name := range c.Config.Git.Subsections("hook", "event") { // git runs these whatever core.hooksPath says
		for _, event := range c.Config.Git.All("hook." + name + ".event") {
			if event == "pre-push" || event == "reference-transaction" {
				return "hook." + visible.OneLine(name, 80) + " of the configuration is a " + event + " hook, which git push would run outside of the sandbox"
			}
		}
	}
	dir, within := disk.Real(c.Repo.HooksDir), disk.Within
	if !hasHookFile(c, "pre-push") || !within(disk.Real(c.Repo.Top), dir) || within(disk.Real(c.Repo.GitDir), dir) || within(disk.Real(c.Repo.CommonDir), dir) {
		return ""
	}
	hook := filepath.Join(dir, "pre-push")
	if rel, err := filepath.Rel(disk.Real(c.Repo.Top), hook); err == nil {
		hook = rel
	}
	return visible.OneLine(hook, 200) + " lies in the tree, where sessions write, and git push would run it"
}

// PrePush runs the person's pre-push hook in the sandbox of checks: with the arguments and the
// input that git gives it, but without the person's other variables and without this program's
// own lines in it, which judge a push outside of the sandbox. In bwrap it finds a repository that
// it may write to; elsewhere the repository is read-only. What the hook says comes back.
func (s *Runner) PrePush(ctx context.Context, stdin []byte, args ...string) (said string, err error) {
	if !HasHook(s.Checkout, "pre-push") {
		return "", nil
	}
	var tail proc.Tail
	h, err := s.hooksIn(ctx, s.Checkout.Repo.PlanDir(checkout.AttemptOwner(s.Checkout), "push-hook"), proc.Mark("push-"+integrity.Random(3)), &tail)
	if err != nil {
		return "", err
	}
	defer func() { _ = disk.RemoveTree(h.dir) }()
	h.git, h.stdin, h.env = "push", stdin, []string{"GIT_PLAN_HOOKS=0"}
	if h.confine != nil && h.confine.By == proc.Bwrap {
		if h.scratch, err = worktree.NewScratch(ctx, s.Checkout.Repo, filepath.Join(h.dir, "git")); err != nil {
			return "", err
		}
		h.confine.Mounts = h.scratch.Mounts
	}
	err = h.run(ctx, "pre-push", args...)
	var refused *git.Error
	if errors.As(err, &refused) && strings.TrimSpace(tail.String()) == "" {
		tail.Write([]byte("the pre-push hook ended with an error and said nothing\n"))
	}
	return tail.String(), err
}
