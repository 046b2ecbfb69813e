package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/sandbox"
	"github.com/git-plan/git-plan/gitplan/settings"
)

// limit is the time limit of a program that eval runs, such as tests.
const limit = 5 * time.Minute

// hide replaces the tests of a work tree by those of a version.
func (t *Task) hide(version, tree string) error {
	have, err := files(tree)
	if err != nil {
		return err
	}
	for _, p := range have {
		if t.isTest(p) {
			if err := os.Remove(filepath.Join(tree, p)); err != nil {
				return err
			}
		}
	}
	return t.copy(version, tree, func(p string) bool { return t.isTest(p) && !slices.Contains(t.Drop, p) })
}

// copy copies the chosen files of a version to a work tree.
func (t *Task) copy(version, tree string, chosen func(path string) bool) error {
	all, err := files(version)
	if err != nil {
		return err
	}
	for _, p := range all {
		if !chosen(p) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(version, p))
		if err != nil {
			return err
		}
		if err := writeFile(filepath.Join(tree, p), text); err != nil {
			return err
		}
	}
	return nil
}

// solve makes the change of the module's authors, without the tests.
func (t *Task) solve(s source, tree string) error {
	before, err := files(s.from)
	if err != nil {
		return err
	}
	for _, p := range before {
		if !t.isTest(p) && missing(filepath.Join(s.to, p)) {
			_ = os.Remove(filepath.Join(tree, p))
		}
	}
	return t.copy(s.to, tree, func(p string) bool { return !t.isTest(p) })
}

// test runs the tests of a work tree, and returns those that passed.
func (w *workshop) test(ctx context.Context, t *Task, s source, tree string) (map[string]bool, error) {
	const line = "go test -vet=off -count=1 -timeout 4m -json ./..."
	out := &proc.Head{Max: 64 << 20}
	if _, err := w.sealed(ctx, t, s, tree, nil, line, out); err != nil {
		return nil, err
	}
	return readGo(out.Text), nil
}

// sealed runs a command line in a work tree, confined like a session's checks, without a network if possible.
func (w *workshop) sealed(ctx context.Context, t *Task, s source, tree string, env []string, line string, out *proc.Head) (proc.Exit, error) {
	repo, err := git.Open(ctx, tree)
	if err != nil {
		return proc.Exit{}, err
	}
	defer repo.Close()
	config, err := repo.Config(ctx)
	if err != nil {
		return proc.Exit{}, err
	}
	set := settings.New(config)
	in, err := sandbox.Choose(ctx, set)
	if err != nil {
		return proc.Exit{}, err
	}
	box := sandbox.Of(repo, set)
	defer box.Close()
	bounds, err := box.Confine(in.Kind, tree, true)
	if err != nil {
		return proc.Exit{}, err
	}
	bounds = bounds.Reveal(s.deps).Protect(s.deps)
	w.confined = bounds != nil
	name, args := proc.Shell(line)
	if w.offline(ctx) {
		name, args = "unshare", append([]string{"-r", "-n", name}, args...)
	}
	return proc.Run(ctx, proc.Cmd{Name: name, Args: args, Dir: tree, Env: append(append(w.environment(), t.depends(s)...), env...),
		Stdout: out, Stderr: out, Group: true, Confine: bounds, Timeout: limit, MaxOutput: 64 << 20})
}

// offline reports whether a program can be started without a network here.
func (w *workshop) offline(ctx context.Context) bool {
	if w.unshared == nil {
		exit, err := proc.Run(ctx, proc.Cmd{Name: "unshare", Args: []string{"-r", "-n", "true"}, Group: true})
		ok := err == nil && exit.OK()
		w.unshared = &ok
	}
	return *w.unshared
}

// judged is the result of the hidden tests, and of the commands that must pass, for a commit.
type judged struct {
	passed map[string]bool
	broken []string
}

// judge runs the hidden tests on a commit of a repository, in a clean clone of it.
func (w *workshop) judge(ctx context.Context, t *Task, s source, repo, base, head, clone string) (j judged, err error) {
	for _, argv := range [][]string{{"clone", "-q", "--no-checkout", repo, clone}, {"-C", clone, "checkout", "-q", "--detach", head}} {
		if out, err := w.command(ctx, w.dir, gitAlone, "git", argv...); err != nil {
			return j, fmt.Errorf("git %s: %w\n%s", argv[0], err, out)
		}
	}
	for what, line := range t.Keep { // before the tests are replaced
		exit, err := w.sealed(ctx, t, s, clone, []string{"BASE=" + base}, line, &proc.Head{Max: 1 << 20})
		if err != nil {
			return j, err
		}
		if !exit.OK() {
			j.broken = append(j.broken, what)
		}
	}
	if err := t.hide(s.to, clone); err != nil {
		return j, err
	}
	j.passed, err = w.test(ctx, t, s, clone)
	return j, err
}

// readGo returns which top tests passed, of what go test -json printed, in all packages that have them.
func readGo(out []byte) map[string]bool {
	passed, failed := map[string]bool{}, map[string]bool{}
	for line := range bytes.Lines(out) {
		var e struct{ Action, Package, Test string }
		if json.Unmarshal(line, &e) != nil || e.Test == "" || strings.Contains(e.Test, "/") {
			continue
		}
		switch e.Action {
		case "pass":
			passed[e.Test] = true
		case "fail", "skip":
			failed[e.Test] = true
		}
	}
	for name := range failed { // in another package
		delete(passed, name)
	}
	return passed
}

// verified describes a verified task.
type verified struct {
	source source
	F2P    []string `json:"f2p"` // as the task had them
	P2P    []string `json:"p2p"` // tests that pass before the change, and after it
}

// verified returns the description of a task. It is verified when it is first used.
func (w *workshop) verified(ctx context.Context, t *Task) (*verified, error) {
	v := &verified{}
	var err error
	if v.source, err = w.fetch(ctx, t); err != nil {
		return nil, err
	}
	known := filepath.Join(filepath.Dir(v.source.from), "verified.json")
	if text, err := os.ReadFile(known); err == nil && json.Unmarshal(text, v) == nil && slices.Equal(v.F2P, t.F2P) {
		return v, nil
	}
	if err := w.verify(ctx, t, v); err != nil {
		return nil, fmt.Errorf("task %s is not sound: %w", t.Name, err)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return v, os.WriteFile(known, text, 0o644)
}

// verify runs the tests of each version on both versions.
func (w *workshop) verify(ctx context.Context, t *Task, v *verified) error {
	dir, err := os.MkdirTemp(w.dir, "verify")
	if err != nil {
		return err
	}
	defer func() { _ = removeAll(dir) }()
	s := v.source
	passed := map[string]map[string]bool{}
	for _, c := range []struct {
		name         string
		change, hide bool
	}{{"before", false, false}, {"hidden before", false, true}, {"hidden after", true, true}} {
		tree := filepath.Join(dir, c.name)
		if err := w.repository(ctx, t, s, tree); err != nil {
			return err
		}
		if c.change {
			if err := t.solve(s, tree); err != nil {
				return err
			}
		}
		if c.hide {
			if err := t.hide(s.to, tree); err != nil {
				return err
			}
		}
		if passed[c.name], err = w.test(ctx, t, s, tree); err != nil {
			return err
		}
	}
	before, after := passed["before"], passed["hidden after"]
	for _, name := range t.F2P {
		if passed["hidden before"][name] {
			return fmt.Errorf("%s passes before the change", name)
		}
		if !after[name] {
			return fmt.Errorf("%s does not pass after the change; only it lets these pass: %q", name, proposed(passed["hidden before"], after))
		}
	}
	v.F2P, v.P2P = t.F2P, nil
	for name := range before {
		if after[name] && !slices.Contains(t.F2P, name) {
			v.P2P = append(v.P2P, name)
		}
	}
	slices.Sort(v.P2P)
	return nil
}

// proposed lists tests for a task's F2P: those that pass only with the change.
func proposed(hiddenBefore, hiddenAfter map[string]bool) (names []string) {
	for name := range hiddenAfter {
		if !hiddenBefore[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
