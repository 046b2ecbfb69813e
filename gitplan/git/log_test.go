package git

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/git-plan/git-plan/testdata/repository"
)

// The relations of commits are the same as git's, and a missing commit is distinguished from none.
func TestHistory(t *testing.T) {
	r := opened(t)
	repository.Write(t, "a.txt", "one\ntwo\nthree\nfour\n")
	one := repository.Commit(t, "First\n\nbody")
	repository.Ask(t, "switch", "-qc", "side")
	repository.Write(t, "side", "s")
	side := repository.Commit(t, "Side")
	repository.Ask(t, "switch", "-q", "main")
	if err := os.Rename("a.txt", "b.txt"); err != nil {
		t.Fatal(err)
	}
	two := repository.Commit(t, "Second")
	repository.Ask(t, "merge", "-q", "--no-ff", "-m", "Merge", "side")
	merge := repository.Ask(t, "rev-parse", "HEAD")
	if base, err := r.MergeBase(t.Context(), side, two); base != one || err != nil {
		t.Errorf("the merge base is %s, %v", base, err)
	}
	if base, err := r.MergeBase(t.Context(), one, repository.Ask(t, "commit-tree", "-m", "x", one+"^{tree}")); base != "" || err != nil {
		t.Errorf("of two without one: %v", err)
	}
	for pair, want := range map[[2]string]bool{{one, merge}: true, {merge, one}: false, {side, two}: false} {
		if is, err := r.IsAncestor(t.Context(), pair[0], pair[1]); is != want || err != nil {
			t.Errorf("%v: %t, %v", pair, is, err)
		}
	}
	commits, err := r.Commits(t.Context(), []string{two, one})
	if err != nil || len(commits) != 2 || commits[0].OID != two || commits[1].Subject() != "First" {
		t.Errorf("the commits are %v, %v", commits, err)
	}
	refs, err := r.Refs(t.Context(), "refs/heads/")
	if err != nil || len(refs) != 2 {
		t.Errorf("the refs are %v, %v", refs, err)
	}
	blob := repository.Ask(t, "rev-parse", merge+":side")
	var text bytes.Buffer
	if err := Streams(t.Context(), r)(blob, func(in io.Reader) error { _, err := text.ReadFrom(in); return err }); err != nil || text.String() != "s" {
		t.Errorf("the blob is %q, %v", text.String(), err)
	}
	if held, err := Contents(t.Context(), r)(blob); err != nil || string(held) != "s" {
		t.Errorf("the blob is %q, %v", held, err)
	}
}

// A linear history that is read commit by commit is the same as git log's, and no other history is taken for
// one.
func TestLinearHistoryEqualsGitLog(t *testing.T) {
	ctx, r := t.Context(), opened(t)
	var heads []string
	for _, message := range []string{"first", "second", "with\n\na body\n", "fourth", "fifth"} {
		heads = append(heads, repository.Commit(t, message))
	}
	tip := heads[len(heads)-1]
	for _, stop := range []string{"", heads[0], heads[3], tip} {
		args := []string{tip}
		if stop != "" {
			args = append(args, "--not", stop)
		}
		want, err := r.Log(ctx, args...)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := r.Chain(ctx, tip, stop, 100)
		for i := range got {
			if len(got[i].Parents) == 0 {
				want[i].Parents = nil
			}
		}
		if d := cmp.Diff(want, got); !ok || d != "" {
			t.Errorf("down to %q: %v\n%s", stop, ok, d)
		}
	}
	for name, c := range map[string]struct {
		stop string
		most int
	}{"too long": {"", 3}, "no such end": {strings.Repeat("1", 40), 100}} {
		if _, ok := r.Chain(ctx, tip, c.stop, c.most); ok {
			t.Errorf("%s, and still a chain", name)
		}
	}
	repository.Ask(t, "checkout", "-q", "-b", "side", "HEAD~1")
	repository.Ask(t, "commit", "-q", "--allow-empty", "-m", "side")
	repository.Ask(t, "merge", "-q", "--no-edit", tip)
	if _, ok := r.Chain(ctx, "HEAD", "", 100); ok {
		t.Error("a merge counts as a linear history")
	}
}

// Many commits are read in the same way as few, and one in another encoding as git reads it.
func TestCommitsAreReadInTheirOrder(t *testing.T) {
	r, ctx := opened(t), t.Context()
	var oids []string
	for i := range 51 {
		who := Identity(fmt.Sprintf("A <a@example.com> %d +0100", 1700000000+i))
		oid, err := r.WriteCommit(ctx, r.EmptyTree(), nil, who, "c")
		if err != nil {
			t.Fatal(err)
		}
		oids = append(oids, oid)
	}
	repository.Ask(t, "-c", "i18n.commitEncoding=ISO-8859-1", "commit", "--allow-empty", "-qm", "gr\xfcn")
	latin := repository.Ask(t, "rev-parse", "HEAD")
	for _, n := range []int{1, 51} {
		ask := append(slices.Clone(oids[:n]), latin)
		commits, err := r.Commits(ctx, ask)
		if err != nil || len(commits) != len(ask) {
			t.Fatalf("of %d there are %d, %v", len(ask), len(commits), err)
		}
		for i, c := range commits {
			if c.OID != ask[i] || c.Tree == "" || c.Time.IsZero() {
				t.Errorf("commit %d is %v", i, c)
			}
		}
		if got := commits[n].Subject(); got != "grün" {
			t.Errorf("its subject is %q", got)
		}
	}
	if none, err := r.Commits(ctx, nil); none != nil || err != nil {
		t.Errorf("of none: %v, %v", none, err)
	}
	if _, err := r.Commits(ctx, []string{strings.Repeat("1", 40)}); Code(err) != Fatal {
		t.Errorf("of one that is not there: %v", err)
	}
	if is, err := r.IsAncestor(ctx, oids[0], oids[0]); !is || err != nil {
		t.Errorf("a commit is not its own ancestor: %v", err)
	}
	if got := parseCommit("", "committer A <a> no time\n\n").Time; !got.IsZero() {
		t.Errorf("of no time it made %s", got)
	}
}
