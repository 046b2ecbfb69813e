//go:build unix

package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/testdata/repository"
)

// brokenBwrap puts a bwrap first on PATH that never works.
func brokenBwrap(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	repository.Write(t, filepath.Join(dir, "bwrap"), "#!/bin/sh\necho 'no user namespaces' >&2\nexit 1\n")
	if err := os.Chmod(filepath.Join(dir, "bwrap"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

// A sandbox set by name is used or refused; auto uses the strongest that works here, and says why no stronger
// one does.
func TestSandboxInForce(t *testing.T) {
	strongest := proc.Unconfined
	for _, kind := range proc.SandboxKinds() {
		if proc.Works(t.Context(), kind) == nil {
			strongest = kind
			break
		}
	}
	for config, want := range map[string]string{"sandbox = none": "none", "sandbox = None": "none", "": string(strongest), "sandbox = auto": string(strongest)} {
		in, err := Choose(t.Context(), sandboxWith(t, config+"\n").config)
		if err != nil || string(in.Kind) != want || !strings.HasPrefix(in.String(), want) {
			t.Errorf("with %q it is %s, %v; want %s", config, in, err, want)
		}
	}
	for config, want := range map[string]string{
		"sandbox = jail": `plan.sandbox is "jail": it must be auto, bwrap, landlock, seatbelt or none`, "sandbox = bwrap": "plan.sandbox is bwrap, which does not work here: ",
	} {
		s := sandboxWith(t, config+"\n")
		brokenBwrap(t)
		if _, err := Choose(t.Context(), s.config); !errors.Is(err, fault.ErrSandbox) || !strings.Contains(err.Error(), want) {
			t.Errorf("with %q: %v", config, err)
		}
	}
	if runtime.GOOS != "linux" {
		return
	}
	in, err := Choose(t.Context(), sandboxWith(t, "").config) // bwrap is still the broken one
	if err != nil || in.Kind == proc.Bwrap || !strings.HasPrefix(in.String(), string(in.Kind)+" (bwrap exits with 1: no user namespaces") {
		t.Errorf("without bwrap it is %s, %v", in, err)
	}
}

// A path that opens the home, or that is a different folder in each home, is refused.
func TestConfigurablePaths(t *testing.T) {
	for config, want := range map[string]string{
		"":                                 "",
		"sandboxWritable = ~/data, /opt/x": "",
		"sandboxReadable = ~":              "the home folder itself is never opened",
		"sandboxWritable = /":              "the home folder itself is never opened",
		"sandboxReadable = data":           `plan.sandboxReadable names "data": paths must be absolute, or such as ~/data`,
		"sandboxWritable = caches, ~/x\nsandboxReadable = ~other": "paths must be absolute",
	} {
		_, err := sandboxWith(t, config+"\n").Confine(proc.Landlock, t.TempDir(), false)
		if (err == nil) != (want == "") || err != nil && (!errors.Is(err, fault.ErrSandbox) || !strings.Contains(err.Error(), want)) {
			t.Errorf("with %q: %v", config, err)
		}
	}
}

// sandboxAtHome returns the sandbox of a repository in a home that is not a temporary folder, with lines of
// configuration; lines are the home's in layout's format.
func sandboxAtHome(t *testing.T, config string, lines ...string) *Sandbox {
	t.Helper()
	home := layout(t, lines...)
	for _, v := range []string{"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"} {
		t.Setenv(v, "")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("HOME", home)
	repository.Git(t, "", "init", "-q", filepath.Join(home, "tree"))
	repository.Write(t, filepath.Join(home, "tree/.git/config"), "[plan]\n"+config)
	t.Chdir(filepath.Join(home, "tree"))
	return open(t)
}

// A session's command-line program can read its installation, and nothing beside it.
func TestProgramCanReadItsInstallation(t *testing.T) {
	s := sandboxAtHome(t, "", ".agent/bin/agent=x", ".agent/lib/code.js=x", "other/file=x")
	home := os.Getenv("HOME")
	bounds, err := s.Confine(proc.Bwrap, s.repo.Top, true)
	if err != nil {
		t.Fatal(err)
	}
	code, other := filepath.Join(home, ".agent/lib/code.js"), filepath.Join(home, "other/file")
	if !bounds.Hides(code) || !bounds.Hides(other) {
		t.Fatal("both can be read before anything is allowed")
	}
	if s.AllowProgram(bounds, filepath.Join(home, ".agent/bin/agent")); bounds.Hides(code) || !bounds.Hides(other) {
		t.Errorf("the installation is hidden: %v, and other files: %v", bounds.Hides(code), bounds.Hides(other))
	}
}

// A filter that runs code from the tree is confined when git runs it: it reads the tree, writes nothing
// there, and sees no secret. Other filters, and trusted ones, run as usual.
func TestFiltersOfTheTreeAreConfined(t *testing.T) {
	const script = "#!/bin/sh\nif echo x >made 2>/dev/null; then echo wrote; else echo no; fi\nif cat ~/.ssh/id 2>/dev/null; then echo read; else echo no; fi\ncat tools/clean.sh >/dev/null && echo tree\n"
	for config, want := range map[string]string{
		"[filter \"x\"]\n\tclean = sh ./tools/clean.sh\n":                     "no\nno\ntree",
		"hooksSandbox = off\n[filter \"x\"]\n\tclean = sh ./tools/clean.sh\n": "wrote\nSECRET\nread\ntree",
		"hooksSandbox = of\n[filter \"x\"]\n\tclean = sh ./tools/clean.sh\n":  "no\nno\ntree",
		"[filter \"x\"]\n\tclean = \"tr a-z A-Z\"\n":                          "CONTENT",
		"sandbox = none\n[filter \"x\"]\n\tclean = sh ./tools/clean.sh\n":     "wrote\nSECRET\nread\ntree",
	} {
		for _, of := range []string{".", "sub"} { // a submodule, or a clone, has its own configuration
			s := sandboxAtHome(t, config, ".ssh/id=SECRET\n")
			in, err := Choose(t.Context(), s.config)
			if err != nil || in.Kind == proc.Unconfined && !strings.Contains(config, "none") {
				t.Skipf("NOT TESTED: %s, %v", in, err)
			}
			r := s.repo
			if of == "sub" {
				repository.Ask(t, "init", "-q", of)
				repository.Write(t, "sub/.git/config", repository.Read(t, ".git/config"))
				repository.Ask(t, "config", "--remove-section", "filter.x")
				r = r.Submodule(filepath.Join(r.Top, of), filepath.Join(r.Top, of, ".git"))
			}
			repository.Write(t, of+"/tools/clean.sh", script)
			repository.Write(t, of+"/.gitattributes", "file filter=x\n")
			repository.Write(t, of+"/file", "content")
			if err := s.ConfineFilters(t.Context(), r, ""); err != nil {
				t.Fatal(err)
			}
			if _, err := r.Output(t.Context(), "add", "file"); err != nil {
				t.Errorf("%q: %v", config, err)
			}
			if got := repository.Ask(t, "-C", of, "cat-file", "blob", ":file"); got != want {
				t.Errorf("%s, %q: the filter says %q, want %q", of, config, got, want)
			}
		}
	}
}

// Without such a filter no process is started to find out how to confine it.
func TestNoProcessWithoutSuchFilters(t *testing.T) {
	s := sandboxWith(t, "[filter \"lfs\"]\n\tclean = cat\n")
	before := proc.Started.Load()
	if err := s.ConfineFilters(t.Context(), s.repo, ""); err != nil || proc.Started.Load() != before {
		t.Errorf("%d programs were started, %v", proc.Started.Load()-before, err)
	}
	bad := sandboxWith(t, "sandbox = jail\n[filter \"x\"]\n\tclean = sh ./clean.sh\n")
	if err := bad.ConfineFilters(t.Context(), bad.repo, ""); !errors.Is(err, fault.ErrSandbox) {
		t.Errorf("what cannot be confined: %v", err)
	}
}
