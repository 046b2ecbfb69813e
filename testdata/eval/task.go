package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Task is a task for an agent, and how it is judged.
type Task struct {
	Name string `json:"-"`
	Goal string `json:"-"` // goal.md

	// The source: a module of Go in two versions, or files.txtar, which holds both, below from/ and to/.
	Module string `json:"module,omitempty"`
	From   string `json:"from,omitempty"`
	To     string `json:"to,omitempty"`
	// Program names an archive in programs/ that holds from/ of several such tasks.
	Program string   `json:"program,omitempty"`
	Made    []string `json:"-"` // the archives of the program and of files.txtar

	// Drop are the paths of hidden tests that are skipped.
	Drop []string `json:"drop,omitempty"`
	// F2P are the tests that fail before the change and pass after it; others that pass must not fail.
	F2P []string `json:"f2p"`
	// Keep are commands that must exit with 0, with what each proves about the work. BASE is the commit
	// before it.
	Keep map[string]string `json:"keep,omitempty"`
}

// check is the command by which a project checks itself.
const check = "go test -vet=off ./..."

// isTest reports whether a file of a version is a test, or serves only tests.
func (t *Task) isTest(path string) bool {
	parts := strings.Split(path, "/")
	return strings.HasSuffix(path, "_test.go") || slices.Contains(parts[:len(parts)-1], "testdata")
}

// readTasks returns the tasks of a folder: those named, or all, without those that follow a "-".
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
