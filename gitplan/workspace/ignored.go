package workspace

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// A step is done by its commit. Ignored files that a session left are in no diff and no commit, and yet the checks
// of the task see them.

// Names of what package managers, compilers, test runners and editors write.
var (
	toolNames = []string{"node_modules", "target", "__pycache__", "venv", ".venv", "env", "build", "dist", "out", "bin", "obj",
		"coverage", "htmlcov", ".coverage", ".nyc_output", ".tox", ".nox", ".gradle", ".eggs", ".next", ".nuxt", ".terraform",
		".hypothesis", ".idea", ".vscode", ".vs", ".DS_Store", "logs", "tmp", "temp"}
	toolPatterns = []string{"*.py[co]", "*.class", "*.o", "*.a", "*.so", "*.obj", "*.exe", "*.dll", "*.log", "*.tmp", "*.sw[op]", "*~",
		".*cache*", "*.egg-info", "*.tsbuildinfo", "*.test", "*.out", "*.prof"}
	installedNames = []string{"node_modules", "venv", ".venv", "env", ".tox", ".nox", "vendor", ".gradle", ".terraform"}
)

// byTools reports whether a path is, or is below, what tools write by convention.
func byTools(p string) bool {
	for name := range strings.SplitSeq(strings.TrimSuffix(p, "/"), "/") {
		matches := func(pattern string) bool { ok, _ := path.Match(pattern, name); return ok }
		if slices.Contains(toolNames, name) || slices.ContainsFunc(toolPatterns, matches) {
			return true
		}
	}
	return false
}

// installed reports whether a path is below what package managers write.
func installed(p string) bool {
	return slices.ContainsFunc(strings.Split(p, "/"), func(name string) bool { return slices.Contains(installedNames, name) })
}

// ofThisMachine reports whether a file, by its name, holds what no commit should have: the
// secrets and settings of one machine.
func ofThisMachine(p string) bool {
	name := path.Base(p)
	return name == ".env" || strings.HasPrefix(name, ".env.") || strings.Contains(name, ".local")
}

// written reports whether a file came or was written during the session.
func (w *provenance) written(name string, info fs.FileInfo) bool {
	return !w.of.state.Has(name) || !git.Changed(info).Before(w.since)
}

// writtenOf returns the files that git ignores and the session wrote.
func (w *provenance) writtenOf(s *worktree.Status, names []string) (out []string) {
	ignored := worktree.SetOf(s.Ignored)
	for _, name := range names {
		info, err := os.Lstat(filepath.Join(w.of.Dir(), name))
		switch {
		case err != nil, info.IsDir(), !filepath.IsLocal(name), !ignored.Has(name), slices.Contains(s.Unignored, name), w.byCheck(name), slices.Contains(out, name):
		case w.written(name, info):
			out = append(out, name)
		}
	}
	return out
}

// maxWalked bounds the files that are looked at in an ignored folder.
const maxWalked = 20_000

// noteHidden notes the ignored files that the session wrote, except what tools write.
func (w *provenance) noteHidden(s *worktree.Status) {
	was := worktree.SetOf(w.hidden)
	for _, entry := range s.Ignored {
		if byTools(entry) || w.byCheck(entry) {
			continue
		}
		for _, name := range w.filesOf(entry, maxWalked) {
			info, err := os.Lstat(filepath.Join(w.of.Dir(), name))
			if err == nil && w.written(name, info) && !was[name] {
				w.hidden = append(w.hidden, name)
			}
		}
	}
}

// withoutIgnored runs checks without what they name and no commit will have: ignored files that the session made, and
// empty folders. Those that no check creates again, as a build does, are put back.
func (w *provenance) withoutIgnored(ctx context.Context, s *worktree.Status, run func(context.Context) error) error {
	root, err := os.OpenRoot(w.of.Dir())
	if err != nil {
		return err
	}
	defer root.Close()
	files, folders := w.namedByChecks(root, s)
	if len(files) > 0 {
		w.of.state.Excluded = files
		if err := w.of.record(ctx); err != nil {
			return err
		}
		rules := path.Join(hiding(root), ".gitignore")
		_, _, _ = root.MkdirAll(hiding(root), 0o700), root.Remove(rules), root.WriteFile(rules, []byte("*\n"), 0o600)
		defer func() { _, _ = root.Remove(rules), root.Remove(hiding(root)) }() // which stays if a file is left in it
	}
	folders = slices.DeleteFunc(folders, func(name string) bool { return root.Remove(name) != nil })
	files = slices.DeleteFunc(files, func(name string) bool { return root.Rename(name, hiddenPath(root, name)) != nil })
	err = run(ctx)
	var missed []string
	for _, name := range files {
		if _, gone := root.Lstat(name); gone == nil {
			_ = root.Remove(hiddenPath(root, name)) // the checks made it again
		} else if disk.Direct(w.of.Dir(), name) && root.Rename(hiddenPath(root, name), name) == nil {
			missed = append(missed, name)
		}
	}
	w.of.state.Excluded = nil // each later record says so
	for _, name := range folders {
		if disk.Direct(w.of.Dir(), name) && root.Mkdir(name, 0o777) == nil {
			missed = append(missed, name+"/")
		}
	}
	var f *runner.CheckFailure
	if errors.As(err, &f) {
		f.Uncommitted = missed
	}
	return err
}

// moveBackAfterCrash moves back the files that were hidden from checks when git plan was killed.
func (w *provenance) moveBackAfterCrash() {
	root, err := os.OpenRoot(w.of.Dir())
	if err != nil {
		return
	}
	defer root.Close()
	for _, name := range w.of.state.Excluded {
		if _, gone := root.Lstat(name); gone != nil && disk.Direct(w.of.Dir(), name) {
			_ = root.Rename(hiddenPath(root, name), name)
		}
	}
	w.of.state.Excluded = nil
}

// hiding returns the folder for files that are hidden: in .git, or, where that is a file, at the top of the work tree,
// with rules by which git ignores it, so that a check which looks at git status does not see it.
func hiding(root *os.Root) string {
	if info, err := root.Lstat(".git"); err == nil && info.IsDir() {
		return ".git/plan/hidden"
	}
	return ".git-plan-hidden"
}

// hiddenPath returns where a file, whose name may be as long as names can be, is while it is hidden.
func hiddenPath(root *os.Root, p string) string {
	return fmt.Sprintf("%s/%x", hiding(root), sha256.Sum256([]byte(p)))
}

// namedByChecks returns the empty folders that the checks name, and the ignored files created since the task began,
// except those installed for the project: they are not work, and no build makes them again.
func (w *provenance) namedByChecks(root *os.Root, s *worktree.Status) (files, folders []string) {
	ignored := worktree.SetOf(s.Ignored)
	for _, name := range (Spec{Checks: w.of.Task.Checks}).names() {
		info, err := root.Lstat(name)
		switch {
		case err != nil, name == ".", !disk.Direct(w.of.Dir(), name), slices.Contains(files, name), slices.Contains(folders, name):
		case info.IsDir():
			if entries, err := fs.ReadDir(root.FS(), name); err == nil && len(entries) == 0 {
				folders = append(folders, name)
			}
		case !ignored.Has(name), slices.Contains(s.Unignored, name), w.byCheck(name), installed(name):
		case !w.of.state.Has(name), !w.of.began.IsZero() && !git.Changed(info).Before(w.of.began): // by an earlier session, too
			files = append(files, name)
		}
	}
	return files, folders
}

// systems are programs that come with a system, and that no package manager installs into a tree.
var systems = strings.Fields("awk basename bash cat chmod cmp comm cp cut date dd diff dirname echo env expr false find fgrep egrep grep head id " +
	"install ln ls make gmake mkdir mktemp mv od printf ps pwd readlink realpath rm rmdir sed sh sleep sort stat tail tar tee test timeout touch tr true " +
	"uname uniq wc xargs zsh dash git git-plan ssh sudo")

// shadowing returns programs of the system's names that came while the plan was worked on, in folders of the tree that
// are on PATH, as in a virtual environment: checks would run them, and git ignores them, so no diff shows them. Those of
// a failed session stay there, so the last session is not all that counts.
func (w *provenance) shadowing(s *worktree.Status) (out []string) {
	since := w.since
	if !w.of.InClone() && w.of.Checkout.Doc != nil && len(w.of.Checkout.Doc.Events) > 0 && !since.IsZero() {
		since = w.of.Checkout.Doc.Events[0].Time
	}
	root, err := os.OpenRoot(w.of.Dir())
	if since.IsZero() || err != nil {
		return nil
	}
	defer root.Close()
	ignored := worktree.SetOf(s.Ignored)
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if filepath.IsAbs(dir) {
			dir, _ = filepath.Rel(w.of.Checkout.Repo.Top, dir)
		}
		for _, program := range systems {
			name := path.Join(filepath.ToSlash(dir), program)
			info, err := root.Lstat(name)
			if err != nil || info.IsDir() || git.Changed(info).Before(since) || !ignored.Has(name) || w.byCheck(name) {
				continue
			}
			if _, err := root.Stat(name); err == nil { // a link out of the tree shadows nothing
				out = append(out, name)
			}
		}
	}
	return out
}

// Artefacts returns notes on the files in the tree that are not committed since only tools write them, and on links that
// git ignores and the session led out of the tree: what a build writes there, or a person removes, is elsewhere. Each
// kind is reported once in a run.
func (p *Workspace) Artefacts(s *worktree.Status) (notes []string) {
	for _, name := range s.Ignored {
		path := filepath.Join(p.Dir(), name)
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 || !p.wrote.written(name, info) {
			continue
		}
		if to := disk.Real(path); !disk.Within(disk.Real(p.Dir()), to) && p.Runner.Once("link "+name) {
			notes = append(notes, visible.OneLine(name, 200)+", which git ignores, is a link out of the tree since the session, to "+visible.OneLine(to, 200))
		}
	}
	for _, name := range s.Artefacts {
		if line, at := worktree.ArtefactLine(name); p.Runner.Once(line) {
			notes = append(notes, "not committed, since only a tool writes it: "+visible.OneLine(at, 200)+"; a line in .gitignore keeps it out of git status: "+line)
		}
	}
	return notes
}
