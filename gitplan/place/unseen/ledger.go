package unseen

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/git/worktree"
)

// Ledger says who wrote what in a tree where a task is at work, as far as git does not say it.
type Ledger struct {
	ByChecks  map[string]bool             // what checks wrote while a session was there, folders with a slash
	Rewritten []string                    // tracked files that checks changed, and no session before them
	Stay      map[string]worktree.RawFile // untracked files that checks wrote before any session

	// Of the session at work, or the last one:
	Since  time.Time // when it began, or a check of it ended; zero if there was none
	Hidden []string  // what it had written by then that git ignores
}

// NewLedger returns the ledger of a task that begins.
func NewLedger() Ledger {
	return Ledger{ByChecks: map[string]bool{}, Stay: map[string]worktree.RawFile{}}
}

// byCheck reports whether a check wrote something, or a folder above it.
func (l *Ledger) byCheck(name string) bool {
	for at := name; at != "."; at = path.Dir(at) {
		if l.ByChecks[at] || l.ByChecks[at+"/"] {
			return true
		}
	}
	return false
}

// WithoutByproducts notes the files that came while checks ran, and returns those of the session
// that are still there.
func (l *Ledger) WithoutByproducts(before, after []string) []string {
	var out []string
	for _, path := range after {
		if slices.Contains(before, path) {
			out = append(out, path)
		} else {
			l.ByChecks[path] = true
		}
	}
	return out
}

// Checked notes what checks wrote that git ignores, and what they changed in tracked files: it is
// not the session's work.
func (l *Ledger) Checked(before, after *worktree.Status) {
	for _, name := range after.Paths() {
		if !slices.Contains(before.Paths(), name) && !slices.Contains(l.Rewritten, name) {
			l.Rewritten = append(l.Rewritten, name)
		}
	}
	for _, name := range after.Ignored {
		if !slices.Contains(before.Ignored, name) {
			l.ByChecks[name] = true
		}
	}
}

// hide notes a file that the session wrote and git ignores.
func (l *Ledger) hide(name string) {
	if !slices.Contains(l.Hidden, name) {
		l.Hidden = append(l.Hidden, name)
	}
}

// Added returns the untracked files that are new since the task began, but no nested repository,
// which git lists as a folder, and nothing that was ignored before a session changed the rules.
func (l Look) Added(s *worktree.Status) []string {
	var out []string
	for _, path := range s.Untracked {
		if !l.Before.Has(path) && !l.ByChecks[path] && !l.stayed(path) && !strings.HasSuffix(path, "/") {
			out = append(out, path)
		}
	}
	return out
}

// Stays notes untracked files that a check wrote before any session, as they are: see Added.
func (l Look) Stays(paths []string) {
	for _, path := range paths {
		l.Stay[path] = worktree.RawFileOf(l.Tree, path)
	}
}

// stayed reports whether a file is still what a check wrote before any session.
func (l Look) stayed(path string) bool {
	was, ok := l.Stay[path]
	return ok && was.Same(worktree.RawFileOf(l.Tree, path))
}

// Inside returns the submodules in which a session left something uncommitted, and in which there
// was nothing before: no commit here can have that.
func (l Look) Inside(before, s *worktree.Status) (out []string) {
	for _, path := range s.Inside {
		if !l.ByChecks[path] && !slices.Contains(before.Inside, path) {
			out = append(out, path)
		}
	}
	return out
}
