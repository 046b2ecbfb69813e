package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/git-plan/git-plan/gitplan/proc"
)

// Task is a task for an agent, and how it is judged.
type Task struct {
	Name string `json:"-"`
	Goal string `json:"-"` // goal.md

	// The source: a module of Go in two versions, or files.txtar, which holds both, below from/ and to/.
	Module string `json:"module"`
	From   string `json:"from"`
	To     string `json:"to"`
	// Program names an archive in programs/ that holds from/ of several such tasks.
	Program string   `json:"program"`
	Made    []string `json:"-"` // the archives of the program and of files.txtar

	// Drop are the paths of hidden tests that are skipped.
	Drop []string `json:"drop"`
	// F2P are the tests that fail before the change and pass after it; others that pass must not fail.
	F2P []string `json:"f2p"`
	// Keep are commands that must exit with 0, with what each proves about the work. BASE is the commit
	// before it.
	Keep map[string]string `json:"keep"`
}

// check is the command by which a project checks itself.
const check = "go test -vet=off ./..."

// isTest reports whether a file of a version is a test, or serves only tests.
func (t *Task) isTest(path string) bool {
	parts := strings.Split(path, "/")
	return strings.HasSuffix(path, "_test.go") || slices.Contains(parts[:len(parts)-1], "testdata")
}

// readTasks returns the tasks of a folder: those named, or all.
func readTasks(dir string, names []string) (tasks []*Task, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if !slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == name }) {
			return nil, fmt.Errorf("there is no task %s in %s", name, dir)
		}
	}
	for _, e := range entries {
		if !e.IsDir() || len(names) > 0 && !slices.Contains(names, e.Name()) {
			continue
		}
		t, err := readTask(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, t)
	}
	return tasks, nil
}

// readTask reads the folder of one task.
func readTask(dir string) (*Task, error) {
	t := &Task{Name: filepath.Base(dir)}
	at := filepath.Join(dir, "task.json")
	text, err := os.ReadFile(at)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(t); err != nil {
		return nil, fmt.Errorf("%s: %w", at, err)
	}
	goal, err := os.ReadFile(filepath.Join(dir, "goal.md"))
	if err != nil {
		return nil, err
	}
	t.Goal = strings.TrimSpace(string(goal))
	if t.Program != "" {
		t.Made = []string{filepath.Join(dir, "..", "..", "programs", t.Program+".txtar")}
	}
	if made := filepath.Join(dir, "files.txtar"); !missing(made) {
		t.Made = append(t.Made, made)
	}
	switch {
	case (t.Module != "") == (t.Made != nil):
		return nil, fmt.Errorf("%s: it needs one source: module, or files.txtar beside it", at)
	case t.Made == nil && (t.From == "" || t.To == "" || t.From == t.To):
		return nil, fmt.Errorf("%s: from and to must be two versions", at)
	case t.Goal == "" || len(t.F2P) == 0:
		return nil, fmt.Errorf("%s: there is no goal, or no test that fails before the change (f2p)", at)
	}
	return t, nil
}

func missing(path string) bool {
	_, err := os.Lstat(path)
	return err != nil
}

// source is where the parts of a task are.
type source struct {
	from, to string // its two versions
	deps     string // the dependencies of both: a Go module cache
}

// workshop is the folder for downloads, trials and results.
type workshop struct {
	dir     string
	program string // git-plan
	agent   *Agent

	unshared *bool // see offline
	confined bool  // whether the last tests ran confined
}

// fetch returns the source of a task. Files that exist already are not fetched again.
func (w *workshop) fetch(ctx context.Context, t *Task) (source, error) {
	dir := filepath.Join(w.dir, "sources", t.id())
	s := source{filepath.Join(dir, "from"), filepath.Join(dir, "to"), filepath.Join(dir, "deps")}
	if !missing(dir) {
		return s, nil
	}
	part := dir + ".part" // it is renamed when it is complete
	if err := removeAll(part); err != nil {
		return s, err
	}
	if err := os.MkdirAll(filepath.Join(part, "deps"), 0o755); err != nil {
		return s, err
	}
	var err error
	if t.Module != "" {
		err = w.fetchModules(ctx, t, part)
	} else {
		err = unfold(part, t.Made...)
	}
	if err != nil {
		return s, fmt.Errorf("%s: %w", t.Name, err)
	}
	return s, os.Rename(part, dir)
}

// id names a task with its versions.
func (t *Task) id() string {
	if t.From == "" {
		return t.Name
	}
	return t.Name + "-" + t.From + "-" + t.To
}

// fetchModules fetches both versions and their dependencies into a module cache that sessions cannot see.
func (w *workshop) fetchModules(ctx context.Context, t *Task, dir string) error {
	for to, version := range map[string]string{"from": t.From, "to": t.To} {
		env := []string{"GOMODCACHE=" + filepath.Join(w.dir, "modules"), "GOFLAGS=-mod=mod", "GOWORK=off"}
		out, err := w.command(ctx, w.dir, env, "go", "mod", "download", "-json", t.Module+"@"+version)
		var at struct{ Dir string }
		if err != nil || json.Unmarshal([]byte(out), &at) != nil || at.Dir == "" {
			return fmt.Errorf("%s@%s did not come: %v\n%s", t.Module, version, err, out)
		}
		if err := os.CopyFS(filepath.Join(dir, to), os.DirFS(at.Dir)); err != nil {
			return err
		}
		if mod := filepath.Join(dir, to, "go.mod"); missing(mod) { // it is older than modules
			if err := os.WriteFile(mod, []byte("module "+t.Module+"\n"), 0o644); err != nil {
				return err
			}
		}
		env[0] = "GOMODCACHE=" + filepath.Join(dir, "deps")
		if out, err := w.command(ctx, filepath.Join(dir, to), env, "go", "mod", "download", "all"); err != nil {
			return fmt.Errorf("what %s@%s depends on did not come: %w\n%s", t.Module, version, err, out)
		}
	}
	return nil
}

// unfold writes the two versions of a task that was written by hand; to/ in its files has only the
// differences.
func unfold(dir string, archives ...string) error {
	all := &txtar.Archive{}
	for _, path := range archives {
		a, err := txtar.ParseFile(path)
		if err != nil {
			return err
		}
		all.Files = append(all.Files, a.Files...)
	}
	for _, version := range []string{"from", "to"} {
		for _, f := range all.Files {
			below, rest, _ := strings.Cut(f.Name, "/")
			if below != "from" && below != "to" || !filepath.IsLocal(rest) {
				return fmt.Errorf("%s: %s is neither below from/ nor below to/", archives[len(archives)-1], f.Name)
			}
			if below == "to" && version == "from" {
				continue
			}
			if err := writeFile(filepath.Join(dir, version, rest), f.Data); err != nil {
				return err
			}
		}
	}
	return nil
}

// files returns the paths of the regular files below a folder, sorted, with slashes.
func files(dir string) (paths []string, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && rel == ".git":
			return filepath.SkipDir
		case d.Type().IsRegular():
			paths = append(paths, filepath.ToSlash(rel))
		}
		return nil
	})
	slices.Sort(paths)
	return paths, err
}

func writeFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

// removeAll removes a folder, even what Go made read-only in it.
func removeAll(dir string) error {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(path, 0o755)
		}
		return nil
	})
	return os.RemoveAll(dir)
}

// repository makes a repository of the earlier version, with one commit on main.
func (w *workshop) repository(ctx context.Context, t *Task, s source, dir string) error {
	if err := os.CopyFS(dir, os.DirFS(s.from)); err != nil {
		return err
	}
	for _, argv := range [][]string{
		{"init", "-q", "-b", "main"}, {"add", "-A", "-f", "."}, {"commit", "-q", "-m", "The project as it is"},
	} {
		if out, err := w.command(ctx, dir, gitAlone, "git", argv...); err != nil {
			return fmt.Errorf("git %s: %w\n%s", argv[0], err, out)
		}
	}
	return nil
}

// gitAlone hides the person's own settings of git, and of git plan.
var gitAlone = []string{"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
	"GIT_AUTHOR_NAME=eval", "GIT_AUTHOR_EMAIL=eval@localhost", "GIT_COMMITTER_NAME=eval", "GIT_COMMITTER_EMAIL=eval@localhost"}

// command runs a program that needs no key, and returns its output.
func (w *workshop) command(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	out, said := &proc.Head{Max: 64 << 20}, &proc.Tail{}
	exit, err := proc.Run(ctx, proc.Cmd{Name: name, Args: args, Dir: dir, Env: append(w.environment(), env...), Stdout: out, Stderr: said, Group: true, Timeout: limit})
	if err == nil && !exit.OK() {
		return string(out.Text) + said.String(), fmt.Errorf("%s exits with %d", name, exit.Code)
	}
	return string(out.Text), err
}

// environment is the environment of every program except git-plan: no key of a model provider.
func (w *workshop) environment() []string {
	var secrets []string
	if w.agent != nil && w.agent.KeyEnv != "" {
		secrets = []string{w.agent.KeyEnv}
	}
	return proc.CheckEnv(secrets)
}

// depends returns the variables by which the tests of a task find their dependencies.
func (t *Task) depends(s source) []string {
	return []string{"GOMODCACHE=" + s.deps, "GOPROXY=off", "GOFLAGS=-mod=mod", "GOWORK=off", "GOTOOLCHAIN=local"}
}
