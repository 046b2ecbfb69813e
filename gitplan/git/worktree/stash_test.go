package worktree

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/testdata/repository"
)

// everything returns the index and all files with their modes and bytes.
func everything(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	for line := range strings.Lines(repository.Ask(t, "ls-files", "--stage") + "\n") {
		if !strings.HasSuffix(line, "\tother\n") {
			out.WriteString(line)
		}
	}
	_ = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if path == ".git" {
			return fs.SkipDir
		}
		info, _ := d.Info()
		data, _ := os.ReadFile(path)
		if d.Type()&fs.ModeSymlink != 0 {
			link, _ := os.Readlink(path)
			data = []byte(link)
		}
		if path != "other" && !d.IsDir() {
			fmt.Fprintf(&out, "%s %s %q\n", path, info.Mode(), data)
		}
		return nil
	})
	return out.String()
}

// changes are edits that people make to a tree; each may fail.
var changes = []string{
	"echo w >>a", "echo s >>a; git add a", "echo s >>d/f; git add d/f; echo w >>d/f", "rm d/f", "git rm -q d/f", "git rm -q --cached a",
	"echo new >n", "echo new >n; git add n", "mkdir -p e; echo new >e/n; git add e/n; echo w >>e/n", "echo gone >g; git add g; rm g",
	"chmod +x a", "chmod -x x; git add x", "rm a; ln -s x a", "rm l; echo file >l; git add l", "rm -r d; echo file >d; git add -A d",
	"rm -r d; echo file >d", "rm -r d; ln -s /tmp d", "rm a; mkdir a; echo precious >a/in", "rm a; mkdir a; echo in >a/in; git add -A a",
	"rm a; mkdir a; echo in >a/in; git add -A a; echo precious >a/ignored.o", "git mv x y", "git mv x X", "echo ita >ita; git add -N ita",
	"git update-index --skip-worktree x; echo hidden >>x", "echo s >>x; git add x; git update-index --assume-unchanged x; echo h >>x",
	"echo i >i.o; git add -f i.o", "printf 'a\\000b' >a", "git rm -q --cached l; echo l >>.git/info/exclude",
}

// Whatever was changed in the tree, changes that are set aside are restored, with modes and staged parts; or
// they are refused before anything is touched.
func TestStashedChangesAreRestored(t *testing.T) {
	r := opened(t)
	for _, name := range []string{"a", "x", "d/f", "d/g"} {
		repository.Write(t, name, name+"\n")
	}
	repository.Write(t, ".gitignore", "*.o\n")
	if os.Chmod("x", 0o755) != nil || os.Symlink("a", "l") != nil {
		t.Skip("no modes or links here")
	}
	base := repository.Commit(t, "base")
	random := rand.New(rand.NewPCG(1, 2))
	back := 0
	for i := range len(changes) + 24 {
		_ = os.Remove(".git/index") // and what it hides
		repository.Ask(t, "reset", "-q", "--hard", base)
		_ = os.Remove(".git/info/exclude")
		repository.Ask(t, "clean", "-qfdx")
		did := changes[i%len(changes)]
		for range i / len(changes) * (1 + random.IntN(3)) {
			did += "; " + changes[random.IntN(len(changes))]
		}
		sh(t, did)
		s, err := ReadStatusIgnored(t.Context(), r)
		if err != nil || s.Clean() {
			continue
		}
		before := everything(t)
		paths, err := Unstashable(t.Context(), r, s)
		if err != nil {
			t.Fatal(did, paths, err)
		}
		if len(paths) > 0 {
			continue
		}
		stash := ""
		if err := Stash(t.Context(), r, func(commit string) error { stash = commit; return nil }); err != nil {
			t.Fatal(did, err)
		}
		if s, err := ReadStatus(t.Context(), r); err != nil || !s.Clean() {
			t.Fatalf("%s: still changed: %v %v", did, s.Changed, err)
		}
		repository.Write(t, "other", fmt.Sprint(i))
		repository.Ask(t, "add", "other")
		repository.Ask(t, "commit", "-qm", "other")
		if err := Unstash(t.Context(), r, stash); err != nil {
			t.Fatal(did, err)
		}
		if after := everything(t); after != before {
			t.Errorf("%s:\nbefore:\n%safter:\n%s", did, before, after)
		}
		back++
	}
	if back < len(changes)/2 {
		t.Errorf("only %d came back", back)
	}
	if list := repository.Ask(t, "stash", "list"); list != "" {
		t.Errorf("left on the list: %s", list)
	}
}

func sh(t *testing.T, line string) {
	t.Helper()
	for command := range strings.SplitSeq(line, "; ") { // each may fail because of earlier ones
		cmd := exec.Command("sh", "-c", command)
		_ = cmd.Run()
	}
}

// After a kill between the stash and cleaning the tree the changes are in both: they are set aside then,
// staged or not.
func TestInterruptedStashIsCompleted(t *testing.T) {
	r := opened(t)
	repository.Write(t, "a", "a\n")
	repository.Write(t, "b", "b\n")
	repository.Commit(t, "base")
	repository.Write(t, "a", "staged\n")
	repository.Ask(t, "add", "a")
	repository.Write(t, "a", "not staged\n")
	repository.Write(t, "b", "not staged\n")
	stash := repository.Ask(t, "stash", "create", "aside")
	before := everything(t)
	if err := PutAwayStash(t.Context(), r, stash); err != nil {
		t.Fatal(err)
	}
	if s, err := ReadStatus(t.Context(), r); err != nil || !s.Clean() {
		t.Fatalf("still changed: %v %v", s.Changed, err)
	}
	if err := Unstash(t.Context(), r, stash); err != nil || everything(t) != before {
		t.Error(err, everything(t))
	}
}

// A stash that no longer applies is a conflict, and can still be put on git's list.
func TestConflictingStash(t *testing.T) {
	r, ctx := opened(t), t.Context()
	repository.Write(t, "a", "1\n")
	base, mine := repository.Commit(t, "base"), ""
	repository.Write(t, "a", "mine\n")
	if err := Stash(ctx, r, func(commit string) error { mine = commit; return nil }); err != nil || mine == "" {
		t.Fatal(mine, err)
	}
	repository.Write(t, "a", "theirs\n")
	repository.Commit(t, "theirs")
	if err := Unstash(ctx, r, mine); !errors.Is(err, ErrConflict) {
		t.Errorf("of one that does not fit: %v", err)
	}
	repository.Ask(t, "reset", "-q", "--hard", base)
	if err := Unstash(ctx, r, mine); err != nil {
		t.Fatal(err)
	}
	holds(t, map[string]string{"a": "mine\n"})
}

// Changes that were staged must be staged again, or nothing is restored.
func TestStashWithAConflictingIndexStays(t *testing.T) {
	r, ctx := opened(t), t.Context()
	repository.Write(t, "a", "1\n")
	repository.Commit(t, "base")
	repository.Write(t, "a", "staged\n")
	repository.Ask(t, "add", "a")
	repository.Write(t, "a", "1\n")
	no, stash := errors.New("no"), ""
	if err := Stash(ctx, r, func(string) error { return no }); !errors.Is(err, no) {
		t.Errorf("it could not be recorded: %v", err)
	}
	if err := Stash(ctx, r, func(commit string) error { stash = commit; return nil }); err != nil {
		t.Fatal(err)
	}
	repository.Write(t, "a", "2\n")
	repository.Commit(t, "two")
	if err := Unstash(ctx, r, stash); !errors.Is(err, ErrConflict) {
		t.Errorf("it came back: %v", err)
	}
	repository.Write(t, "a", "3\n")
	if err := PutAwayStash(ctx, r, stash); err != nil {
		t.Fatal(err)
	}
	holds(t, map[string]string{"a": "3\n"})
}
