package hooks_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/hooks"
	"github.com/git-plan/git-plan/testdata/hooked"
)

func TestPostRewriteInput(t *testing.T) {
	all, err := hooks.ParseRewrite(strings.NewReader("aa bb\ncc bb more words\n"))
	hooked.Must(t, err)
	if len(all) != 2 || all[0] != (journal.Replaced{Old: "aa", New: "bb"}) || all[1] != (journal.Replaced{Old: "cc", New: "bb"}) {
		t.Errorf("%v", all)
	}
	for text, want := range map[string]string{"aa\n": "is not a line that git writes for post-rewrite", "": "another hook read its standard input"} {
		if _, err := hooks.ParseRewrite(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// rewritten runs post-rewrite for old commits that became the current one.
func (b bench) rewritten(t *testing.T, by string, old ...string) []string {
	t.Helper()
	var all []journal.Replaced
	for _, oid := range old {
		all = append(all, journal.Replaced{Old: oid, New: hooked.Git(t, b.Repo, "rev-parse", "HEAD")})
	}
	lines, err := hooks.PostRewrite(context.Background(), b.checkout(t), by, all)
	hooked.Must(t, err)
	return lines
}

// Two steps are squashed into one commit without trailers: both stay done.
func TestSquashedStepsStayDone(t *testing.T) {
	b := project(t)
	doc := b.planned(t, "feature")
	first := hooked.Commit(t, b.Repo, "a.txt", "a\n", "Add a\n\nPlan-Step: "+doc.ID+"/a")
	second := hooked.Commit(t, b.Repo, "b.txt", "b\n", "Add b\n\nPlan-Step: "+doc.ID+"/b")
	b.did(t, doc.ID, "a", first)
	b.did(t, doc.ID, "b", second)
	hooked.Git(t, b.Repo, "reset", "--quiet", "--soft", "main")
	hooked.Git(t, b.Repo, "commit", "--quiet", "-m", "Add both")
	hooked.Write(t, filepath.Join(b.Repo, ".git/rebase-merge/orig-head"), second+"\n", 0o644)
	hooked.Write(t, filepath.Join(b.Repo, ".git/rebase-merge/head-name"), "refs/heads/feature\n", 0o644)

	if lines := b.rewritten(t, "amend", first); len(lines) > 0 {
		t.Errorf("an amend within a rebase is reported: %q", lines)
	}
	want := "plan " + doc.ID + " knows the new commits of a, b"
	if lines := b.rewritten(t, "rebase", first, second); len(lines) != 1 || lines[0] != want {
		t.Errorf("%q, want %q", lines, want)
	}
	c := b.checkout(t)
	hooked.Must(t, c.Load(context.Background()))
	if !c.Progress.Complete() {
		t.Errorf("%d of %d steps are done", c.Progress.Done, c.Progress.Total)
	}
}

// A plan that is locked, or deleted, does not keep another one from recording a rewrite.
func TestLockedPlanDoesNotBlockAnothersRewrite(t *testing.T) {
	for name, block := range map[string]func(t *testing.T, b bench, id string){
		"busy": func(t *testing.T, b bench, id string) {
			lock, err := journal.Acquire(b.checkout(t).Repo, id, "run")
			hooked.Must(t, err)
			t.Cleanup(lock.Release)
		},
		"gone": func(t *testing.T, b bench, id string) { hooked.Git(t, b.Repo, "update-ref", "-d", "refs/plans/"+id) },
	} {
		t.Run(name, func(t *testing.T) {
			b := project(t)
			first := b.planned(t, "feature")
			hooked.Git(t, b.Repo, "branch", "stacked")
			second := b.planned(t, "stacked")
			old := hooked.Commit(t, b.Repo, "a.txt", "a\n", "Add a\n\nPlan-Step: "+first.ID+"/a\nPlan-Step: "+second.ID+"/a")
			b.did(t, second.ID, "a", old)
			hooked.Git(t, b.Repo, "branch", "-f", "stacked")
			hooked.Git(t, b.Repo, "commit", "--quiet", "--amend", "-m", "Add it")
			block(t, b, first.ID)
			lines, err := hooks.PostRewrite(context.Background(), b.checkout(t), "rebase", []journal.Replaced{{Old: old, New: hooked.Git(t, b.Repo, "rev-parse", "HEAD")}})
			if err == nil || len(lines) != 1 || lines[0] != "plan "+second.ID+" knows the new commits of a" {
				t.Errorf("%q, %v", lines, err)
			}
		})
	}
}

// A commit that belongs to no step needs no event.
func TestRewriteWithoutSteps(t *testing.T) {
	b := project(t)
	b.planned(t, "feature")
	old := hooked.Commit(t, b.Repo, "b.txt", "b\n", "By hand")
	hooked.Git(t, b.Repo, "commit", "--quiet", "--amend", "-m", "By hand, said better")
	if lines := b.rewritten(t, "amend", old); len(lines) > 0 {
		t.Errorf("%q", lines)
	}
}
