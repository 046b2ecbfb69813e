package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// source is where the parts of a task are.
type source struct {
	from, to string // its two versions
	deps     string // the dependencies of both: a Go module cache
}

// workshop is the folder for downloads, trials and results.
type workshop struct {
	dir     string
	tasks   string // the folder of tasks
	program string // git-plan
	agent   *Agent
	keep    bool // the folders of trials

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
