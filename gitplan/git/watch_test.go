package git

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/testdata/repository"
)

// The clock of files stands still for some milliseconds: what is written within one tick with
// the look at the refs is named, too.
func TestARefThatIsWrittenAtOnceIsNamed(t *testing.T) {
	r := opened(t)
	one := repository.Commit(t, "one")
	for i := range 20 {
		ref := fmt.Sprintf("refs/heads/new%d", i)
		then := r.RefsNow()
		repository.Write(t, ".git/"+ref, one+"\n")
		if changed := r.RefsChanged(then, func(ref string) bool { return false }); !slices.Contains(changed, ref) {
			t.Fatalf("%s was written, and changed are %q", ref, changed)
		}
	}
}

// Refs that are written after a moment are named, a deletion or a packing by what it changed,
// and those that were let pass are not.
func TestRefsThatChangedAreNamed(t *testing.T) {
	r := opened(t)
	one := repository.Commit(t, "one")
	repository.Ask(t, "update-ref", "refs/plans/old", one)
	tick := func() { time.Sleep(20 * time.Millisecond) } // a file system's clock is that coarse
	tick()
	then := r.RefsNow()
	tick()
	none := func(string) bool { return false }
	if changed := r.RefsChanged(then, none); len(changed) != 0 {
		t.Errorf("nothing changed, and yet %q", changed)
	}
	stamp := r.RefStamp("refs/plans/new")
	repository.Ask(t, "update-ref", "refs/plans/new", one)
	repository.Ask(t, "update-ref", "refs/mine/x", one)
	if r.RefStamp("refs/plans/new") == stamp {
		t.Error("a new ref has the stamp of none")
	}
	changed := r.RefsChanged(then, func(ref string) bool { return strings.HasPrefix(ref, "refs/mine/") })
	if !slices.Equal(changed, []string{"refs/plans/new"}) {
		t.Errorf("changed are %q", changed)
	}
	then = r.RefsNow()
	repository.Ask(t, "pack-refs", "--all")
	if changed := r.RefsChanged(then, none); len(changed) != 0 {
		t.Errorf("packed, and changed are %q", changed)
	}
	repository.Ask(t, "update-ref", "refs/heads/loose", one)
	then = r.RefsNow()
	repository.Ask(t, "update-ref", "-d", "refs/heads/loose")
	repository.Ask(t, "update-ref", "-d", "refs/mine/x")
	if changed := r.RefsChanged(then, none); !slices.Equal(changed, []string{"refs/heads/loose (deleted)", "refs/mine/x (deleted)"}) {
		t.Errorf("deleted, and changed are %q", changed)
	}
	two := repository.Commit(t, "two")
	then = r.RefsNow()
	packed := repository.Read(t, ".git/packed-refs")
	repository.Write(t, ".git/packed-refs", strings.Replace(packed, one+" refs/plans/new", two+" refs/plans/new", 1))
	if changed := r.RefsChanged(then, none); !slices.Contains(changed, "refs/plans/new") {
		t.Errorf("rewritten, and changed are %q", changed)
	}
	if Stamp(filepath.Join(r.GitDir, "none")) != "" || Stamp(filepath.Join(r.GitDir, "HEAD")) == "" {
		t.Error("a stamp does not say whether the file is there")
	}
}
