package git

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// repository returns a fresh repository in a fixed world; it is the current folder.
func repository(t *testing.T, options ...string) *Repo {
	t.Helper()
	for k, v := range map[string]string{
		"HOME": t.TempDir(), "GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C",
		"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.com",
	} {
		t.Setenv(k, v)
	}
	dir := filepath.Join(t.TempDir(), "the \"repo\"\nof ü")
	run(t, "", append(append([]string{"init", "-q", "-b", "main"}, options...), dir)...)
	t.Chdir(dir)
	r, err := Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func commit(t *testing.T, message string) string {
	t.Helper()
	run(t, "", "add", "-A")
	run(t, "", "commit", "-q", "--allow-empty", "-m", message)
	return run(t, "", "rev-parse", "HEAD")
}

// Everything is found where git finds it: in a subfolder, a linked worktree, a
// bare repository, with a newline and quotes in the path.
func TestEveryPlaceIsFound(t *testing.T) {
	r := repository(t)
	commit(t, "one")
	if want := run(t, "", "rev-parse", "--show-toplevel"); r.Top != want {
		t.Errorf("the top folder is %q, git says %q", r.Top, want)
	}
	if err := os.MkdirAll("deep/er", 0o755); err != nil {
		t.Fatal(err)
	}
	sub, err := Open(t.Context(), "deep/er")
	if err != nil || sub.Top != r.Top {
		t.Errorf("from a subfolder: %v, %v", sub, err)
	}
	linked := filepath.Join(t.TempDir(), "linked")
	run(t, "", "worktree", "add", "-q", linked)
	l, err := Open(t.Context(), linked)
	if err != nil || l.Top != linked || l.CommonDir != r.CommonDir || l.GitDir == r.GitDir {
		t.Errorf("a linked worktree: %+v, %v", l, err)
	}
	bare := filepath.Join(t.TempDir(), "bare")
	run(t, "", "clone", "-q", "--bare", ".", bare)
	b, err := Open(t.Context(), bare)
	if err != nil || b.Top != "" || b.GitDir != bare {
		t.Errorf("a bare repository: %+v, %v", b, err)
	}
	if _, err := Open(t.Context(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "not a git repository") {
		t.Errorf("no repository: %v", err)
	}
}

// Objects that are written here are those that git writes, also where go-git
// cannot: SHA-256, shared repositories.
// Wherever HEAD points, we say what git says.
func TestTheBranchIsGitsOwn(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		r := repository(t, "--object-format="+format)
		dir := r.Top
		head := filepath.Join(r.GitDir, "HEAD")
		same := func(when string) {
			t.Helper()
			out := run(t, dir, "branch", "--show-current")
			want := strings.TrimSpace(out)
			if got, err := r.Branch(t.Context()); err != nil || got != want {
				t.Errorf("%s: %q, %v; git says %q", when, got, err, want)
			}
		}
		same("unborn")
		run(t, dir, "commit", "-q", "--allow-empty", "-m", "one")
		same("born")
		run(t, dir, "switch", "-q", "-c", "a/b-ü")
		same("in a folder")
		run(t, dir, "symbolic-ref", "refs/heads/alias", "refs/heads/main")
		run(t, dir, "symbolic-ref", "HEAD", "refs/heads/alias")
		same("a branch that is a name of another")
		run(t, dir, "switch", "-q", "--detach")
		same("detached")
		if err := os.WriteFile(head, []byte("ref:\t refs/heads/main\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		same("with other blanks")
		if err := errors.Join(os.Remove(head), os.Symlink("refs/heads/main", head)); err != nil {
			t.Fatal(err)
		}
		same("a link")
	}
}

func TestObjectsAreGitsOwn(t *testing.T) {
	for name, prepare := range map[string]func(*testing.T) *Repo{
		"sha1":   func(t *testing.T) *Repo { return repository(t) },
		"sha256": func(t *testing.T) *Repo { return repository(t, "--object-format=sha256") },
		"shared": func(t *testing.T) *Repo { return repository(t, "--shared=group") },
		"sparse": func(t *testing.T) *Repo {
			r := repository(t)
			commit(t, "one")
			run(t, "", "sparse-checkout", "set", "x")
			return r
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := prepare(t)
			ctx := t.Context()
			blob, err := r.WriteBlob(ctx, []byte("some text\n"))
			if err != nil {
				t.Fatal(err)
			}
			tree, err := r.WriteTree(ctx, []Entry{{"100644", "b", blob}, {"100644", "a.txt", blob}})
			if err != nil {
				t.Fatal(err)
			}
			who := Identity("A <a@example.com> 1700000000 +0100")
			c, err := r.WriteCommit(ctx, tree, nil, who, who, "subject\n\nbody\n")
			if err != nil {
				t.Fatal(err)
			}
			if err := r.UpdateRef(ctx, "refs/plans/x", c, "", "made"); err != nil {
				t.Fatal(err)
			}
			if got := run(t, "", "show", "refs/plans/x:a.txt"); got != "some text" {
				t.Errorf("git reads %q", got)
			}
			run(t, "", "fsck", "--strict")
			if o, err := r.Read(ctx, c+":b"); err != nil || string(o.Data) != "some text\n" || o.OID != blob {
				t.Errorf("read back %+v, %v", o, err)
			}
			if _, err := r.Read(ctx, "no such thing"); err != ErrMissing {
				t.Errorf("a missing object: %v", err)
			}
		})
	}
}

func TestRefsMoveOnlyFromTheValueExpected(t *testing.T) {
	r := repository(t)
	one, two := commit(t, "one"), commit(t, "two")
	ctx := t.Context()
	for _, step := range []struct {
		do   func() error
		want error
	}{
		{func() error { return r.UpdateRef(ctx, "refs/plans/a", one, "", "make") }, nil},
		{func() error { return r.UpdateRef(ctx, "refs/plans/a", two, "", "make again") }, ErrMoved},
		{func() error { return r.UpdateRef(ctx, "refs/plans/a", two, two, "wrong") }, ErrMoved},
		{func() error { return r.UpdateRef(ctx, "refs/plans/a", two, one, "right") }, nil},
		{func() error { return r.DeleteRef(ctx, "refs/plans/a", one, "wrong") }, ErrMoved},
		{func() error { return r.DeleteRef(ctx, "refs/plans/a", two, "right") }, nil},
	} {
		if err := step.do(); err != step.want {
			t.Errorf("got %v, want %v", err, step.want)
		}
	}
}

// A diff is the same whatever the person has configured, and no attribute of
// the branch hides a line of it.
func TestADiffCannotBeHiddenFrom(t *testing.T) {
	r := repository(t)
	write(t, "kept.go", "package a\n\nfunc A() {\n\treturn\n}\n")
	write(t, "gone.go", "package a\n")
	write(t, "old name.txt", "one\ntwo\nthree\nfour\nfive\n")
	write(t, "bin", "\x00\x01")
	from := commit(t, "one")
	write(t, ".gitattributes", "*.go -diff\n*.txt binary\n")
	write(t, "kept.go", "package a\n\nfunc A() {\n\tpanic(1)\n}\n")
	write(t, "\"ü\nnew.go", "package b\r\n\n@@ -1 +1 @@\ndiff --git a/x b/x\n")
	write(t, "bin", "\x00\x02")
	run(t, "", "mv", "old name.txt", "new name.txt")
	run(t, "", "rm", "-q", "gone.go")
	to := commit(t, "two")
	for _, kv := range [][2]string{{"diff.noprefix", "true"}, {"diff.external", "false"}, {"color.ui", "always"},
		{"core.quotePath", "true"}, {"diff.suppressBlankEmpty", "true"}, {"diff.renames", "false"}, {"diff.context", "0"}} {
		run(t, "", "config", kv[0], kv[1])
	}
	t.Setenv("GIT_DIFF_OPTS", "-u0")
	d, err := r.Diff(t.Context(), from, to)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range d.Files {
		line := string(f.Status) + " " + f.Path
		if f.Binary {
			line += " binary"
		}
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				if l.Kind != ' ' {
					line += "|" + string(l.Kind) + l.Text
				}
			}
		}
		got = append(got, line)
	}
	want := []string{
		"A \"ü\nnew.go|+package b|+|+@@ -1 +1 @@|+diff --git a/x b/x",
		"A .gitattributes|+*.go -diff|+*.txt binary",
		"M bin binary",
		"D gone.go|-package a",
		"M kept.go|-\treturn|+\tpanic(1)",
		"R new name.txt",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the difference is not what it is (-want +got):\n%s", diff)
	}
}

// Keeping and restoring: what a snapshot holds comes back, ignored files stay.
func TestASnapshotLosesNothing(t *testing.T) {
	r := repository(t)
	write(t, ".gitignore", "ignored\n")
	write(t, "a", "one\n")
	head := commit(t, "one")
	write(t, "a", "two\n")
	write(t, "dir/new", "new\n")
	write(t, "ignored", "mine\n")
	ctx := t.Context()
	tree := snapshot(t, r, "dir/new")
	if err := r.Restore(ctx, head, []string{"dir/new"}); err != nil {
		t.Fatal(err)
	}
	s, err := r.Status(ctx)
	if err != nil || !s.Clean() || len(s.Untracked) > 0 {
		t.Errorf("after restoring: %+v, %v", s, err)
	}
	if _, err := os.Stat("ignored"); err != nil {
		t.Error("an ignored file is gone")
	}
	if err := r.checkout(ctx, head, tree); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a": "two\n", "dir/new": "new\n"} {
		if data, _ := os.ReadFile(name); string(data) != want {
			t.Errorf("%s is %q, want %q", name, data, want)
		}
	}
	if got := run(t, "", "status", "--porcelain"); got != "M a\n?? dir/" {
		t.Errorf("git status says %q", got)
	}
}

// snapshot returns a tree of what is tracked and changed, and of some new files.
func snapshot(t *testing.T, r *Repo, added ...string) string {
	t.Helper()
	s, err := r.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tree, err := r.Snapshot(t.Context(), append(s.Unstaged(), added...))
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// A file that a link, a folder or nothing took the place of is out of the tree, and what
// took its place is in, as git add would have it.
func TestASnapshotIsWhatGitAddWouldTake(t *testing.T) {
	r := repository(t)
	for _, name := range []string{"behind/a", "gone", "folder", "was/deep/b", "mode", "kind"} {
		write(t, name, "x\n")
	}
	commit(t, "one")
	for _, name := range []string{"behind", "gone", "folder", "was", "kind"} {
		if err := os.RemoveAll(name); err != nil {
			t.Fatal(err)
		}
	}
	_ = os.Symlink("elsewhere", "behind")
	_ = os.Symlink("mode", "kind")
	_ = os.Chmod("mode", 0o755)
	write(t, "folder/in", "y\n")
	write(t, "was", "a file\n")
	tree := snapshot(t, r, "behind", "folder/in", "was")
	run(t, "", "add", "--all")
	if want := run(t, "", "write-tree"); tree != want {
		t.Errorf("the snapshot is not what git add --all has:\n%s", run(t, "", "diff-tree", "-r", want, tree))
	}
}

// A file changed in the same tick as the index was written, to the same size.
func TestASnapshotSeesAFileThatIsRacilyClean(t *testing.T) {
	r := repository(t)
	run(t, "", "config", "core.trustctime", "false")
	tick := time.Now().Add(-time.Minute)
	at := func(name string) {
		if err := os.Chtimes(name, tick, tick); err != nil {
			t.Fatal(err)
		}
	}
	write(t, "f", "before")
	at("f")
	run(t, "", "add", "f")
	at(filepath.Join(r.GitDir, "index"))
	write(t, "f", "after!")
	at("f")

	tree := snapshot(t, r)
	if got := run(t, "", "cat-file", "-p", tree+":f"); got != "after!" {
		t.Errorf("the snapshot holds %q", got)
	}
}

func TestAThrowawayCloneIsAtItsCommit(t *testing.T) {
	r := repository(t)
	write(t, "a", "one\n")
	first := commit(t, "one")
	second := commit(t, "two")
	t.Setenv("GIT_DIR", r.GitDir) // as a hook would have it
	r, err := Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	dir := filepath.Join(t.TempDir(), "clone")
	if err := r.Clone(t.Context(), dir, first); err != nil {
		t.Fatal(err)
	}
	if head := run(t, "", "rev-parse", "HEAD"); head != second {
		t.Errorf("HEAD of the repository is %s", head)
	}
	if head := run(t, dir, "--git-dir="+filepath.Join(dir, ".git"), "rev-parse", "HEAD"); head != first {
		t.Errorf("HEAD of the clone is %s; want %s", head, first)
	}
}

// A difference of any size is walked in pieces that lose no line.
func TestALargeDiffIsWalkedInPieces(t *testing.T) {
	r := repository(t)
	write(t, "small", "one\n")
	from := commit(t, "Begin")
	long := strings.Repeat("a line of the table that is a little longer than others\n", 100_000)
	write(t, "large", long)
	write(t, "small", "two\n")
	write(t, "binary", "a\x00b")
	to := commit(t, "Grow")
	pieces, lines, last := map[string]int{}, 0, 0
	begun := false
	err := r.Walk(t.Context(), from, to, func(d *Diff) { begun = len(d.Files) == 3 }, func(f *FileDiff) {
		if f.Later != (pieces[f.Path] > 0) {
			t.Errorf("%s: piece %d says it is later: %v", f.Path, pieces[f.Path], f.Later)
		}
		pieces[f.Path]++
		held := 0
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				held += len(l.Text)
				if f.Path == "large" {
					if lines++; l.New != last+1 {
						t.Fatalf("line %d follows line %d", l.New, last)
					}
					last = l.New
				}
			}
		}
		if held > maxFile {
			t.Errorf("%s: %d bytes are held at a time", f.Path, held)
		}
		if f.Path == "large" && f.Cut {
			t.Error("a piece says that the file is cut")
		}
	})
	if err != nil || !begun || lines != 100_000 || pieces["large"] < 3 || pieces["small"] != 1 || pieces["binary"] != 1 {
		t.Errorf("%v: begun %v, %d lines, pieces %v", err, begun, lines, pieces)
	}
	d, err := r.Diff(t.Context(), from, to)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range d.Files {
		if f.Path == "large" && (f.Added != len(long) || !f.Cut) {
			t.Errorf("%d bytes were added, %d counted", len(long), f.Added)
		}
	}
}

// A person may have told git to trust less of what it knows of a file than the kernel says:
// what a session changed is changed, whatever time it set back.
func TestAFileWhoseTimeWasSetBackIsChanged(t *testing.T) {
	r := repository(t)
	run(t, "", "config", "core.trustctime", "false")
	run(t, "", "config", "core.checkStat", "minimal")
	was := time.Now().Add(-time.Hour)
	for i, text := range []string{"before", "after!"} {
		write(t, "f", text)
		if err := os.Chtimes("f", was, was); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			run(t, "", "add", "f")
			run(t, "", "commit", "-qm", "f")
			time.Sleep(1100 * time.Millisecond) // git compares whole seconds
		}
	}
	if s, err := r.Status(t.Context()); err != nil || s.Clean() {
		t.Errorf("nothing changed: %v", err)
	}
}
