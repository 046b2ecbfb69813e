package workspace

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// A step is done by what is committed. What a session left where git does not look no diff shows and
// no commit has, and yet the checks of the task see it.

// provenance says who wrote what in a tree, as far as git does not say it.
type provenance struct {
	of        *Workspace
	byChecks  map[string]bool             // what checks wrote while a session was there, folders with a slash
	rewritten []string                    // tracked files that checks changed, and no session before them
	stays     map[string]worktree.RawFile // untracked files that checks wrote before any session

	// Of the current session, or the last one:
	since  time.Time // when it began, or a check of it ended; zero if there was none
	hidden []string  // what it had written by then that git ignores
}

func newProvenance(of *Workspace) provenance {
	return provenance{of: of, byChecks: map[string]bool{}, stays: map[string]worktree.RawFile{}}
}

// byCheck reports whether a check wrote something, or a folder above it.
func (w *provenance) byCheck(name string) bool {
	for at := name; at != "."; at = path.Dir(at) {
		if w.byChecks[at] || w.byChecks[at+"/"] {
			return true
		}
	}
	return false
}

// hide notes a file that the session wrote and git ignores.
func (w *provenance) hide(name string) {
	if !slices.Contains(w.hidden, name) {
		w.hidden = append(w.hidden, name)
	}
}

// sort notes the files that came while checks ran, and returns those of the session
// that are still there.
func (w *provenance) sort(before, after []string) (out []string) {
	was := checkout.PathsOf(before)
	for _, path := range after {
		if was[path] {
			out = append(out, path)
		} else {
			w.byChecks[path] = true
		}
	}
	return out
}

// checked notes what checks wrote between two looks at the tree, which is not the session's work,
// and returns the untracked files of the session that are still there.
func (w *provenance) checked(before, after *worktree.Status, added, addedAfter []string) []string {
	out := w.sort(added, addedAfter)
	w.sort(w.inside(before), w.inside(after))
	w.sort(before.Ignored, after.Ignored)
	was := checkout.PathsOf(before.Paths(), w.rewritten)
	for _, name := range after.Paths() {
		if !was[name] {
			w.rewritten = append(w.rewritten, name)
		}
	}
	return out
}

// added returns the untracked files that are new since the task began, except nested repositories,
// which git lists as folders, and what was ignored before a session changed the rules.
func (w *provenance) added(s *worktree.Status) (out []string) {
	for _, path := range s.Untracked {
		if Added(&w.of.state, path) && !w.byChecks[path] && !w.stayed(path) {
			out = append(out, path)
		}
	}
	return out
}

// Added reports whether an untracked file came during a task: it was not there before, and is no
// nested repository.
func Added(s *checkout.TaskState, path string) bool {
	return !s.Has(path) && !strings.HasSuffix(path, "/")
}

// noteStays notes untracked files that a check wrote before any session, as they are.
func (w *provenance) noteStays(paths []string) {
	for _, path := range paths {
		w.stays[path] = worktree.RawFileOf(w.of.Tree(), path)
	}
}

// stayed reports whether a file is still what a check wrote before any session.
func (w *provenance) stayed(path string) bool {
	was, ok := w.stays[path]
	return ok && was.Same(worktree.RawFileOf(w.of.Tree(), path))
}

// inside returns the submodules in which a session left something uncommitted, and in which there
// was nothing before: no commit here can have that.
func (w *provenance) inside(s *worktree.Status) (out []string) {
	for _, path := range s.Inside {
		if !w.byChecks[path] && !slices.Contains(w.of.Before.Inside, path) {
			out = append(out, path)
		}
	}
	return out
}

// nested returns the repositories that a session made in the tree: no commit here can have their files.
func (w *provenance) nested(s *worktree.Status) (out []string) {
	for _, name := range s.Untracked {
		if strings.HasSuffix(name, "/") && !w.of.state.Has(name) && !w.byCheck(name) {
			out = append(out, strings.TrimSuffix(name, "/"))
		}
	}
	return out
}

// Names of what package managers, compilers, test runners and editors write beside the work.
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

// unignore adds to what is untracked the new files that git would not ignore by the rules with
// which the session began. Caches and the like are not work: no person would add what tools write
// beside it.
func (w *provenance) unignore(ctx context.Context, s *worktree.Status) error {
	if w.of.byHand() {
		return nil
	}
	began := rulesThen{p: w.of, now: checkout.PathsOf(s.Ignored), changed: map[string]bool{}, texts: map[string][]byte{}}
	var doubtful []string // without what was tracked: the session took that out of git
	for _, name := range s.Ignored {
		if !w.of.state.Has(name) && !w.byCheck(name) && !byTools(name) && !ofThisMachine(name) && began.differ(ctx, name) {
			doubtful = append(doubtful, slices.DeleteFunc(w.filesOf(name), func(name string) bool { return w.wasTracked(ctx, name) })...)
		}
	}
	if len(doubtful) == 0 {
		return nil
	}
	hidden, err := worktree.NotIgnored(ctx, w.of.Tree(), began.texts, doubtful)
	s.Unignored = hidden
	s.Untracked = append(s.Untracked, hidden...)
	return err
}

// wasTracked reports whether a file was tracked when the session began.
func (w *provenance) wasTracked(ctx context.Context, name string) bool {
	began := strings.TrimSuffix(w.of.state.Head, journal.None)
	_, err := w.of.Checkout.Repo.Resolve(ctx, began+":"+name)
	return began != "" && err == nil
}

// rulesThen returns the files of ignore rules as they were when the session began.
type rulesThen struct {
	p       *Workspace
	now     checkout.Paths    // what is ignored now
	changed map[string]bool   // by the path of such a file
	texts   map[string][]byte // of those that existed
}

// differ reports whether rules that can apply to a path have changed.
func (r rulesThen) differ(ctx context.Context, p string) (differ bool) {
	for at := path.Dir(strings.TrimSuffix(p, "/")); ; at = path.Dir(at) {
		rules := path.Join(at, ".gitignore")
		if _, known := r.changed[rules]; !known {
			r.changed[rules] = r.read(ctx, rules)
		}
		differ = differ || r.changed[rules]
		if at == "." {
			return differ
		}
	}
}

// read notes what a file of rules was, and reports whether it has changed. Below the top, one
// that git ignores as well is a tool's, for its own cache.
func (r rulesThen) read(ctx context.Context, rules string) (changed bool) {
	state := &r.p.state
	now, _ := journal.ReadRegular(filepath.Join(r.p.Dir(), rules))
	began, was := strings.TrimSuffix(state.Head, journal.None), now
	switch o, err := r.p.Checkout.Repo.Read(ctx, began+":"+rules); {
	case began != "" && err == nil:
		was = o.Data
	case !state.Has(rules):
		if was = nil; rules != ".gitignore" && r.now.Has(rules) {
			r.texts[rules] = now
			return false
		}
	case state.Kept != "":
		if o, err := r.p.Checkout.Repo.Read(ctx, state.Kept+":"+rules); err == nil {
			was = o.Data
		}
	}
	if was != nil {
		r.texts[rules] = was
	}
	bare := func(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r"), nil) }
	return !bytes.Equal(bare(was), bare(now))
}

// filesOf returns the files of an entry of what is ignored, which may be a folder, except those of
// nested repositories.
func (w *provenance) filesOf(entry string) (out []string) {
	if !strings.HasSuffix(entry, "/") {
		return []string{entry}
	}
	w.walk(entry, func(name string) bool {
		out = append(out, name)
		return true
	})
	return out
}

// walk visits the files of a folder, except those that tools write, until
// visiting one returns false.
func (w *provenance) walk(folder string, visit func(name string) bool) {
	root, err := os.OpenRoot(w.of.Dir())
	if err != nil {
		return
	}
	defer root.Close()
	_ = fs.WalkDir(root.FS(), path.Clean(folder), func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil, d.IsDir() && byTools(name):
			return fs.SkipDir
		case d.IsDir():
			if _, err := root.Lstat(path.Join(name, ".git")); err == nil {
				return fs.SkipDir
			}
		case !byTools(name) && !visit(name):
			return fs.SkipAll
		}
		return nil
	})
}

// writtenOf returns those of some files that git ignores and the session wrote.
func (w *provenance) writtenOf(s *worktree.Status, names []string) (out []string) {
	ignored := checkout.PathsOf(s.Ignored)
	for _, name := range names {
		info, err := os.Lstat(filepath.Join(w.of.Dir(), name))
		switch {
		case err != nil, info.IsDir(), !filepath.IsLocal(name), !ignored.Has(name), slices.Contains(s.Unignored, name), w.byCheck(name), slices.Contains(out, name):
		case !w.of.state.Has(name), !git.Changed(info).Before(w.since):
			out = append(out, name)
		}
	}
	return out
}

// mostWalked bounds the files that are looked at in a folder that git ignores.
const mostWalked = 20_000

// noteHidden notes ignored files that the session wrote, except what tools write.
func (w *provenance) noteHidden(s *worktree.Status) {
	was := checkout.PathsOf(w.hidden)
	hide := func(name string, fresh bool) {
		info, err := os.Lstat(filepath.Join(w.of.Dir(), name))
		if (fresh || err == nil && !git.Changed(info).Before(w.since)) && !was[name] {
			w.hidden = append(w.hidden, name)
		}
	}
	for _, name := range s.Ignored {
		fresh := !w.of.state.Has(name)
		switch {
		case byTools(name), w.byCheck(name):
		case strings.HasSuffix(name, "/"):
			walked := 0
			w.walk(name, func(name string) bool {
				hide(name, fresh)
				walked++
				return walked < mostWalked
			})
		default:
			hide(name, fresh)
		}
	}
}

// asCommitted runs checks without what they name and no commit will have: ignored files that the
// session made, and empty folders. These are hidden while the checks run. A check may create them
// again, as a build does; the others are moved back.
func (w *provenance) asCommitted(ctx context.Context, s *worktree.Status, run func(context.Context) error) error {
	root, err := os.OpenRoot(w.of.Dir())
	if err != nil {
		return err
	}
	defer root.Close()
	files, folders := w.onlyHere(root, s)
	if len(files) > 0 {
		w.of.state.Excluded = files
		if err := w.of.record(ctx); err != nil {
			return err
		}
	}
	files = slices.DeleteFunc(files, func(name string) bool { return root.Rename(name, hidingPlace(root, name)) != nil })
	folders = slices.DeleteFunc(folders, func(name string) bool { return root.Remove(name) != nil })
	back, err := worktree.AsCommitted(ctx, w.of.Tree(), w.of.Checkout.Config.Git, s.Paths(), w.added(s), w.of.began)
	if err == nil {
		err = run(ctx)
	}
	var missed, converted []string
	if back != nil {
		converted = back()
	}
	for _, name := range files {
		if _, gone := root.Lstat(name); gone == nil {
			_ = root.Remove(hidingPlace(root, name)) // the checks made it again
		} else if root.Rename(hidingPlace(root, name), name) == nil {
			missed = append(missed, name)
		}
	}
	w.of.state.Excluded = nil // each later record says so
	for _, name := range folders {
		if root.Mkdir(name, 0o777) == nil {
			missed = append(missed, name+"/")
		}
	}
	var f *runner.CheckFailure
	if errors.As(err, &f) {
		f.Uncommitted, f.Converted = missed, converted
	}
	return err
}

// backFromHiding puts back what was hidden from the checks when git plan was killed.
func (w *provenance) backFromHiding() error {
	root, err := os.OpenRoot(w.of.Dir())
	if err != nil {
		return err
	}
	defer root.Close()
	for _, name := range w.of.state.Excluded {
		if _, gone := root.Lstat(name); gone != nil {
			_ = root.Rename(hidingPlace(root, name), name)
		}
	}
	return nil
}

// hidingPlace returns where a file is while it is hidden: in .git/plan, so that a check which looks
// at git status does not see it. Where .git is a file it is in the folder of the file itself.
func hidingPlace(root *os.Root, p string) string {
	const dir = ".git/plan/hidden"
	if info, err := root.Lstat(".git"); err == nil && info.IsDir() && root.MkdirAll(dir, 0o700) == nil {
		return path.Join(dir, strings.NewReplacer("%", "%25", "/", "%2f").Replace(p))
	}
	return path.Join(path.Dir(p), ".git-plan-aside-"+path.Base(p))
}

// onlyHere returns the files and folders that the checks name and no commit will have, except
// what is installed for the project: that is not work, and no build makes it again.
func (w *provenance) onlyHere(root *os.Root, s *worktree.Status) (files, folders []string) {
	ignored := checkout.PathsOf(s.Ignored)
	for _, name := range (Spec{Checks: w.of.Task.Checks}).names() {
		info, err := root.Lstat(name)
		switch {
		case err != nil, name == ".", !filepath.IsLocal(name), slices.Contains(files, name), slices.Contains(folders, name):
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
	"uname uniq wc xargs zsh dash git")

// shadowing returns programs of the system's names that came while the plan was worked on, in folders
// of the tree that are on PATH, as that of a virtual environment is: checks would run them in place
// of the system's own, and git ignores them, so no diff shows them. Those of a failed session stay
// there, so the last session is not all that counts.
func (w *provenance) shadowing(s *worktree.Status) (out []string) {
	since := w.since
	if w.of.backend.persistent() && w.of.Checkout.Doc != nil && len(w.of.Checkout.Doc.Events) > 0 && !since.IsZero() {
		since = w.of.Checkout.Doc.Events[0].Time
	}
	root, err := os.OpenRoot(w.of.Dir())
	if since.IsZero() || err != nil {
		return nil
	}
	defer root.Close()
	ignored := checkout.PathsOf(s.Ignored)
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

// Artefacts returns notes on the files in the tree that are not committed since only tools write
// them. Each kind is reported once in a run.
func (p *Workspace) Artefacts() (notes []string) {
	if p.sighted == nil {
		return nil
	}
	for _, name := range slices.Concat(p.sighted.Rewritten, p.sighted.Artefacts) {
		if line, at := worktree.ArtefactLine(name); p.Runner.Once(line) {
			notes = append(notes, "not committed, since only a tool writes it: "+visible.OneLine(at, 200)+"; a line in .gitignore keeps it out of git status: "+line)
		}
	}
	return notes
}
