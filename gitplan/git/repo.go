package git

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// Repo is a repository as seen from one of its work trees. Close it.
type Repo struct {
	Top       string // top folder of the work tree; empty in a bare repository
	GitDir    string // of this work tree
	CommonDir string // shared by all work trees
	HooksDir  string // where git looks for hooks
	Format    string // object format: sha1 or sha256
	Apart     bool   // its work tree is a session's alone; see WithFiles

	// OnWrite is called with the process id of each git that writes, and with 0 when it has
	// ended. It may be nil.
	OnWrite func(pid int)

	// Trusted is called before each git that may execute what is configured. If it returns an
	// error, that git is not run. It may be nil.
	Trusted func(context.Context) error

	env      []string // the person's, see environment
	pinned   []string // what says which repository to use, see pin
	severed  []string // see Distrust
	silenced []string // settings that switch configured hooks off
	filters  []string // settings that confine filters, see ConfineFilters
	confined []string // the variable that those need
	objects  *reader
	encoder  encoder
}

// Close ends the process that reads objects.
func (r *Repo) Close() {
	if r != nil && r.objects != nil {
		r.objects.close()
	}
}

// Zero returns the object name that means "no object" in updates of refs.
func (r *Repo) Zero() string {
	if r.Format == "sha256" {
		return strings.Repeat("0", 64)
	}
	return strings.Repeat("0", 40)
}

// EmptyTree returns the object name of the tree without entries.
func (r *Repo) EmptyTree() string {
	if r.Format == "sha256" {
		return "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
	}
	return "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
}

// Operation returns what git is in the middle of in this work tree: "merge", "rebase",
// "cherry-pick", "revert", "bisect" or "".
func (r *Repo) Operation() string {
	for _, o := range [...]struct{ file, name string }{
		{"rebase-merge", "rebase"}, {"rebase-apply", "rebase"}, {"MERGE_HEAD", "merge"},
		{"CHERRY_PICK_HEAD", "cherry-pick"}, {"REVERT_HEAD", "revert"}, {"BISECT_LOG", "bisect"},
	} {
		if _, err := os.Lstat(filepath.Join(r.GitDir, o.file)); err == nil {
			return o.name
		}
	}
	return ""
}

// PlanDir returns the folder of this program's local state, <common dir>/plan, or a path in it.
func (r *Repo) PlanDir(elem ...string) string {
	return filepath.Join(append([]string{r.CommonDir, "plan"}, elem...)...)
}

// IndexFile returns the path of the index of this work tree.
func (r *Repo) IndexFile() string {
	for _, kv := range r.env {
		if v, ok := strings.CutPrefix(kv, "GIT_INDEX_FILE="); ok {
			return v
		}
	}
	return filepath.Join(r.GitDir, "index")
}

// dir returns the folder that git is run in.
func (r *Repo) dir() string {
	if r.Top != "" {
		return r.Top
	}
	return r.GitDir
}
