package install

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Facts is the state of a repository's hooks, as seen from one of its work trees.
type Facts struct {
	Folder  string // the absolute path of the folder from which git runs hooks
	NoDir   bool   // Folder exists and is not a folder: hooks are switched off
	Program string // the path of git-plan, for environments whose PATH lacks it; may be empty
	Files   []File // one for each hook of All; pre-push first
}

// File is the file of one hook.
type File struct {
	Hook    Hook
	Path    string // the path at which git looks for it
	Real    string // Path with symbolic links resolved
	Exists  bool
	Content []byte
	Mode    fs.FileMode
	Trouble string // why the file could not be read; empty if it could

	Tracked bool // git tracks the file or its folder
	Outside bool // the file is in neither the work tree nor the common dir

	Manager    Manager
	ManualPath string // the file to which a person would add git-plan's lines
	Manual     []byte // the content of ManualPath
}

// Shared reports whether git runs hooks from a folder outside of the repository.
func (f *Facts) Shared() bool {
	own := func(file File) bool { return !file.Outside || file.Manager != NoManager }
	return !f.NoDir && !slices.ContainsFunc(f.Files, own)
}

// Gated reports whether git-plan's lines are in the pre-push hook that git runs, or in the file of its manager.
func (f *Facts) Gated() bool {
	gate := f.Files[0]
	at, _ := find(gate.Content)
	return runs(gate) && (at != nil || gate.byHand())
}

// First reports whether git-plan's lines come first in the pre-push hook, so that no other program has read its input.
func (f *Facts) First() bool {
	gate := f.Files[0]
	begin := place(gate.Content).start
	at, _ := find(gate.Content)
	return at != nil && at.start == begin || bytes.HasPrefix(gate.Content[begin:], []byte(evaluated(gate.Hook)))
}

// Look reads the state of the hooks.
func Look(ctx context.Context, r *git.Repo) (Facts, error) {
	folder, err := r.Ask(ctx, "rev-parse", "--path-format=absolute", "--git-path", "hooks")
	if err != nil {
		return Facts{}, err
	}
	f := Facts{Folder: filepath.FromSlash(folder), Program: program()}
	info, err := os.Stat(f.Folder)
	f.NoDir = err == nil && !info.IsDir()
	for _, h := range All() {
		file := read(h, filepath.Join(f.Folder, h.Name))
		legacy := read(h, file.Path+".legacy") // pre-commit moves a hook that it finds there, and runs it first
		if managerOf(f.Folder, r.Top, file.Content) == PreCommit && beginMark().Match(legacy.Content) {
			file = legacy
		}
		inCommon := inside(r.CommonDir, file.Real) // git tracks no files there
		inTree := !inCommon && r.Top != "" && inside(r.Top, file.Real)
		file.Outside = !inTree && !inCommon
		if inTree {
			out, err := r.Output(ctx, "--literal-pathspecs", "ls-files", "-z", "--", filepath.Dir(file.Real), file.Real)
			if file.Tracked = len(out) > 0; err != nil {
				return f, err
			}
		}
		file.Manager = managerOf(f.Folder, r.Top, file.Content)
		file.ManualPath = file.manualPath(r.Top)
		if file.Manual = file.Content; file.ManualPath != file.Path {
			file.Manual, _ = disk.ReadRegular(disk.Real(file.ManualPath))
		}
		f.Files = append(f.Files, file)
	}
	return f, nil
}

// program returns the path of git-plan, preferably the one on PATH; "" if the path has control characters.
func program() string {
	path, ok := proc.Find("git-plan")
	if !ok {
		path, _ = os.Executable()
	}
	path, err := filepath.Abs(path)
	if err != nil || strings.ContainsFunc(path, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return ""
	}
	return filepath.ToSlash(path) // the sh of Git for Windows needs it so
}

func read(h Hook, path string) File {
	f := File{Hook: h, Path: path, Real: disk.Real(path)}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		f.Real = filepath.Join(disk.Real(filepath.Dir(path)), filepath.Base(path))
		if _, err := os.Lstat(path); err == nil {
			f.Trouble = "it is a symbolic link to nothing"
		}
		return f
	}
	if f.Exists = err == nil; f.Exists {
		f.Mode = info.Mode()
		f.Content, err = disk.ReadRegular(f.Real)
	}
	switch {
	case f.Exists && !f.Mode.IsRegular():
		f.Trouble = "it is not an ordinary file"
	case err != nil:
		f.Trouble = err.Error()
	}
	return f
}

// inside reports whether path, which need not exist, is below the folder root. The file system compares folders.
func inside(root, path string) bool {
	want, err := os.Stat(root)
	if err != nil {
		return false
	}
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && os.SameFile(want, info) {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// shellLine matches the first line of a shell script, with or without env.
var shellLine = visible.NewPattern(`^#![ \t]*(?:\S*/)?(?:env(?:\.exe)?[ \t]+(?:\S*/)?)?(?:sh|bash|dash|ash|ksh|ksh93|mksh|lksh|yash|zsh)(?:\.exe)?(?:[ \t]|$)`)

// interpreter returns the interpreter in a hook's first line, "" for a shell or without such a line.
func interpreter(content []byte) string {
	line, _, _ := strings.Cut(string(content), "\n")
	if !strings.HasPrefix(line, "#!") || shellLine().MatchString(line) {
		return ""
	}
	return cmp.Or(strings.TrimSpace(line[2:]), "nothing")
}
