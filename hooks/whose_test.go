package hooks_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/testdata/hooked"
)

// Commits of another remote, or of the same remote at another address, say nothing about the address of this
// push: a secret that was removed again is still found.
func TestCommitsOfAnotherRemoteAreChecked(t *testing.T) {
	for name, set := range map[string]func(t *testing.T, b bench, other string){
		"a name with a slash": func(t *testing.T, b bench, other string) {
			hooked.Git(t, b.Repo, "remote", "add", "origin/other", other)
			hooked.Git(t, b.Repo, "push", "--quiet", "--no-verify", "origin/other", "feature")
		},
		"fetched to the same folder": func(t *testing.T, b bench, other string) {
			hooked.Git(t, b.Repo, "remote", "add", "other", other)
			hooked.Git(t, b.Repo, "config", "remote.other.fetch", "+refs/heads/*:refs/remotes/origin/of-other-*")
			hooked.Git(t, b.Repo, "push", "--quiet", "--no-verify", "other", "feature")
		},
		"pushed elsewhere": func(t *testing.T, b bench, other string) {
			hooked.Git(t, b.Repo, "remote", "set-url", "origin", other)
			hooked.Git(t, b.Repo, "push", "--quiet", "--no-verify", "origin", "feature")
			hooked.Git(t, b.Repo, "config", "remote.origin.pushurl", b.Remote)
		},
		"written elsewhere": func(t *testing.T, b bench, other string) {
			hooked.Git(t, b.Repo, "remote", "set-url", "origin", other)
			hooked.Git(t, b.Repo, "push", "--quiet", "--no-verify", "origin", "feature")
			hooked.Git(t, b.Repo, "config", "url."+b.Remote+".pushInsteadOf", other)
		},
		"a second address": func(t *testing.T, b bench, other string) {
			hooked.Git(t, b.Repo, "remote", "set-url", "origin", other)
			hooked.Git(t, b.Repo, "push", "--quiet", "--no-verify", "origin", "feature")
			hooked.Git(t, b.Repo, "remote", "set-url", "--add", "origin", b.Remote)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := project(t)
			hooked.Commit(t, b.Repo, "config.js", "const t = \""+token()+"\"\n", "Configure")
			hooked.Commit(t, b.Repo, "config.js", "console.log(1)\n", "Fix")
			other := filepath.Join(filepath.Dir(b.Repo), "other.git")
			hooked.Git(t, filepath.Dir(b.Repo), "init", "--quiet", "--bare", other)
			set(t, b, other)
			for _, mode := range []string{"warn", "block"} {
				hooked.Git(t, b.Repo, "config", "plan.prePush", mode)
				d := b.push(t, "origin", "feature:new")
				if text := strings.Join(d.Lines, "\n"); !d.Stop || !strings.Contains(text, "config.js: GitHub token") {
					t.Errorf("%s: stop %v\n%s", mode, d.Stop, text)
				}
			}
		})
	}
}
