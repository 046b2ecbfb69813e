package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// A hook runs what lies in the tree: the scripts of husky, the configuration of lefthook and pre-commit, make lint.
// After a session all of that may be the session's, so hooks run like checks, in their sandbox and environment. In
// bwrap a hook finds, in place of .git, a repository that it may write to (worktree.Scratch). With the other kinds it
// has the repository itself, and the set-up is compared before any git runs again.

// hooks runs the person's hooks: those of commits, or the one of a push.
type hooks struct {
	runner  *Runner
	git     string            // the command of git whose hooks they are
	stdin   []byte            // what git gives them
	env     []string          // added to what checks inherit
	dir     string            // of what only they need
	scratch *worktree.Scratch // nil: a hook has the repository itself
	confine *proc.Confinement
	before  *Watch
	head    string // the commit below, or empty
	mark    string
	printed *proc.Tail
}

// hooksIn returns hooks with a folder of their own, and with the files that they must not change.
func (r *Runner) hooksIn(ctx context.Context, dir, mark string, printed *proc.Tail) (*hooks, error) {
	c := r.Checkout
	h := &hooks{runner: r, git: "commit", dir: dir, before: r.Watch(r.Scene()), mark: mark, printed: printed}
	err := errors.Join(disk.RemoveTree(h.dir), os.MkdirAll(h.dir, 0o700))
	if err != nil {
		return nil, err
	}
	if c.Doc != nil && c.Slot == "" { // after a crash nothing of that was recorded yet
		tip, err := c.Repo.Resolve(ctx, journal.RefPrefix+c.Doc.ID)
		if err != nil {
			return nil, err
		}
		c.Store.ExpectTip(c.Doc.ID, tip)
	}
	if h.head, err = c.Repo.Lookup(ctx, "HEAD"); err != nil {
		return nil, err
	}
	h.confine, err = r.Confine(ctx, c.Repo.Top)
	return h, err
}

func (h *hooks) inBwrap() bool { return h.confine != nil && h.confine.By == proc.Bwrap }

// addScratch gives the hooks a repository that they may write to, in place of .git.
func (h *hooks) addScratch(ctx context.Context) (err error) {
	if h.scratch, err = worktree.NewScratch(ctx, h.runner.Checkout.Repo, filepath.Join(h.dir, "git")); err == nil {
		h.confine.Mounts = h.scratch.Mounts
	}
	return err
}

// HasHook reports whether git would run a hook of this name.
func HasHook(c *checkout.Checkout, name string) bool { return len(hookLines(c, name)) > 0 }

func hasHookFile(c *checkout.Checkout, name string) bool {
	info, err := os.Stat(filepath.Join(c.Repo.HooksDir, name))
	return err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0)
}

// hookLines returns the programs, with their first arguments, that run as a hook: the commands of the configuration
// (from git 2.54: hook.NAME.command) by their names, and then the file in the folder, as with git.
func hookLines(c *checkout.Checkout, event string) (out [][]string) {
	config := c.Config.Git
	for _, name := range config.Subsections("hook", "event") {
		on := false
		for _, of := range config.All("hook." + name + ".event") {
			on = of == event || on && of != "" // which cancels those before it
		}
		command, ok := config.Get("hook." + name + ".command")
		if ok && on && config.Bool("hook."+name+".enabled", true) &&
			config.Bool("hook."+event+".enabled", true) {
			program, args := proc.Shell(command + ` "$@"`)
			out = append(out, slices.Concat([]string{program}, args, []string{command}))
		}
	}
	if hasHookFile(c, event) {
		program, args := proc.Shell(`"$0" "$@"`)
		out = append(out, slices.Concat([]string{program}, args, []string{filepath.Join(c.Repo.HooksDir, event)}))
	}
	return out
}

// run runs the hooks of one name as git does; if one refuses, the git command does.
func (h *hooks) run(ctx context.Context, name string, args ...string) error {
	c := h.runner.Checkout
	limit, err := c.Config.Duration("plan.checkTimeout")
	if err != nil {
		return err
	}
	index := filepath.Join(c.Repo.GitDir, "index")
	if h.scratch != nil {
		index = filepath.Join(h.scratch.Inside, "index")
	}
	env := append(append(c.Config.Environment(nil), h.mark, "GIT_INDEX_FILE="+index, "GIT_EDITOR=:"), h.env...)
	for _, line := range hookLines(c, name) {
		exit, err := proc.Run(ctx, proc.Cmd{
			Name: line[0], Args: append(line[1:], args...), Dir: c.Repo.Top, Env: env, Stdin: bytes.NewReader(h.stdin),
			Group: true, Confine: h.confine, Stdout: h.printed, Stderr: h.printed, Timeout: limit,
		})
		if err != nil {
			return err
		}
		if err := h.leftAlone(context.WithoutCancel(ctx)); err != nil {
			fmt.Fprintf(h.printed, "%s: %v\n", name, err)
			return &git.Error{Args: []string{h.git}, Code: 1, Stderr: name + ": " + err.Error()}
		}
		if exit.OK() {
			continue
		}
		if exit.TimedOut {
			fmt.Fprintf(h.printed, "the %s hook %s\n", name, outOfTime(limit))
		}
		if h.confine != nil && h.git == "commit" {
			fmt.Fprintf(h.printed, "(the %s hook ran in the sandbox: see plan.hooksSandbox)\n", name)
		}
		code := 1
		if exit.Code == 126 || exit.Code == 127 { // it, or the program of its first line, cannot be run
			code = git.Fatal
		}
		return &git.Error{Args: []string{h.git}, Code: code, Stderr: name}
	}
	return nil
}

// leftAlone returns an error if a hook changed what a session must leave alone. If it moved the plan, HEAD or the
// branch, these are put back; the reflog still has where it moved the branch.
func (h *hooks) leftAlone(ctx context.Context) error {
	s, c := h.runner, h.runner.Checkout
	if err := h.before.Unchanged(ctx); err != nil {
		h.before.Setup.RemovePlanted(c.Repo)
		return err
	}
	if h.inBwrap() {
		return nil
	}
	moved, err := s.PlanBack(ctx)
	if c.Branch != "" {
		if on, err := c.Repo.Branch(ctx); err != nil || on != c.Branch {
			moved = append(moved, "it left branch "+visible.OneLine(c.Branch, 200))
		}
		now, unread := c.Repo.Lookup(ctx, "refs/heads/"+c.Branch)
		if unread != nil {
			return errors.Join(err, unread)
		}
		if now != h.head {
			moved = append(moved, fmt.Sprintf("it moved branch %s to %.10s", visible.OneLine(c.Branch, 200), journal.OrNone(now)))
		}
		err = errors.Join(err, s.BranchBack(ctx, h.head, now, "plan: put back after a hook"))
	}
	if err == nil && len(moved) > 0 {
		err = errors.New(integrity.Tampered(moved...))
	}
	return err
}

// WhyNotPush says why a push that was not asked for is left to the person: git would run a pre-push hook that a session
// may have written, or that no sandbox can take. It is "" if hooks are not sandboxed.
func WhyNotPush(c *checkout.Checkout) (why string) {
	if sandboxed, _ := c.Config.Word("plan.hooksSandbox"); sandboxed == "off" { // an invalid value is on
		return ""
	}
	for _, name := range c.Config.Git.Subsections("hook", "event") { // git runs these whatever core.hooksPath says
		for _, event := range c.Config.Git.All("hook." + name + ".event") {
			if event == "pre-push" || event == "reference-transaction" {
				return "hook." + visible.OneLine(name, 80) + " of the configuration is a " + event +
					" hook, which git push would run outside of the sandbox"
			}
		}
	}
	dir, top := disk.Real(c.Repo.HooksDir), disk.Real(c.Repo.Top)
	if !hasHookFile(c, "pre-push") || !disk.Within(top, dir) || disk.Within(disk.Real(c.Repo.GitDir), dir) ||
		disk.Within(disk.Real(c.Repo.CommonDir), dir) {
		return ""
	}
	hook := filepath.Join(dir, "pre-push")
	if rel, err := filepath.Rel(top, hook); err == nil {
		hook = rel
	}
	return visible.OneLine(hook, 200) + " lies in the tree, where sessions write, and git push would run it"
}

// PrePush runs the person's pre-push hook in the sandbox of checks, with the arguments and the input that git gives it,
// but without this program's own lines in it, which judge a push outside. The repository is read-only, but in bwrap.
func (r *Runner) PrePush(ctx context.Context, stdin []byte, args ...string) (printed string, err error) {
	if !HasHook(r.Checkout, "pre-push") {
		return "", nil
	}
	var tail proc.Tail
	h, err := r.hooksIn(ctx, r.Checkout.Repo.PlanDir(r.Checkout.Attempts().Owner(), "push-hook"),
		proc.Mark("push-"+integrity.Random(3)), &tail)
	if err != nil {
		return "", err
	}
	defer func() { _ = disk.RemoveTree(h.dir) }()
	h.git, h.stdin, h.env = "push", stdin, []string{"GIT_PLAN_HOOKS=0"}
	if h.inBwrap() {
		if err = h.addScratch(ctx); err != nil {
			return "", err
		}
	}
	err = h.run(ctx, "pre-push", args...)
	if errors.As(err, new(*git.Error)) && strings.TrimSpace(tail.String()) == "" {
		tail.Write([]byte("the pre-push hook ended with an error and printed nothing\n"))
	}
	return tail.String(), err
}
