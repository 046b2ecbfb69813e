package install_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/hooks/install"
	"github.com/git-plan/git-plan/testdata/hooked"
)

// theirs are hooks as people write them.
var theirs = map[string]string{
	"sh":                    "#!/bin/sh\necho hi\n",
	"sh with options":       "#!/bin/sh -eu\necho hi\n",
	"bash that exits early": "#!/usr/bin/env bash\nset -euo pipefail\nexit 0\n",
	"exec at the end":       "#!/bin/sh\nexec cat\n",
	"no shebang":            "echo hi\n",
	"empty":                 "",
	"no newline at the end": "#!/bin/sh\necho hi",
	"only a shebang":        "#!/bin/sh\n",
	"space in the shebang":  "#! /bin/dash\n# bytes: \xff\xfe\n",
}

func TestHookIsInstalledAndRemovedExactly(t *testing.T) {
	dir := hooked.World(t)
	for name, content := range theirs {
		for _, mode := range []os.FileMode{0o755, 0o700, 0o775} {
			t.Run(name+" "+mode.String(), func(t *testing.T) {
				repo := hooked.Repository(t, filepath.Join(dir, strings.ReplaceAll(name, " ", "-")+mode.String()))
				path := filepath.Join(repo, ".git/hooks/pre-push")
				hooked.Write(t, path, content, mode)

				if a := installed(t, repo); a.Do != install.Change {
					t.Fatalf("install: %s: %s", a.Do, a.Text)
				}
				first := hooked.Contents(t, path)
				if !strings.Contains(first, "hook pre-push") || strings.Contains(first, "\r") {
					t.Fatalf("installed:\n%s", first)
				}
				if first, _, _ := strings.Cut(content, "\n"); strings.HasPrefix(first, "#!") && !strings.HasPrefix(hooked.Contents(t, path), first+"\n# git-plan begin v1 sha256:") {
					t.Errorf("the lines are not right behind the shebang:\n%s", hooked.Contents(t, path))
				}
				for range 2 {
					if a := installed(t, repo); a.Do != install.Keep {
						t.Errorf("installed again: %s: %s", a.Do, a.Text)
					}
				}
				if hooked.Contents(t, path) != first {
					t.Error("installing again changed the hook")
				}
				info, err := os.Stat(path)
				hooked.Must(t, err)
				if info.Mode().Perm() != mode {
					t.Errorf("mode %o, was %o", info.Mode().Perm(), mode)
				}

				removed(t, repo)
				if got := hooked.Contents(t, path); got != content {
					t.Errorf("uninstalled:\n%q, was\n%q", got, content)
				}
				if info, _ := os.Stat(path); info.Mode().Perm() != mode {
					t.Errorf("mode %o, was %o", info.Mode().Perm(), mode)
				}
				if a := removed(t, repo); a.Do != install.Keep {
					t.Errorf("uninstalled again: %s", a.Do)
				}
			})
		}
	}
}

func TestNewHookIsRemoved(t *testing.T) {
	dir := hooked.World(t)
	repo := hooked.Repository(t, filepath.Join(dir, "repo"))
	hooked.Must(t, os.RemoveAll(filepath.Join(repo, ".git/hooks"))) // as without a template
	path := filepath.Join(repo, ".git/hooks/pre-push")

	if s := install.Status(look(t, repo))[0]; s.Installed || s.Path != path {
		t.Errorf("before: %+v", s)
	}
	if a := installed(t, repo); a.Do != install.Create || a.Path != path {
		t.Fatalf("install: %s %s: %s", a.Do, a.Path, a.Text)
	}
	// It has the same mode as any program that this person creates.
	other, err := os.OpenFile(filepath.Join(dir, "other"), os.O_CREATE, 0o755)
	hooked.Must(t, err)
	defer other.Close()
	want, _ := other.Stat()
	got, err := os.Stat(path)
	hooked.Must(t, err)
	if got.Mode() != want.Mode() {
		t.Errorf("mode %v, want %v", got.Mode(), want.Mode())
	}
	if s := install.Status(look(t, repo))[0]; !s.Installed {
		t.Errorf("after: %+v", s)
	}
	if a := installed(t, repo); a.Do != install.Keep {
		t.Errorf("installed again: %s", a.Do)
	}

	// What a person added meanwhile is kept.
	ours := hooked.Contents(t, path)
	hooked.Write(t, path, ours+"echo mine\n", 0o755)
	removed(t, repo)
	if got := hooked.Contents(t, path); got != "#!/bin/sh\necho mine\n" {
		t.Errorf("left: %q", got)
	}
	hooked.Write(t, path, ours, 0o755)
	if a := removed(t, repo); a.Do != install.Remove || hooked.Exists(path) {
		t.Errorf("uninstall: %s, still there: %v", a.Do, hooked.Exists(path))
	}
	entries, _ := os.ReadDir(filepath.Dir(path))
	if len(entries) != 0 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestLinesOfAnotherVersionAreReplacedInPlace(t *testing.T) {
	dir := hooked.World(t)
	for name, content := range theirs {
		repo := hooked.Repository(t, filepath.Join(dir, strings.ReplaceAll(name, " ", "-")))
		path := filepath.Join(repo, ".git/hooks/pre-push")
		hooked.Write(t, path, content, 0o755)
		f := look(t, repo)
		f.Program = "/opt/it's old/git-plan" // differs from what install records now
		perform(t, install.Plan(f, install.Install))
		hooked.Contains(t, hooked.Contents(t, path), `'/opt/it'\''s old/git-plan'`)

		if s := install.Status(look(t, repo))[0]; !s.Installed || s.Text == "installed" {
			t.Errorf("%s: %+v", name, s)
		}
		if a := installed(t, repo); a.Do != install.Change || strings.Contains(hooked.Contents(t, path), "s old/git-plan") {
			t.Errorf("%s: %s, now\n%s", name, a.Do, hooked.Contents(t, path))
		}
		removed(t, repo)
		if got := hooked.Contents(t, path); got != content {
			t.Errorf("%s: uninstalled:\n%q, was\n%q", name, got, content)
		}
	}
}

func TestForeignHooksAreNotChanged(t *testing.T) {
	dir := hooked.World(t)
	model := hooked.Repository(t, filepath.Join(dir, "model"))
	installed(t, model)
	ours := hooked.Contents(t, filepath.Join(model, ".git/hooks/pre-push"))

	for name, c := range map[string]struct {
		content string
		mode    os.FileMode
		why     string
	}{
		"CRLF":              {"#!/bin/sh\r\necho hi\r\n", 0o755, "CRLF"},
		"one CRLF":          {"#!/bin/sh\necho hi\r\necho\n", 0o755, "CRLF"},
		"python":            {"#!/usr/bin/env python3\nprint()\n", 0o755, "python3 runs it"},
		"node":              {"#!/usr/bin/node\n", 0o755, "node runs it"},
		"fish":              {"#!/usr/bin/fish\n", 0o755, "fish runs it"},
		"a program":         {"\x7fELF\x02\x01\x00\x00", 0o755, "not a script"},
		"an edited block":   {strings.Replace(ours, "return 0", "return 1", 1), 0o755, "changed by hand"},
		"an edited mark":    {strings.Replace(ours, " created", "", 1), 0o755, "changed by hand"},
		"begin without end": {strings.Replace(ours, "# git-plan end", "", 1), 0o755, "do not pair"},
		"end without begin": {"#!/bin/sh\n# git-plan end\n", 0o755, "do not pair"},
		"two blocks":        {ours + ours, 0o755, "do not pair"},
		"not executable":    {"#!/bin/sh\n", 0o644, "not executable"},
	} {
		t.Run(name, func(t *testing.T) {
			repo := hooked.Repository(t, filepath.Join(dir, strings.ReplaceAll(name, " ", "-")))
			path := filepath.Join(repo, ".git/hooks/pre-push")
			hooked.Write(t, path, c.content, c.mode)
			a := installed(t, repo)
			if a.Do != install.Refuse {
				t.Errorf("%s: %s", a.Do, a.Text)
			}
			hooked.Contains(t, a.Text, c.why)
			removed(t, repo)
			if hooked.Contents(t, path) != c.content {
				t.Errorf("the hook was changed:\n%s", hooked.Contents(t, path))
			}
			if s := install.Status(look(t, repo))[0]; s.Installed || s.Text != a.Text {
				t.Errorf("status: %+v", s)
			}
		})
	}
}

func TestFoldersAndLinksThatCannotHoldAHook(t *testing.T) {
	dir := hooked.World(t)
	t.Run("hooks are switched off", func(t *testing.T) {
		repo := hooked.Repository(t, filepath.Join(dir, "off"))
		hooked.Git(t, repo, "config", "core.hooksPath", os.DevNull)
		if a := installed(t, repo); a.Do != install.Refuse || !strings.Contains(a.Text, "switched off") {
			t.Errorf("%s: %s", a.Do, a.Text)
		}
	})
	t.Run("a link to nothing", func(t *testing.T) {
		repo := hooked.Repository(t, filepath.Join(dir, "dangling"))
		hooked.Must(t, os.Symlink("gone", filepath.Join(repo, ".git/hooks/pre-push")))
		if a := installed(t, repo); a.Do != install.Refuse || !strings.Contains(a.Text, "link") {
			t.Errorf("%s: %s", a.Do, a.Text)
		}
	})
	t.Run("a link inside of the repository", func(t *testing.T) {
		repo := hooked.Repository(t, filepath.Join(dir, "inside"))
		link, real := filepath.Join(repo, ".git/hooks/pre-push"), filepath.Join(repo, ".git/my-hooks/push.sh")
		hooked.Write(t, real, "#!/bin/sh\necho\n", 0o755)
		hooked.Must(t, os.Symlink("../my-hooks/push.sh", link))
		if a := installed(t, repo); a.Do != install.Change || a.Path != real {
			t.Errorf("%s %s: %s", a.Do, a.Path, a.Text)
		}
		if target, err := os.Readlink(link); err != nil || target != "../my-hooks/push.sh" {
			t.Errorf("the link was removed: %v", err)
		}
		removed(t, repo)
		if hooked.Contents(t, real) != "#!/bin/sh\necho\n" {
			t.Error("it was not restored")
		}
	})
}

func TestHookThatChangedMeanwhileIsNotWritten(t *testing.T) {
	repo := hooked.Repository(t, filepath.Join(hooked.World(t), "repo"))
	path := filepath.Join(repo, ".git/hooks/pre-push")
	create := install.Plan(look(t, repo), install.Install)
	hooked.Write(t, path, "#!/bin/sh\necho mine\n", 0o755)
	if install.Perform(create) == nil || hooked.Contents(t, path) != "#!/bin/sh\necho mine\n" {
		t.Error("a new hook was overwritten")
	}
	change := install.Plan(look(t, repo), install.Install)
	hooked.Write(t, path, "#!/bin/sh\necho mine too\n", 0o755)
	if install.Perform(change) == nil || hooked.Contents(t, path) != "#!/bin/sh\necho mine too\n" {
		t.Error("a changed hook was overwritten")
	}
}
