package hooks_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/hooks"
	"github.com/git-plan/git-plan/testdata/hooked"
)

// checkout opens the current repository's checkout.
func (b bench) checkout(t *testing.T) *checkout.Checkout {
	t.Helper()
	c, err := checkout.Open(context.Background())
	hooked.Must(t, err)
	t.Cleanup(c.Close)
	return c
}

// opened is a project whose step a was opened by git plan next.
func opened(t *testing.T) (b bench, trailer string) {
	t.Helper()
	b = project(t)
	doc := b.planned(t, "feature")
	c := b.checkout(t)
	hooked.Must(t, c.Store.Apply(context.Background(), doc, "feature", journal.Change{Event: journal.Event{Kind: journal.Started, Steps: []string{"a"}, By: journal.ByPerson}}))
	journal.MarkOpen.Set(c.Repo, doc.ID)
	return b, "Plan-Step: " + doc.ID + "/a"
}

// message runs both hooks for a commit: git's initial message, and the person's edit in the editor ("" means
// no editor). It returns what git would commit.
func (b bench) message(t *testing.T, source, of, begins, typed string) string {
	t.Helper()
	file := filepath.Join(b.Repo, ".git", "COMMIT_EDITMSG")
	hooked.Write(t, file, begins, 0o644)
	hooked.Must(t, (&hooks.Message{Checkout: b.checkout(t), File: file}).Prepare(context.Background(), source, of))
	if typed != "" {
		hooked.Write(t, file, typed, 0o644)
	}
	hooked.Must(t, (&hooks.Message{Checkout: b.checkout(t), File: file}).Finish(context.Background()))
	return hooked.Contents(t, file)
}

const comments = "\n# Please enter the commit message for your changes.\n"

func TestCommitDuringAnOpenStepGetsItsTrailer(t *testing.T) {
	b, trailer := opened(t)
	for _, c := range []struct {
		name, source, begins, typed, want string
	}{
		{"typed in the editor", "", comments, "Add a\n" + comments, "Add a\n\n" + trailer + "\n" + comments},
		{"left the editor without typing", "", comments, comments, comments},
		{"left a template as it was", "template", "Why:\n" + comments, "Why:\n" + comments, "Why:\n" + comments},
		{"given with -m", "message", "Add a\n", "", "Add a\n\n" + trailer + "\n"},
		{"other trailers stay in front", "message", "Add a\n\nReviewed-by: B\n", "", "Add a\n\nReviewed-by: B\n" + trailer + "\n"},
		{"it has another step's trailer", "message", "Add a\n\nPlan-Step: other-1234/x\n", "", "Add a\n\nPlan-Step: other-1234/x\n"},
		{"a merge is not work on the step", "merge", "Merge branch 'x'\n", "", "Merge branch 'x'\n"},
	} {
		if got := b.message(t, c.source, "", c.begins, c.typed); got != c.want {
			t.Errorf("%s:\n%q, want\n%q", c.name, got, c.want)
		}
	}
	hooked.Git(t, b.Repo, "config", "core.commentChar", ";")
	if got := b.message(t, "", "", "\n; a comment\n", "Add a\n\n; a comment\n"); !strings.Contains(got, "Add a\n\n"+trailer+"\n\n; a comment") {
		t.Errorf("with another comment character: %q", got)
	}
}

func TestAmendedCommitKeepsItsTrailer(t *testing.T) {
	b, trailer := opened(t)
	if got := b.message(t, "commit", "HEAD", "Add a\n", ""); strings.Contains(got, trailer) {
		t.Errorf("git commit --amend took a commit for the step: %q", got)
	}
	// With -m git does not report that it amends, but passes on the author unchanged.
	for name, value := range map[string]string{"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_AUTHOR_DATE": "@1767323045 +0000"} {
		t.Setenv(name, value)
	}
	if got := b.message(t, "message", "", "Add a\n", ""); !strings.Contains(got, trailer) {
		t.Errorf("a new commit of the second in which the step was opened is not its: %q", got)
	}
	t.Setenv("GIT_COMMITTER_DATE", "2026-01-02T03:05:00Z")
	if got := b.message(t, "message", "", "Add a, said better\n", ""); strings.Contains(got, trailer) {
		t.Errorf("git commit --amend -m took a commit for the step: %q", got)
	}
	t.Setenv("GIT_AUTHOR_DATE", "@1767323046 +0000")
	if got := b.message(t, "message", "", "Add more\n", ""); !strings.Contains(got, trailer) {
		t.Errorf("a new commit is not the step's: %q", got)
	}
}

func TestNoTrailerWithoutAnOpenStep(t *testing.T) {
	b, trailer := opened(t)
	hooked.Git(t, b.Repo, "switch", "--quiet", "main")
	if got := b.message(t, "message", "", "On main\n", ""); strings.Contains(got, trailer) {
		t.Errorf("on another branch: %q", got)
	}
	hooked.Git(t, b.Repo, "switch", "--quiet", "feature")
	id := strings.TrimSuffix(strings.TrimPrefix(trailer, "Plan-Step: "), "/a")
	b.did(t, id, "a", hooked.Git(t, b.Repo, "rev-parse", "HEAD"))
	if got := b.message(t, "message", "", "Go on\n", ""); strings.Contains(got, trailer) {
		t.Errorf("after it was done: %q", got)
	}
	if c := b.checkout(t); len(journal.MarkOpen.Plans(c.Repo)) > 0 {
		t.Error("the mark is left")
	}
}
