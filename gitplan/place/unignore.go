package place

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// look returns the state of the tree that sessions work in. A session does not decide what is
// left out of its commit: what git ignores only by the session's own rules counts as untracked.
// In a person's own work their rules count.
func (p *Place) look(ctx context.Context) (*worktree.Status, error) {
	if p.byHand() {
		return worktree.ReadStatus(ctx, p.Tree())
	}
	s, err := worktree.ReadStatusIgnored(ctx, p.Tree())
	if err != nil {
		return nil, err
	}
	p.sighted = s
	return s, p.unignore(ctx, s)
}

// byHand reports whether no session works, or worked, in the tree.
func (p *Place) byHand() bool { return p.index == nil && p.own.Session == "" }

// unignore adds to what is untracked the new files that git would not ignore by the rules with
// which the session began. Caches and the like are not work: no person would add what tools write
// beside it.
func (p *Place) unignore(ctx context.Context, s *worktree.Status) error {
	if p.byHand() {
		return nil
	}
	began := rulesThen{w: p, now: checkout.InProgress{Ignored: s.Ignored}, changed: map[string]bool{}, texts: map[string][]byte{}}
	var doubtful []string // without what was tracked: the session took that out of git
	for _, name := range s.Ignored {
		if !p.own.Has(name) && !p.byCheck(name) && !byTools(name) && !ofThisMachine(name) && began.differ(ctx, name) {
			doubtful = append(doubtful, slices.DeleteFunc(p.filesOf(name), func(name string) bool { return p.wasTracked(ctx, name) })...)
		}
	}
	if len(doubtful) == 0 {
		return nil
	}
	hidden, err := worktree.NotIgnored(ctx, p.Tree(), began.texts, doubtful)
	s.Unignored = hidden
	s.Untracked = append(s.Untracked, hidden...)
	return err
}

// wasTracked reports whether a file was tracked when the session began.
func (p *Place) wasTracked(ctx context.Context, name string) bool {
	began := strings.TrimSuffix(p.own.Head, journal.None)
	_, err := p.Repo.Resolve(ctx, began+":"+name)
	return began != "" && err == nil
}

// rulesThen returns the files of rules as they were when the session began.
type rulesThen struct {
	w       *Place
	now     checkout.InProgress // what is ignored now
	changed map[string]bool     // by the path of such a file
	texts   map[string][]byte   // of those that there were
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
	now, _ := journal.ReadRegular(filepath.Join(r.w.Tree().Top, rules))
	began, was := strings.TrimSuffix(r.w.own.Head, journal.None), now
	switch o, err := r.w.Repo.Read(ctx, began+":"+rules); {
	case began != "" && err == nil:
		was = o.Data
	case !r.w.own.Has(rules):
		if was = nil; rules != ".gitignore" && r.now.Has(rules) {
			r.texts[rules] = now
			return false
		}
	case r.w.own.Kept != "":
		if o, err := r.w.Repo.Read(ctx, r.w.own.Kept+":"+rules); err == nil {
			was = o.Data
		}
	}
	if was != nil {
		r.texts[rules] = was
	}
	bare := func(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r"), nil) }
	return !bytes.Equal(bare(was), bare(now))
}

// filesOf returns the files of an entry of what is ignored, which may be a folder, but none of a
// nested repository.
func (p *Place) filesOf(entry string) (out []string) {
	if !strings.HasSuffix(entry, "/") {
		return []string{entry}
	}
	p.walk(entry, func(name string, _ fs.DirEntry) bool {
		out = append(out, name)
		return true
	})
	return out
}

// walk visits the files of a folder in the tree of sessions, except those that tools write, until
// visiting one returns false.
func (p *Place) walk(folder string, visit func(name string, d fs.DirEntry) bool) {
	root, err := os.OpenRoot(p.Tree().Top)
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
		case !byTools(name) && !visit(name, d):
			return fs.SkipAll
		}
		return nil
	})
}

// byCheck reports whether a check wrote something, or a folder above it.
func (p *Place) byCheck(name string) bool {
	for at := name; at != "."; at = path.Dir(at) {
		if p.byproducts[at] || p.byproducts[at+"/"] {
			return true
		}
	}
	return false
}

// Names of what package managers, compilers, test runners and editors write beside
// the work, in whatever folder.
var (
	toolNames = []string{"node_modules", "target", "__pycache__", "venv", ".venv", "env", "build", "dist", "out", "bin", "obj",
		"coverage", "htmlcov", ".coverage", ".nyc_output", ".tox", ".nox", ".gradle", ".eggs", ".next", ".nuxt", ".terraform",
		".hypothesis", ".idea", ".vscode", ".vs", ".DS_Store", "logs", "tmp", "temp"}
	toolPatterns = []string{"*.py[co]", "*.class", "*.o", "*.a", "*.so", "*.obj", "*.exe", "*.dll", "*.log", "*.tmp", "*.sw[op]", "*~",
		".*cache*", "*.egg-info", "*.tsbuildinfo", "*.test", "*.out", "*.prof"}
)

// ofThisMachine reports whether a file, by its name, holds what no commit should have: the
// secrets and settings of one machine.
func ofThisMachine(p string) bool {
	name := path.Base(p)
	return name == ".env" || strings.HasPrefix(name, ".env.") || strings.Contains(name, ".local")
}

// byTools reports that a path is, or is below, what tools write by convention.
func byTools(p string) bool {
	for name := range strings.SplitSeq(strings.TrimSuffix(p, "/"), "/") {
		matches := func(pattern string) bool { ok, _ := path.Match(pattern, name); return ok }
		if slices.Contains(toolNames, name) || slices.ContainsFunc(toolPatterns, matches) {
			return true
		}
	}
	return false
}
