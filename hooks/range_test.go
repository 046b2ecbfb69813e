package hooks_test

import (
	"strings"
	"testing"

	"github.com/git-plan/git-plan/hooks"
	"github.com/git-plan/git-plan/testdata/hooked"
)

// A writer to the repository can write refs below refs/remotes. What the remote itself reports counts, on the
// branch that is its own base, too.
func TestForgedTrackingRefHidesNothing(t *testing.T) {
	b := project(t)
	hooked.Git(t, b.Repo, "switch", "--quiet", "main")
	hooked.Commit(t, b.Repo, "config.js", "const t = \""+token()+"\"\n", "Configure")
	hooked.Commit(t, b.Repo, "config.js", "console.log(1)\n", "Fix")
	hooked.Commit(t, b.Repo, "more.js", "const t = \""+token()+"\"\n", "Configure more")
	hooked.Git(t, b.Repo, "update-ref", "refs/remotes/origin/main", "HEAD")
	said := func(args ...string) string {
		d := b.push(t, args...)
		text := strings.Join(d.Lines, "\n")
		if !d.Stop {
			t.Errorf("%s passes:\n%s", args, text)
		}
		return text
	}
	text := said("origin", "main")
	hooked.Contains(t, text, "more.js:1: GitHub token")

	// Beside a branch whose value the remote reported, no new ref is hidden.
	text = said("origin", "main", "main:copy")
	hooked.Contains(t, text, "copy: more.js:1: GitHub token")

	// If none of the pushed refs is at the remote, the assumption is reported.
	hooked.Git(t, b.Repo, "config", "plan.prePush", "block")
	goes(t, b.push(t, "origin", "main:copy"), "copy: none of it was checked, because refs/remotes/origin says that the remote has all of it")
	hooked.Git(t, b.Repo, "config", "--unset", "plan.prePush")

	// A branch that the remote lacks is recorded here as if it had it.
	hooked.Git(t, b.Repo, "update-ref", "refs/remotes/origin/fresh", "HEAD")
	hooked.Git(t, b.Repo, "update-ref", "-d", "refs/remotes/origin/main")
	text = said("origin", "main:fresh")
	hooked.Contains(t, text, "fresh: more.js:1: GitHub token")
}

// More commits than are checked one by one do not pass, and the suggested command pushes as many as are.
func TestOlderCommitsAreNotCheckedOneByOne(t *testing.T) {
	b := project(t)
	hooked.Commit(t, b.Repo, "config.js", "const t = \""+token()+"\"\n", "Configure")
	for _, text := range []string{"1\n", "2\n", "3\n", "4\n", "5\n"} {
		hooked.Commit(t, b.Repo, "config.js", text, "Fix")
	}
	gate := func(mode string, commits int) (string, bool) {
		hooked.Git(t, b.Repo, "config", "plan.prePush", mode)
		remote, pushes := b.said(t, "origin", "feature")
		d := b.judge(t, hooks.Gate{Commits: commits}, remote, pushes)
		return strings.Join(d.Lines, "\n"), d.Stop
	}
	const found = "config.js: GitHub token"
	left := "feature: only the newest 2 of its commits were checked one by one; push the older ones first: git push origin " + hooked.Git(t, b.Repo, "rev-parse", "feature~5") + ":refs/heads/feature"
	for _, mode := range []string{"warn", "block"} {
		if text, stop := gate(mode, 2); strings.Contains(text, found) || !strings.Contains(text, left) || !stop {
			t.Error(mode, stop, text)
		}
	}
	if text, stop := gate("warn", 7); !strings.Contains(text, found) || strings.Contains(text, "one by one") || !stop {
		t.Error(text) // exactly as many
	}
}

// What there was no time to check is named, and stops the push: it may contain a secret.
func TestUncheckedRefsAreNamed(t *testing.T) {
	b := project(t)
	for _, mode := range []string{"warn", "block"} {
		hooked.Git(t, b.Repo, "config", "plan.prePush", mode)
		remote, pushes := b.said(t, "origin", "feature", "main:copy")
		d := b.judge(t, hooks.Gate{Limit: 1}, remote, pushes)
		text := strings.Join(d.Lines, "\n")
		if !d.Stop || !strings.Contains(text, "not checked, because time ran out: ") || !strings.Contains(text, "feature") || !strings.Contains(text, "copy") {
			t.Errorf("%s: stop %v\n%s", mode, d.Stop, text)
		}
	}
}
