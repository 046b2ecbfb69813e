package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// The commit of a step has no ignored files, but checks can still see those that a session left.

// Names of what package managers, compilers, test runners and editors write.
var (
	toolNames = []string{"node_modules", "target", "__pycache__", "venv", ".venv", "env", "build", "dist", "out", "bin", "obj",
		"coverage", "htmlcov", ".coverage", ".nyc_output", ".tox", ".nox", ".gradle", ".eggs", ".next", ".nuxt", ".terraform",
		".hypothesis", ".idea", ".vscode", ".vs", ".DS_Store", "logs", "tmp", "temp"}
	toolPatterns = []string{"*.py[co]", "*.class", "*.o", "*.a", "*.so", "*.obj", "*.exe", "*.dll", "*.log",
		"*.tmp", "*.sw[op]", "*~",
		".*cache*", "*.egg-info", "*.tsbuildinfo", "*.test", "*.out", "*.prof"}
	lastingNames = []string{"target", "__pycache__", ".idea", ".vscode", ".vs", ".DS_Store", "logs", "tmp", "temp", "deps",
		"_build", "Pods", ".env*", "*.local*", ".yarn", ".pnp*", ".bundle", "*cache*", "*.py[co]", "*.log", "*.tmp", "*.sw[op]",
		"*~", "*.egg-info"} // of what no build of this tree makes, or makes again whenever it has to
	installedNames = []string{"node_modules", "venv", ".venv", "env", ".tox", ".nox", "vendor", ".gradle", ".terraform"}
)

// byTools reports whether a path is, or is below, what tools write by convention.
func byTools(p string) bool   { return isNamed(p, toolNames) || isNamed(p, toolPatterns) }
func installed(p string) bool { return isNamed(p, installedNames) }

func isNamed(p string, patterns []string) bool {
	for name := range strings.SplitSeq(strings.TrimSuffix(p, "/"), "/") {
		if slices.ContainsFunc(patterns, func(pattern string) bool { ok, _ := path.Match(pattern, name); return ok }) {
			return true
		}
	}
	return false
}

// TakeBuilt moves what git ignores and work made that is gone, such as dist/, out of the work tree, so that no check
// judges by it, and names what may be a person's and changed since. Installed packages and caches stay.
func (f *Files) TakeBuilt(by string, ignored []string, since time.Time) {
	var moved, changed []string
	state, theirs := &f.of.state, worktree.SetOf(f.of.ignoredAtFirst())
	to := f.of.Checkout.Repo.PlanDir("nested", integrity.Random(4))
	for _, entry := range ignored {
		from, at := filepath.Join(f.of.Dir(), entry), filepath.Join(to, entry)
		_, gone := os.Lstat(from)
		_, noRepo := os.Lstat(filepath.Join(from, ".git"))
		isNew := state.Name != "" && !state.Has(entry)
		if gone != nil || noRepo == nil || isNamed(entry, lastingNames) || installed(entry) || !disk.Direct(f.of.Dir(), entry) ||
			!isNew && !writtenSince(from, since) {
			continue
		}
		goes := isNew || byTools(entry) && !theirs.Has(entry)
		if goes && errors.Join(os.MkdirAll(filepath.Dir(at), 0o700), os.Rename(from, at)) == nil {
			moved = append(moved, entry)
		} else {
			changed = append(changed, visible.Shell(entry))
		}
	}
	if len(moved) > 0 {
		f.of.Runner.ReportNote(state.Name, visible.Few(moved)+", as "+by+" left it, is in "+to+" now: build again")
	}
	if len(changed) > 0 {
		f.of.Runner.ReportNote(state.Name, visible.Few(changed)+" is as "+by+
			" left it: build again, or remove it: git clean -fdX -- "+strings.Join(changed, " "))
	}
}

// ignoredAtFirst returns what git ignored before the first task of the plan, and records that.
func (w *Workspace) ignoredAtFirst() (was []string) {
	note := journal.NotesWithin(w.Checkout.Repo, "ignored").Note(w.Checkout.Attempts().Owner())
	err := note.Load(&was)
	if err != nil && !w.InClone() {
		was = w.Before.Ignored
		_ = note.Save(was) // else all of it is a person's
	}
	return was
}

// writtenSince reports whether something at or below a path was written since then, as far as it looks.
func writtenSince(top string, since time.Time) (is bool) {
	left := 20_000 // files and folders
	_ = filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
		info, unread := os.Lstat(name)
		is = is || unread == nil && !proc.Changed(info).Before(since)
		left--
		switch {
		case is, left == 0:
			return fs.SkipAll
		case err != nil, d.IsDir() && installed(d.Name()):
			return fs.SkipDir
		}
		return nil
	})
	return is
}

// ofThisMachine reports whether a file, by its name, holds secrets or settings of one machine, for no commit to have.
func ofThisMachine(p string) bool {
	name := path.Base(p)
	return name == ".env" || strings.HasPrefix(name, ".env.") || strings.Contains(name, ".local")
}

func (f *Files) written(name string, info fs.FileInfo) bool {
	return !f.of.state.Has(name) || !proc.Changed(info).Before(f.since)
}

func (f *Files) writtenOf(s *worktree.Status, names []string) (out []string) {
	ignored := worktree.SetOf(s.Ignored)
	for _, name := range names {
		info, err := os.Lstat(filepath.Join(f.of.Dir(), name))
		switch {
		case err != nil, info.IsDir(), !filepath.IsLocal(name), !ignored.Has(name), slices.Contains(s.Unignored, name),
			f.byCheck(name), slices.Contains(out, name):
		case f.written(name, info):
			out = append(out, name)
		}
	}
	return out
}

// noteHidden notes the ignored files that the session wrote, except what tools write.
func (f *Files) noteHidden(s *worktree.Status) {
	const maxWalked = 20_000 // files in an ignored folder
	was := worktree.SetOf(f.hidden)
	for _, entry := range s.Ignored {
		if byTools(entry) || f.byCheck(entry) {
			continue
		}
		for _, name := range f.filesOf(entry, maxWalked) {
			info, err := os.Lstat(filepath.Join(f.of.Dir(), name))
			if err == nil && f.written(name, info) && !was[name] {
				f.hidden = append(f.hidden, name)
			}
		}
	}
}

// setAside keeps what the session made or changed of the files that commands of the plan name and no commit has, and puts
// back what they were, so that no command judges by them. Installed dependencies are left alone: no build makes them again.
func (f *Files) setAside(ctx context.Context, s *worktree.Status) error {
	root, err := os.OpenRoot(f.of.Dir())
	if err != nil {
		return err
	}
	defer root.Close()
	var files []worktree.RawFile
	ignored, were := worktree.SetOf(s.Ignored), f.of.state.Named
	for _, name := range named(f.of) {
		file, known := were[name]
		file.Path = name
		info, err := root.Lstat(name)
		switch {
		case !known && (err != nil || info.IsDir() || !ignored.Has(name) || !f.written(name, info)):
		case slices.Contains(s.Unignored, name), !disk.Direct(f.of.Dir(), name):
		case installed(name):
			f.said = append(f.said, "a command of the plan goes by "+visible.OneLine(name,
				200)+", which git ignores and the session wrote: no other clone has it")
		default:
			files = append(files, file)
		}
	}
	changed, lost := f.compare(ctx, files, f.seen)
	all := append(slices.Clone(changed), lost...)
	if len(all) == 0 {
		return nil
	}
	text := "no commit has what a command of the plan names, so it is as before the session, or gone if that was not kept: " + visible.OneLine(strings.Join(all, ", "), 400)
	for _, name := range changed {
		if is := f.seen[name]; is.Size > maxIgnoredFile || is.Mode&^(fs.ModePerm|fs.ModeSymlink) != 0 {
			if to, err := integrity.SetAside(f.of.Checkout.Repo, filepath.Join(f.of.Dir(), name)); err == nil {
				text += "; what the session left is in " + to
			}
		}
	}
	tree, unread, err := worktree.KeepRaw(ctx, f.of.Tree(), changed)
	if err == nil && tree != "" {
		f.kept = keep(ctx, f.of, tree, "files that no commit has and commands of the plan name, as the session left them")
		text += "; what the session left comes back by: " + BringBack(f.kept)
	}
	for _, name := range changed {
		kept := tree != "" && f.kept != "" && !slices.Contains(unread, name)
		if kept && root.Remove(name) != nil && root.Chmod(path.Dir(name), 0o755) == nil { // which a session may have closed
			_ = root.Remove(name)
		}
		if _, err := root.Lstat(name); err == nil {
			return Failf("%s, which no commit has, cannot be put back to what it was before the session", visible.OneLine(name, 200))
		}
	}
	worktree.PutRaw(ctx, f.of.Tree(), f.of.state.Kept, slices.Collect(maps.Values(were)))
	f.compare(ctx, files, f.seen)
	f.aside, f.said = append(f.aside, all...), append(f.said, text)
	return nil
}

// maxLeft is how many bytes of what a session left git is given to read: it can leave what takes hours in a moment.
const maxLeft = 4 << 30

// setBigAside moves what a session left beyond maxLeft out of the tree, puts tracked files back, and reports if it did.
func (f *Files) setBigAside(ctx context.Context, s *worktree.Status) (any bool) {
	left := int64(maxLeft)
	for _, name := range append(s.Paths(), s.Untracked...) {
		file := worktree.RawFileOf(f.of.Tree(), name)
		if f.of.state.Has(name) || !file.Mode.IsRegular() || !disk.Direct(f.of.Dir(), name) {
			continue
		}
		if left -= file.Size; left >= 0 {
			continue
		}
		if to, err := integrity.SetAside(f.of.Checkout.Repo, filepath.Join(f.of.Dir(), name)); err == nil {
			left, any = left+file.Size, true
			f.said = append(f.said,
				fmt.Sprintf("%s (%d MB) is too large to be committed: it is in %s", visible.OneLine(name, 200), file.Size>>20, to))
			_ = f.of.Tree().Run(ctx, git.Command{Args: []string{"checkout-index", "--quiet", "--", name}})
		}
	}
	return any
}

// notSwapped fails if a check changed a file that commands name, and a later one changed it back before all had run.
func (f *Files) notSwapped(ctx context.Context, s *worktree.Status, run func(context.Context) error) error {
	was, swapped := map[string][]byte{}, map[string]bool{}
	ignored := worktree.SetOf(s.Ignored)
	for _, name := range named(f.of) {
		if ignored.Has(name) || f.of.state.Has(name) || worktree.RawFileOf(f.of.Tree(), name).Size > maxIgnoredFile {
			continue
		}
		if text, err := disk.ReadRegular(filepath.Join(f.of.Dir(), name)); err == nil {
			was[name] = text
		}
	}
	differs := func(name string) bool {
		now, err := disk.ReadRegular(filepath.Join(f.of.Dir(), name))
		return err != nil || !bytes.Equal(now, was[name])
	}
	f.ended = func() {
		for name := range was {
			swapped[name] = swapped[name] || differs(name)
		}
	}
	err := run(ctx)
	f.ended = func() {}
	back := slices.DeleteFunc(slices.Sorted(maps.Keys(swapped)), func(n string) bool { return !swapped[n] || differs(n) })
	if err == nil && len(back) > 0 {
		return Failf("a check changed %s, and a later one changed it back, so not every check judged what is committed",
			visible.Few(back))
	}
	return err
}

// withoutFolders runs checks without the empty folders that they name, which no commit will have and are put back.
func (f *Files) withoutFolders(ctx context.Context, s *worktree.Status, run func(context.Context) error) error {
	root, err := os.OpenRoot(f.of.Dir())
	if err != nil {
		return err
	}
	defer root.Close()
	folders := slices.DeleteFunc(Spec{Checks: f.of.Task.Checks}.names(f.of.Dir()), func(name string) bool {
		info, err := root.Lstat(name)
		if err != nil || !info.IsDir() || name == "." || !disk.Direct(f.of.Dir(), name) {
			return true
		}
		return root.Remove(name) != nil // it is not empty
	})
	err = f.notSwapped(ctx, s, run)
	missed := slices.DeleteFunc(slices.Clone(f.aside), func(name string) bool { // what the checks made again
		return !f.seen[name].Same(worktree.RawFileOf(f.of.Tree(), name))
	})
	for _, name := range named(f.of) { // what checks write stays
		f.seen[name] = worktree.RawFileOf(f.of.Tree(), name)
	}
	for _, name := range folders {
		if disk.Direct(f.of.Dir(), name) && root.Mkdir(name, 0o777) == nil {
			missed = append(missed, name+"/")
		}
	}
	if failure, ok := errors.AsType[*runner.CheckFailure](err); ok {
		failure.Uncommitted = slices.DeleteFunc(missed, func(name string) bool { // such as a folder that the session emptied
			_, err := f.of.Checkout.Repo.Resolve(ctx, f.of.Before.Head+":"+strings.TrimSuffix(name, "/"))
			return f.of.Before.Head != "" && err == nil
		})
	}
	return err
}

// systems are programs that come with a system, and that no package manager installs into a tree.
var systems = strings.Fields("awk basename bash cat chmod cmp comm cp cut date dd diff dirname echo env expr false find fgrep egrep grep head id " +
	"install ln ls make gmake mkdir mktemp mv od printf ps pwd readlink realpath rm rmdir sed sh sleep sort stat tail tar tee test timeout touch tr true " +
	"uname uniq wc xargs zsh dash git git-plan ssh sudo")

// shadowing returns ignored programs of the system's names that came since the plan's start, also by a failed session,
// in folders of the tree that are on PATH, as in a virtual environment: checks would run them, and no diff shows them.
func (f *Files) shadowing(s *worktree.Status) (out []string) {
	since := f.since
	if !f.of.InClone() && f.of.Checkout.Doc != nil && len(f.of.Checkout.Doc.Events) > 0 && !since.IsZero() {
		since = f.of.Checkout.Doc.Events[0].Time
	}
	root, err := os.OpenRoot(f.of.Dir())
	if since.IsZero() || err != nil {
		return nil
	}
	defer root.Close()
	ignored := worktree.SetOf(s.Ignored)
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if filepath.IsAbs(dir) {
			dir, _ = filepath.Rel(f.of.Checkout.Repo.Top, dir)
		}
		for _, program := range systems {
			name := path.Join(filepath.ToSlash(dir), program)
			info, err := root.Lstat(name)
			if err != nil || info.IsDir() || proc.Changed(info).Before(since) || !ignored.Has(name) || f.byCheck(name) {
				continue
			}
			if _, err := root.Stat(name); err == nil { // a link out of the tree shadows nothing
				out = append(out, name)
			}
		}
	}
	return out
}

// Artefacts returns notes on files not committed since only tools write them, and on ignored links out of the tree.
func (w *Workspace) Artefacts(s *worktree.Status) (notes []string) {
	for _, name := range s.Ignored {
		path := filepath.Join(w.Dir(), name)
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 || !w.Files.written(name, info) {
			continue
		}
		to, top := disk.Real(path), disk.Real(w.Dir())
		if (!disk.Within(top, to) || disk.Within(filepath.Join(top, ".git"), to)) && w.Runner.Once("link "+name) {
			notes = append(notes, visible.OneLine(name,
				200)+", which git ignores, is a link out of the tree since the session, to "+visible.OneLine(to, 200))
		}
	}
	for _, name := range s.Artefacts {
		if line, at := worktree.ArtefactLine(name); w.Runner.Once(line) {
			notes = append(notes, "not committed, since only a tool writes it: "+visible.OneLine(at,
				200)+"; a line in .gitignore keeps it out of git status: "+line)
		}
	}
	return notes
}
