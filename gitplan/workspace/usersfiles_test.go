package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/testdata/repository"
)

// with writes a file of the user's.
func (w *world) with(name, text string) *world {
	w.Helper()
	write(w.T, w.dir, name, text)
	return w
}

func (w *world) now() *worktree.Status {
	w.Helper()
	s, err := worktree.ReadStatusIgnored(w.Context(), w.site.Checkout.Repo)
	fine(w.T, err)
	return s
}

// remembers is the beginning of a task.
func (w *world) remembers() *Workspace {
	w.Helper()
	p := At(w.site, w.now())
	fine(w.T, p.RecordUserFiles(w.Context(), "a"))
	return p
}

func (w *world) removes(names ...string) {
	w.Helper()
	for _, name := range names {
		fine(w.T, os.Remove(name))
	}
}

// The original of a changed file is kept, a removed one is restored, and both are reported once.
func TestTouchedFilesAreRestored(t *testing.T) {
	w := newWorld(t).with("gone.txt", "mine\n").with("edited.txt", "as it was\n").with("kept.txt", "mine\n")
	files := w.remembers()
	w.removes("gone.txt")
	w.with("edited.txt", "theirs, and longer\n")
	touched, reported := files.Files.Touched(t.Context())
	w.says(strings.Join(touched, " "), "edited.txt")
	w.says(strings.Join(reported, "\n"), "the session changed files that no commit has: edited.txt; to bring them back as they were: git restore --overlay --source="+journal.AttemptPrefix+w.site.Checkout.Doc.ID+"/a/1 -- ")
	w.says(strings.Join(reported, "\n"), "the session removed files that no commit has: gone.txt; they are back")
	w.says(repository.Read(t, "gone.txt"), "mine\n")
	w.says(repository.Ask(t, "show", ""+journal.AttemptPrefix+w.site.Checkout.Doc.ID+"/a/1:edited.txt"), "as it was")
	if touched, reported := files.Files.Touched(t.Context()); len(touched)+len(reported) != 0 {
		t.Errorf("again: %v, %v", touched, reported)
	}
	clear(files.Files.users)
	if touched, _ := files.Files.Touched(t.Context()); len(touched) != 1 { // what nobody saw is looked at again
		t.Errorf("after a crash: %v", touched)
	}
}

// Files that the person has hidden from git are theirs as well, edited or not.
func TestHiddenFilesAreRestored(t *testing.T) {
	w := newWorld(t).with("mine.txt", "mine\n")
	repository.Ask(t, "update-index", "--skip-worktree", "a.txt")
	files := w.remembers()
	files.state.Phase = checkout.Checking
	w.with("a.txt", "changed by it\n").with("mine.txt", "changed by it\n")
	_, reported := files.Files.Touched(t.Context())
	w.says(strings.Join(reported, "\n"), "a check changed files that no commit has: mine.txt, a.txt")
	_, during := who(files.state)
	w.says(during, "while a check ran")
}

// Files that are too big to keep are reported before a session begins.
func TestFilesTooBigToKeepAreReported(t *testing.T) {
	w := newWorld(t).with("big.bin", strings.Repeat("x", maxUntracked+1))
	files := w.remembers()
	w.says(strings.Join(w.reported, "\n"), "not kept, should a session change it, since it is too big, or one too many: big.bin (64 MB)")
	w.removes("big.bin")
	_, reported := files.Files.Touched(t.Context())
	w.says(strings.Join(reported, "\n"), "the session removed files that no commit has: big.bin; what they were is not kept")
}

// Only files of a session are moved away because of their size, however many of the user's there are.
func TestBigFilesOfTheUserStay(t *testing.T) {
	w := newWorld(t).with("a.img", "").with("c.txt", "mine\n")
	fine(t, os.Truncate("a.img", maxLeft+1))
	p := w.remembers()
	if w.with("b.txt", "b\n"); p.Files.setBigAside(t.Context(), w.now()) {
		t.Errorf("%q", p.Files.said)
	}
	w.with("d.img", "")
	fine(t, os.Truncate("d.img", maxLeft+1))
	if !p.Files.setBigAside(t.Context(), w.now()) || len(p.Files.said) != 1 {
		t.Errorf("%q", p.Files.said)
	}
}

// Ignored files that are listed one by one are kept if a session changes or removes them, and restored by the
// command in the message; files in ignored folders cost nothing, however many.
func TestIgnoredFilesAreKept(t *testing.T) {
	var gits [2]int
	for i, modules := range []int{1, 3000} {
		w := newWorld(t).with(".git/info/exclude", ".env\n*.sqlite\nlinked\n/dump\n*.pyc\nmodules/\n/data/\n").with("data/x", "x")
		for n := range modules {
			w.with(fmt.Sprintf("modules/%d", n), "x")
		}
		w.with(".env", "SECRET=mine\n").with("db.sqlite", "mine").with("linked", "mine").with("dump", strings.Repeat("x", maxIgnoredFile+1)).with("x.pyc", "x")
		trace := filepath.Join(t.TempDir(), "trace")
		t.Setenv("GIT_TRACE", trace)
		files := w.again().remembers()
		fine(t, os.Link("linked", "modules/link"))
		fine(t, os.RemoveAll("data"))
		w.removes("db.sqlite", "x.pyc", "modules/0")
		w.with(".env", "SECRET=them\n").with("dump", "short").with("modules/new", "x")
		touched, reported := files.Files.Touched(t.Context())
		t.Setenv("GIT_TRACE", "")
		gits[i] = strings.Count(repository.Read(t, trace), "trace: built-in: ")
		ref := journal.AttemptPrefix + w.site.Checkout.Doc.ID + "/a/"
		command := "git restore --overlay --source=" + ref
		w.says(strings.Join(reported, "\n"), "the session changed files that are ignored: .env, dump; to bring them back as they were, but not dump: "+command+"1 -- :/\n"+
			"the session removed files that are ignored: data/, db.sqlite; to bring them back as they were, but not data/: "+command+"2 -- :/")
		w.says(strings.Join(touched, " "), "")
		fine(t, os.Mkdir("sub", 0o755))
		for _, n := range "12" {
			w.git(strings.Fields("-C sub " + command[4:] + string(n) + " -- :/")...)
		}
		w.has(".env", "SECRET=mine\n")
		w.has("db.sqlite", "mine")
		w.has("dump", "short")
	}
	if gits[0] != gits[1] || gits[0] == 0 {
		t.Errorf("git runs %d times with one ignored file in a folder, %d with 3000", gits[0], gits[1])
	}
}

// A second task of the same command keeps only files that differ from the first one's.
func TestSameFilesAreKeptOnce(t *testing.T) {
	w := newWorld(t).with("mine.txt", "mine\n")
	first, second := w.remembers().state.Kept, w.remembers().state.Kept
	if first == "" || first != second {
		t.Errorf("kept: %s %s", first, second)
	}
	if third := w.with("mine.txt", "changed\n").remembers().state.Kept; third == second {
		t.Error("what changed is not kept")
	}
}

// A change of tracked files overwrites what is in its place: a file, one above it, a folder with files in it,
// ignored or not.
func TestFilesInTheWay(t *testing.T) {
	w := newWorld(t)
	from := w.now().Head
	for _, name := range []string{"file.txt", "folder/in.txt", "name", "ignored.log", "free.txt"} {
		w.with(name, "x\n")
	}
	to := repository.Commit(t, "second")
	repository.Ask(t, "reset", "-q", "--hard", from)
	w.with(".git/info/exclude", "*.log\n").with("file.txt", "mine\n").with("folder", "mine\n").with("name/in.txt", "mine\n").with("ignored.log", "mine\n")
	inTheWay, err := InTheWay(t.Context(), w.site.Checkout.Repo, w.now(), from, to)
	fine(t, err)
	w.says(strings.Join(inTheWay, " "), "file.txt folder/in.txt ignored.log name")
}
