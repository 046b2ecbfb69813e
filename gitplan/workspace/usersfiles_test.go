package workspace

import (
	"os"
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

// What a session changes is kept as it was, what it removes is back, and both are reported once.
func TestWhatASessionTouchesIsThePersonsAgain(t *testing.T) {
	w := newWorld(t).with("gone.txt", "mine\n").with("edited.txt", "as it was\n").with("kept.txt", "mine\n")
	files := w.remembers()
	w.removes("gone.txt")
	w.with("edited.txt", "theirs, and longer\n")
	touched, reported := files.User.Touched(t.Context())
	w.says(strings.Join(touched, " "), "edited.txt")
	w.says(strings.Join(reported, "\n"), "the session changed files that are not tracked: edited.txt; what they were is kept as "+journal.AttemptPrefix+w.site.Checkout.Doc.ID+"/a/1\n"+
		"the session removed files that are not tracked: gone.txt; they are back")
	w.says(repository.Read(t, "gone.txt"), "mine\n")
	w.says(repository.Ask(t, "show", ""+journal.AttemptPrefix+w.site.Checkout.Doc.ID+"/a/1:edited.txt"), "as it was")
	if touched, reported := files.User.Touched(t.Context()); len(touched)+len(reported) != 0 {
		t.Errorf("again: %v, %v", touched, reported)
	}
	files.User.seen = nil
	if touched, _ := files.User.Touched(t.Context()); len(touched) != 1 { // what nobody saw is looked at again
		t.Errorf("after a crash: %v", touched)
	}
}

// Files that the person has hidden from git, and edited, are theirs as well.
func TestHiddenEditsAreTheirs(t *testing.T) {
	w := newWorld(t).with("mine.txt", "mine\n")
	repository.Ask(t, "update-index", "--skip-worktree", "a.txt")
	files := w.with("a.txt", "my own\n").remembers()
	files.state.Phase = checkout.Checking
	w.with("a.txt", "changed by it\n").with("mine.txt", "changed by it\n")
	_, reported := files.User.Touched(t.Context())
	w.says(strings.Join(reported, "\n"), "a check changed files that are not tracked, or hidden from git: mine.txt, a.txt")
	w.says(files.User.why([]string{"a.txt"}), "hidden from git")
	w.says(during(files.state), "while a check ran")
}

// What is too big to keep, or cannot be read, is said before a session begins; what is ignored is
// missed, but for what tools make.
func TestWhatNothingKeepsIsReported(t *testing.T) {
	w := newWorld(t).with(".git/info/exclude", "notes\n*.pyc\n").with("notes", "n\n").with("x.pyc", "n\n").with("big.bin", strings.Repeat("x", maxUntracked+1))
	files := w.remembers()
	w.says(strings.Join(w.reported, "\n"), "not tracked, and too big to be kept, should a session change it: big.bin (64 MB)")
	w.removes("notes", "x.pyc", "big.bin")
	_, reported := files.User.Touched(t.Context())
	w.says(strings.Join(reported, "\n"), "the session removed files that are not tracked: big.bin\nfiles that git ignores were removed during the session, and nothing keeps those: notes")
	if _, reported := files.User.Touched(t.Context()); len(reported) != 0 {
		t.Errorf("again: %v", reported)
	}
}

// A second task of the same command keeps again only what is not as the first one found it.
func TestTheSameFilesAreKeptOnce(t *testing.T) {
	w := newWorld(t).with("mine.txt", "mine\n")
	first, second := w.remembers().state.Kept, w.remembers().state.Kept
	if first == "" || first != second {
		t.Errorf("kept: %s %s", first, second)
	}
	if third := w.with("mine.txt", "changed\n").remembers().state.Kept; third == second {
		t.Error("what changed is not kept")
	}
}

// A change of tracked files overwrites what is in its place: a file, one above it, a folder with
// files in it; ignored or not.
func TestWhatIsInTheWay(t *testing.T) {
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
