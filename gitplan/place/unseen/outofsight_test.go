package unseen

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/site"
	"github.com/git-plan/git-plan/testdata/repository"
)

// Work in what git ignores is none that a commit could have; that another session could not help
// is known if the task itself asks for it.
func TestOutOfSight(t *testing.T) {
	for name, story := range map[string]struct {
		wrote, files, asked string
		empty               bool
		reason              string
		hopeless            bool
	}{
		"what the task is to write":        {"x.old b.txt", "x.old", "x.old", false, "what it did is in x.old, which git ignores", true},
		"what a check names":               {"x.old", "", "x.old", true, "what it did is in x.old, which git ignores", true},
		"what a check names, beside work":  {"x.old b.txt", "", "x.old", false, "", false},
		"nothing else":                     {"x.old", "", "", true, "what it did is in x.old, which git ignores", false},
		"nothing but what a tool writes":   {"x.pyc", "", "", true, "", false},
		"nothing at all, and nothing else": {"", "b.txt", "b.txt", true, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			l := began(t, "*.old\n*.pyc\n")
			for _, name := range strings.Fields(story.wrote) {
				repository.Write(t, name, "x\n")
			}
			reason, hopeless := l.OutOfSight(sees(t, l.Tree), strings.Fields(story.files), strings.Fields(story.asked), story.empty)
			if reason != story.reason || hopeless != story.hopeless {
				t.Errorf("%q, hopeless %v", reason, hopeless)
			}
		})
	}
}

// What came while checks ran, or before any session, is not the session's work, until it changes.
func TestWhatChecksWrote(t *testing.T) {
	l := began(t, "*.old\n", "mine.txt")
	repository.Write(t, "stays.txt", "x\n")
	l.Stays([]string{"stays.txt"})
	repository.Write(t, "new.txt", "x\n")
	before := sees(t, l.Tree)
	if got := l.Added(before); !slices.Equal(got, []string{"new.txt"}) {
		t.Errorf("added: %v", got)
	}
	for _, name := range []string{"made.txt", "made.old", ".gitignore"} {
		repository.Write(t, name, "*.old\n# by a check\n")
	}
	after := sees(t, l.Tree)
	if got := l.WithoutByproducts(l.Added(before), l.Added(after)); !slices.Equal(got, []string{"new.txt"}) {
		t.Errorf("the session's: %v", got)
	}
	l.Checked(before, after)
	if !l.byCheck("made.txt") || !l.byCheck("made.old") || !slices.Equal(l.Rewritten, []string{".gitignore"}) {
		t.Errorf("by checks: %v, %v", l.ByChecks, l.Rewritten)
	}
	repository.Write(t, "stays.txt", "changed\n")
	if got := l.Added(sees(t, l.Tree)); !slices.Equal(got, []string{"new.txt", "stays.txt"}) {
		t.Errorf("added, with what was changed: %v", got)
	}
}

// What no commit will have is out of the way while checks run, and back afterwards, after a kill as
// well; what they make again stays.
func TestOutOfTheWayOfChecks(t *testing.T) {
	l := began(t, "*.old\nnode_modules\n", "mine.old")
	for _, name := range []string{"x.old", "again.old", "node_modules/y.js"} {
		repository.Write(t, name, "x\n")
	}
	if err := os.Mkdir("empty", 0o755); err != nil {
		t.Fatal(err)
	}
	r, config, err := git.OpenHere(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var noted [][]string
	j := Judged{Status: sees(t, l.Tree), Named: []string{"x.old", "again.old", "mine.old", "empty", "node_modules/y.js", ".", "gone"}, Began: time.Now().Add(time.Hour), Config: config,
		Note: func(aside []string) error { noted = append(noted, slices.Clone(aside)); return nil }}
	err = l.AsCommitted(t.Context(), j, func(context.Context) error {
		entries, err := os.ReadDir(".")
		if err != nil {
			return err
		}
		var there []string
		for _, e := range entries {
			there = append(there, e.Name())
		}
		if got, want := strings.Join(there, " "), ".git .git-plan-aside-again.old .git-plan-aside-x.old .gitignore mine.old node_modules"; got != want {
			t.Errorf("while checks ran there was %q", got)
		}
		repository.Write(t, "again.old", "made by a check\n")
		return &site.CheckFailure{}
	})
	var failed *site.CheckFailure
	if !errors.As(err, &failed) || !slices.Equal(failed.Uncommitted, []string{"x.old", "empty/"}) || len(noted) != 2 || len(noted[0]) != 2 || noted[1] != nil {
		t.Errorf("%v, noted %v", err, noted)
	}
	if repository.Read(t, "x.old") != "x\n" || repository.Read(t, "again.old") != "made by a check\n" {
		t.Error("they are not as they were")
	}
	if err := errors.Join(os.Rename("x.old", asideName("x.old")), BackInPlace(l.Tree, []string{"x.old", "again.old"})); err != nil || repository.Read(t, "x.old") != "x\n" {
		t.Errorf("after a kill: %v", err)
	}
}

// What only a tool writes is reported once, with the command by which git ignores it.
func TestArtefactsAreReportedOnce(t *testing.T) {
	l := began(t, "")
	for _, name := range []string{"lib/__pycache__/old.pyc", "bin/__pycache__/old.pyc", ".tox/x"} {
		repository.Write(t, name, "x")
	}
	repository.Commit(t, "tracked by mistake")
	for _, name := range []string{"lib/__pycache__/old.pyc", "bin/__pycache__/old.pyc", ".coverage", "__pycache__/a.pyc"} {
		repository.Write(t, name, "new")
	}
	lines := map[string]bool{}
	once := func(line string) bool { was := lines[line]; lines[line] = true; return !was }
	want := []string{
		"not committed, although git tracks it, since only a tool writes it: bin/__pycache__/, lib/__pycache__/; to have git ignore it: git rm -r --cached ':(glob)**/__pycache__/**' && echo __pycache__/ >>.gitignore",
		"not committed, since only a tool writes it: .coverage; to have git ignore it: echo .coverage >>.gitignore",
	}
	if notes := Artefacts(sees(t, l.Tree), once); !slices.Equal(notes, want) {
		t.Errorf("notes: %q", notes)
	}
	if again := Artefacts(sees(t, l.Tree), once); again != nil {
		t.Errorf("reported again: %v", again)
	}
}
