package persons

import (
	"os"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/site"
	"github.com/git-plan/git-plan/testdata/repository"
)

// world is a repository with one commit, and what was reported.
type world struct {
	*testing.T
	site     *site.Site
	reported []string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	repository.Here(t)
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv(proc.EnvDepth, "")
	repository.Write(t, "a.txt", "one\n")
	repository.Commit(t, "first")
	w := &world{T: t}
	c, err := checkout.Open(t.Context())
	w.fine(err)
	t.Cleanup(c.Close)
	w.site = &site.Site{Checkout: c, On: func(n journal.Notice) { w.reported = append(w.reported, n.Text) }}
	return w
}

// with writes a file of the person's.
func (w *world) with(name, text string) *world {
	w.Helper()
	repository.Write(w.T, name, text)
	return w
}

func (w *world) now() *worktree.Status {
	w.Helper()
	s, err := worktree.ReadStatusIgnored(w.Context(), w.site.Repo)
	w.fine(err)
	return s
}

// remembers is the beginning of a task.
func (w *world) remembers() Files {
	w.Helper()
	was, err := Remember(w.Context(), w.site, w.site.Repo, w.now(), "a")
	w.fine(err)
	return Files{Site: w.site, Tree: w.site.Repo, Was: &was}
}

func (w *world) removes(names ...string) {
	w.Helper()
	for _, name := range names {
		w.fine(os.Remove(name))
	}
}

// says fails the test unless a text holds a part.
func (w *world) says(text, want string) {
	w.Helper()
	if !strings.Contains(text, want) || want == "" && text != "" {
		w.Errorf("%q does not say %q", text, want)
	}
}

func (w *world) fine(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// What a session changes is kept as it was, what it removes is back, and both are reported once.
func TestWhatASessionTouchesIsThePersonsAgain(t *testing.T) {
	w := newWorld(t).with("gone.txt", "mine\n").with("edited.txt", "as it was\n").with("kept.txt", "mine\n")
	files := w.remembers()
	w.removes("gone.txt")
	w.with("edited.txt", "theirs, and longer\n")
	seen, touched, reported := files.Touched(t.Context(), nil)
	w.says(strings.Join(touched, " "), "edited.txt")
	w.says(strings.Join(reported, "\n"), "the session changed files that are not tracked: edited.txt; what they were is kept as refs/plan-attempts/none/a/1\n"+
		"the session removed files that are not tracked: gone.txt; they are back")
	w.says(repository.Read(t, "gone.txt"), "mine\n")
	w.says(repository.Ask(t, "show", "refs/plan-attempts/none/a/1:edited.txt"), "as it was")
	if _, touched, reported := files.Touched(t.Context(), seen); len(touched)+len(reported) != 0 {
		t.Errorf("again: %v, %v", touched, reported)
	}
	if _, touched, _ := files.Touched(t.Context(), nil); len(touched) != 1 { // what nobody saw is looked at again
		t.Errorf("after a crash: %v", touched)
	}
}

// Files that the person has hidden from git, and edited, are theirs as well.
func TestHiddenEditsAreTheirs(t *testing.T) {
	w := newWorld(t).with("mine.txt", "mine\n")
	repository.Ask(t, "update-index", "--skip-worktree", "a.txt")
	files := w.with("a.txt", "my own\n").remembers()
	files.Was.Proving = true
	w.with("a.txt", "changed by it\n").with("mine.txt", "changed by it\n")
	_, _, reported := files.Touched(t.Context(), nil)
	w.says(strings.Join(reported, "\n"), "a check changed files that are not tracked, or hidden from git: mine.txt, a.txt")
	w.says(files.Why([]string{"a.txt"}), "hidden from git")
	w.says(files.During(), "while a check ran")
}

// What is too big to keep, or cannot be read, is said before a session begins; what is ignored is
// missed, but for what tools make.
func TestWhatNothingKeepsIsReported(t *testing.T) {
	w := newWorld(t).with(".git/info/exclude", "notes\n*.pyc\n").with("notes", "n\n").with("x.pyc", "n\n").with("big.bin", strings.Repeat("x", maxUntracked+1))
	files := w.remembers()
	w.says(strings.Join(w.reported, "\n"), "not tracked, and too big to be kept, should a session change it: big.bin (64 MB)")
	w.removes("notes", "x.pyc", "big.bin")
	seen, _, reported := files.Touched(t.Context(), nil)
	w.says(strings.Join(reported, "\n"), "the session removed files that are not tracked: big.bin\nfiles that git ignores were removed during the session, and nothing keeps those: notes")
	if _, _, reported := files.Touched(t.Context(), seen); len(reported) != 0 {
		t.Errorf("again: %v", reported)
	}
}

// A second task of the same command keeps again only what is not as the first one found it.
func TestTheSameFilesAreKeptOnce(t *testing.T) {
	w := newWorld(t).with("mine.txt", "mine\n")
	first, second := w.remembers().Was.Kept, w.remembers().Was.Kept
	if first == "" || first != second {
		t.Errorf("kept: %s %s", first, second)
	}
	if third := w.with("mine.txt", "changed\n").remembers().Was.Kept; third == second {
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
	inTheWay, err := InTheWay(t.Context(), w.site.Repo, w.now(), from, to)
	w.fine(err)
	w.says(strings.Join(inTheWay, " "), "file.txt folder/in.txt ignored.log name")
}
