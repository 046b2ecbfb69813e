package hooks_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/hooks"
	"github.com/git-plan/git-plan/testdata/hooked"
)

// branches makes so many branches that the remote has, each with a new commit on top, and a secret in the
// last.
func (b bench) branches(t *testing.T, count int) {
	t.Helper()
	add := func(text string, from func(i int) string) {
		var in strings.Builder
		for i := range count {
			content := fmt.Sprintf("%s %d", text, i)
			if i == count-1 && text == "second" {
				content = token()
			}
			fmt.Fprintf(&in, "commit refs/heads/b%d\ncommitter A <a@example.org> 1700000000 +0000\ndata 1\nm\nfrom %s\nM 100644 inline f%d\ndata %d\n%s\n",
				i, from(i), i, len(content), content)
		}
		if e := hooked.Run(t, b.Repo, in.String(), "git", "fast-import", "--quiet"); e.Code != 0 {
			t.Fatal(e.Stderr)
		}
	}
	add("first", func(int) string { return "refs/heads/main^0" })
	hooked.Git(t, b.Repo, "push", "--quiet", "--no-verify", "origin", "refs/heads/*:refs/heads/*")
	add("second", func(i int) string { return fmt.Sprintf("refs/heads/b%d^0", i) })
}

// The gate's work is linear in the refs of a push, not quadratic: its time is limited, and refs that it has
// no time for are not pushed.
func TestGateIsLinearInRefs(t *testing.T) {
	var gits, reported []int
	for _, refs := range []int{10, 40} {
		t.Run(fmt.Sprint(refs), func(t *testing.T) {
			trace := gitsOf(t, refs)
			gits, reported = append(gits, strings.Count(trace, ": git ")), append(reported, len(trace))
		})
	}
	if per := (gits[1] - gits[0]) / 30; per > 2 {
		t.Errorf("%d git processes for 10 refs, %d for 40: %d for each", gits[0], gits[1], per)
	}
	if reported[1] > 5*reported[0] {
		t.Errorf("git reads %d bytes for 10 refs, %d for 40", reported[0], reported[1])
	}
}

// gitsOf pushes so many branches and returns the git commands of the gate.
func gitsOf(t *testing.T, refs int) string {
	b := project(t)
	b.branches(t, refs)
	remote, pushes := b.said(t, "origin", "refs/heads/b*:refs/heads/b*")
	trace := filepath.Join(t.TempDir(), "trace")
	t.Setenv("GIT_TRACE", trace)
	d := b.judge(t, hooks.Gate{}, remote, pushes)
	if text := strings.Join(d.Lines, "\n"); !d.Stop || len(pushes) != refs || !strings.Contains(text, fmt.Sprintf("b%d: f%d:1: GitHub token", refs-1, refs-1)) {
		t.Errorf("%d refs, stop %v:\n%s", len(pushes), d.Stop, text)
	}
	return hooked.Contents(t, trace)
}

// Commits shared by several refs are checked once, and reported for each ref whose difference does not show
// the secret.
func TestSecretInSharedCommitsIsReportedForEachRef(t *testing.T) {
	b := project(t)
	hooked.Commit(t, b.Repo, "config.js", "const t = \""+token()+"\"\n", "Configure")
	hooked.Git(t, b.Repo, "branch", "shown")
	hooked.Commit(t, b.Repo, "config.js", "none\n", "Remove the token")
	hooked.Git(t, b.Repo, "branch", "gone")
	stops(t, b.push(t, "origin", "shown", "gone", "feature"), "shown: this", "gone: this", "feature: this",
		"shown: config.js:1: GitHub token", "gone: config.js: GitHub token", "feature: config.js: GitHub token")
}

// The default branch of the remote is one more ref that a writer to the repository can redirect.
func TestSymbolicRemoteRefHidesNothing(t *testing.T) {
	b := project(t)
	hooked.Git(t, b.Repo, "switch", "--quiet", "main")
	hooked.Commit(t, b.Repo, "config.js", "const t = \""+token()+"\"\n", "Configure")
	hooked.Git(t, b.Repo, "update-ref", "refs/remotes/origin/main", "HEAD")
	hooked.Commit(t, b.Repo, "config.js", "none\n", "Remove the token")
	hooked.Git(t, b.Repo, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
	d := b.push(t, "origin", "main")
	hooked.Contains(t, strings.Join(d.Lines, "\n"), "main: config.js: GitHub token")
	if !d.Stop {
		t.Error("the push passes")
	}
}
