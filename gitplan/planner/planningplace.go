package planner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/work"
)

// planningPlace returns where a session of a role that only reads does so: the work tree if the
// agent cannot write there, else a throwaway clone.
func planningPlace(ctx context.Context, w *work.Worker, a agent.Agent, role agent.Role) (dir string, discard func(), err error) {
	if !a.MayWrite() {
		return w.Checkout.Repo.Top, func() {}, nil
	}
	tmp, discard, err := disk.TempFolder("planner")
	if err != nil {
		return "", nil, err
	}
	dir = filepath.Join(tmp, filepath.Base(w.Checkout.Repo.Top))
	head, err := w.Checkout.Repo.Resolve(ctx, "HEAD^{commit}")
	if errors.Is(err, git.ErrMissing) {
		return dir, discard, os.Mkdir(dir, 0o700)
	}
	if err == nil {
		err = worktree.CloneAt(ctx, w.Checkout.Repo, dir, head)
	}
	if err != nil {
		discard()
	}
	return dir, discard, err
}

// reading runs a session that reads in a folder and must change nothing. The error is about what it
// changed elsewhere.
func reading(ctx context.Context, w *work.Worker, t work.Task, session, dir string, hold func() agent.Result) (agent.Result, error) {
	watch := w.Runner.Watch(w.Runner.Scene())
	if err := watch.Session(ctx, t.Name, session, ""); err != nil {
		return agent.Result{}, err
	}
	r := inPlace(w, t, dir, hold)
	err := leftAlone(context.WithoutCancel(ctx), w.Runner, t.Role, watch)
	watch.Remove()
	return r, err
}

// inPlace runs a session and says what it changed in its copy.
func inPlace(w *work.Worker, t work.Task, dir string, hold func() agent.Result) agent.Result {
	if dir == w.Checkout.Repo.Top {
		return hold()
	}
	before := copyState(dir)
	r := hold()
	reportDiscarded(w, t.Role, before, copyState(dir))
	return r
}

// reportDiscarded says what a planner wrote in its copy, which is thrown away. It
// looks at the files only: a git that reads the copy could run what was put there.
func reportDiscarded(w *work.Worker, role agent.Role, before, after map[string]string) {
	var changed []string
	for path, what := range after {
		if before[path] != what {
			changed = append(changed, visible.OneLine(path, 100))
		}
	}
	for path := range before {
		if after[path] == "" {
			changed = append(changed, visible.OneLine(path, 100))
		}
	}
	if len(changed) == 0 {
		return
	}
	slices.Sort(changed)
	text := strings.Join(changed[:min(len(changed), 3)], ", ")
	if len(changed) > 3 {
		text += fmt.Sprintf(" and %d more", len(changed)-3)
	}
	w.Runner.Report(journal.Notice{Kind: journal.StepNote, Role: role, Text: "the " + string(role) + " is to change nothing; what it wrote in its copy is discarded: " + text})
}

// leftAlone looks at what a planner must not touch: an agent outside of any sandbox can find its
// way to the repository itself. Refs are reported, like those that a step's session changed; so
// is a changed set-up, and then nothing more is done.
func leftAlone(ctx context.Context, w *runner.Runner, role agent.Role, watch *runner.Watch) error {
	changed, lost, err := watch.Changed(ctx)
	if err != nil {
		return err
	}
	if len(changed) > 0 {
		if err := watch.Distrusted(); err != nil {
			return err
		}
	}
	for _, text := range append(runner.OtherRefs(watch.RefsChanged(ctx)), watch.GrantedMeanwhile()...) {
		w.Report(journal.Notice{Kind: journal.StepNote, Role: role, Text: text})
	}
	moved, err := w.PlanBack(ctx)
	if err != nil {
		return err
	}
	if lost {
		err = w.AttachAgain(ctx)
	}
	if len(changed) == 0 && err == nil {
		changed, err = watch.BasesTook(ctx)
	}
	switch {
	case err != nil:
		return err
	case len(changed) > 0:
		return fault.New(fault.ErrSetupChanged, "%s", strings.Join(append([]string{"tampering: the " + string(role) + "'s session changed " + strings.Join(changed, ", ")}, moved...), "; "))
	case len(moved) > 0:
		return fault.New(fault.ErrSetupChanged, "tampering: %s", strings.Join(moved, "; "))
	}
	return nil
}

// noRefs are the folders of a clone that are large and hold no refs.
var noRefs = []string{".git/objects", ".git/logs", ".git/hooks"}

// copyState returns the files of a folder, and the refs of a clone in it, each with
// their size, mode and times.
func copyState(dir string) map[string]string {
	out := map[string]string{}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		if err != nil || d.IsDir() && (d.Name() == ".git" && rel != ".git" || slices.Contains(noRefs, filepath.ToSlash(rel))) {
			return fs.SkipDir
		}
		if in, ok := strings.CutPrefix(filepath.ToSlash(rel), ".git/"); ok && in != "HEAD" && in != "packed-refs" && !strings.HasPrefix(in, "refs/") {
			return nil
		}
		if info, err := d.Info(); err == nil && !d.IsDir() {
			out[rel] = fmt.Sprint(info.Size(), info.Mode(), info.ModTime().UnixNano(), git.Changed(info).UnixNano())
		}
		return nil
	})
	return out
}
