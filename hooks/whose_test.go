package hooks_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// What another remote has, or the same one at another address, says nothing of what is at
// the address of this push: a secret that was taken away again since is still found.
func TestWhatAnotherRemoteHasIsStillLookedAt(t *testing.T) {
	for name, set := range map[string]func(t *testing.T, b bench, other string){
		"a name with a slash": func(t *testing.T, b bench, other string) {
			gitIn(t, b.repo, "remote", "add", "origin/other", other)
			gitIn(t, b.repo, "push", "--quiet", "--no-verify", "origin/other", "feature")
		},
		"fetched to the same folder": func(t *testing.T, b bench, other string) {
			gitIn(t, b.repo, "remote", "add", "other", other)
			gitIn(t, b.repo, "config", "remote.other.fetch", "+refs/heads/*:refs/remotes/origin/of-other-*")
			gitIn(t, b.repo, "push", "--quiet", "--no-verify", "other", "feature")
		},
		"pushed elsewhere": func(t *testing.T, b bench, other string) {
			gitIn(t, b.repo, "remote", "set-url", "origin", other)
			gitIn(t, b.repo, "push", "--quiet", "--no-verify", "origin", "feature")
			gitIn(t, b.repo, "config", "remote.origin.pushurl", b.remote)
		},
		"written elsewhere": func(t *testing.T, b bench, other string) {
			gitIn(t, b.repo, "remote", "set-url", "origin", other)
			gitIn(t, b.repo, "push", "--quiet", "--no-verify", "origin", "feature")
			gitIn(t, b.repo, "config", "url."+b.remote+".pushInsteadOf", other)
		},
		"a second address": func(t *testing.T, b bench, other string) {
			gitIn(t, b.repo, "remote", "set-url", "origin", other)
			gitIn(t, b.repo, "push", "--quiet", "--no-verify", "origin", "feature")
			gitIn(t, b.repo, "remote", "set-url", "--add", "origin", b.remote)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := project(t)
			commit(t, b.repo, "config.js", "const t = \""+token()+"\"\n", "Configure")
			commit(t, b.repo, "config.js", "console.log(1)\n", "Mend")
			other := filepath.Join(filepath.Dir(b.repo), "other.git")
			gitIn(t, filepath.Dir(b.repo), "init", "--quiet", "--bare", other)
			set(t, b, other)
			for _, mode := range []string{"warn", "block"} {
				gitIn(t, b.repo, "config", "plan.prePush", mode)
				d := b.push(t, "origin", "feature:new")
				if text := strings.Join(d.Lines, "\n"); !d.Stop || !strings.Contains(text, "config.js: GitHub token") {
					t.Errorf("%s: stop %v\n%s", mode, d.Stop, text)
				}
			}
		})
	}
}

// A remote with a slash in its name takes nothing away from one without: what that has is
// not looked at again.
func TestWhatTheRemoteHasIsNotLookedAtAgain(t *testing.T) {
	b := project(t)
	commit(t, b.repo, "config.js", "const t = \""+token()+"\"\n", "Configure")
	commit(t, b.repo, "config.js", "console.log(1)\n", "Mend")
	gitIn(t, b.repo, "push", "--quiet", "--no-verify", "origin", "feature")
	gitIn(t, b.repo, "remote", "add", "origin/other", b.remote)
	if d := b.push(t, "origin", "feature:new"); d.Stop {
		t.Error(d.Lines)
	}
}
