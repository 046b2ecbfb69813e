package install_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/hooks/install"
	"github.com/git-plan/git-plan/testdata/hooked"
)

// TestUnconfinedPushHooks: in a push by git-plan itself, a pre-push hook runs outside the sandbox only if it
// consists of git-plan's lines and the exact text of git-lfs.
func TestUnconfinedPushHooks(t *testing.T) {
	const (
		sh      = "#!/bin/sh\n"
		lfs     = "git lfs pre-push \"$@\"\n"
		missing = "This repository is configured for Git LFS but 'git-lfs' was not found on your path. If you no longer wish to use Git LFS, remove this hook by deleting "
		lfs33   = sh + `command -v git-lfs >/dev/null 2>&1 || { echo >&2 "\n` + missing + `'.git/hooks/pre-push'.\n"; exit 2; }` + "\n" + lfs
		lfs35   = sh + `command -v git-lfs >/dev/null 2>&1 || { printf >&2 "\n%s\n\n" "` + missing + `the 'pre-push' file in the hooks directory (set by 'core.hookspath'; usually '.git/hooks')."; exit 2; }` + "\n" + lfs
	)
	dir := hooked.World(t)
	// installed is a hook after git plan hooks install.
	installed := func(content string) string {
		repo := hooked.Repository(t, filepath.Join(dir, fmt.Sprint(len(content))))
		path := filepath.Join(repo, ".git/hooks/pre-push")
		if content != "" {
			hooked.Write(t, path, content, 0o755)
		}
		installed(t, repo)
		return hooked.Contents(t, path)
	}
	ours := installed("")
	for content, known := range map[string]bool{
		lfs33: true, lfs35: true,
		sh + lfs: true, // of 2014
		sh + `command -v git-lfs >/dev/null 2>&1 || { echo >&2 "\n` + missing + ".git/hooks/pre-push.\\n\"; exit 2; }\n" + lfs: true,
		ours: true, installed(lfs35): true,
		sh + "eval \"$(git-plan hooks lines pre-push || echo exit 1)\"\n": true,

		"":                            false,
		installed(sh + "make lint\n"): false, installed("#!/bin/bash\n" + lfs): false,
		ours + "make lint\n":                   false,
		"echo\n" + ours:                        false,
		ours[:len(ours)-5]:                     false,
		lfs33 + "make lint\n":                  false,
		sh + "make lint\n" + lfs:               false,
		sh + "git lfs pre-push \"$@\"; make\n": false,
		sh + "git lfs pre-push $@\n":           false,
		sh + "git  lfs pre-push \"$@\"\n":      false,
		sh + "git lfs pre-push \"$@\" || :\n":  false,
		sh + "PATH=.:$PATH\n" + lfs:            false,
		"#!./sh\n" + lfs:                       false,
		" " + sh + lfs:                         false,
		sh + "\n" + lfs:                        false,
		lfs33 + "\x00":                         false,
		sh + "command -v git-lfs >/dev/null 2>&1 || { make; exit 2; }\n" + lfs: false,
		sh + "eval \"$(git-plan hooks lines pre-push; make)\"\n":               false,
	} {
		if got := install.OnlyKnown([]byte(content)); got != known {
			t.Errorf("%v, want %v:\n%s", got, known, content)
		}
	}
}

// A push by git plan itself runs the person's hook only through its own hook.
func TestReplacementOfThePersonsHook(t *testing.T) {
	b := bench{hooked.NewBench(t)}
	hooked.Write(t, b.Hook(), hooked.Keeps, 0o755)
	t.Chdir(b.Repo)
	c, err := checkout.Open(t.Context())
	hooked.Must(t, err)
	t.Cleanup(c.Close)
	doc, err := c.Store.Create(t.Context(), []byte("# P\n\n## Steps\n\n- [ ] One {#one}\n"), "main", "main", journal.Event{Start: hooked.Git(t, b.Repo, "rev-parse", "HEAD"), By: journal.ByPerson})
	hooked.Must(t, err)
	hooked.Git(t, b.Repo, "config", "branch.main.plan", doc.ID)
	hooked.Must(t, c.Load(t.Context()))
	prepare := func() (folder string, remove func() error) {
		folder, remove, err := install.OwnPush(c)
		hooked.Must(t, err)
		return folder, remove
	}
	own, remove := prepare()
	path := filepath.Join(own, "pre-push")
	hooked.Contains(t, hooked.Contents(t, path), `hook own-push "$@"`)
	hooked.Must(t, remove())
	if hooked.Exists(c.Repo.PlanDir(doc.ID, "push")) {
		t.Error("the folder is left")
	}

	hooked.Must(t, os.Remove(b.Hook()))
	_, remove = prepare()
	hooked.Contains(t, hooked.Contents(t, path), `hook pre-push "$@"`)
	hooked.Must(t, remove())
	hooked.Git(t, b.Repo, "config", "plan.prePush", "off")
	c, err = checkout.Open(t.Context())
	hooked.Must(t, err)
	t.Cleanup(c.Close)
	hooked.Must(t, c.Load(t.Context()))
	if own, remove = prepare(); own != os.DevNull || remove() != nil {
		t.Errorf("without a hook git looks in %q", own)
	}
	installed(t, b.Repo) // only git plan's lines: it runs unconfined
	_, remove = prepare()
	if f := look(t, b.Repo); !f.Gated() || hooked.Contents(t, path) != hooked.Contents(t, b.Hook()) {
		t.Errorf("gated %v:\n%s", f.Gated(), hooked.Contents(t, path))
	}
	hooked.Must(t, remove())
}
