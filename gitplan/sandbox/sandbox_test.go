package sandbox

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/testdata/repository"
)

// sandboxWith is the sandbox of a repository with lines of configuration, its home beside it.
func sandboxWith(t *testing.T, config string) *Sandbox {
	t.Helper()
	dir := repository.New(t)
	if err := os.MkdirAll(filepath.Join(os.Getenv("HOME"), "data"), 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(dir, ".git", "config"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("[plan]\n" + config); err != nil {
		t.Fatal(err)
	}
	f.Close()
	t.Chdir(dir)
	return open(t)
}

// open is the sandbox of the repository of the current folder.
func open(t *testing.T) *Sandbox {
	t.Helper()
	r, config, err := git.OpenHere(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := Of(r, settings.New(config))
	t.Cleanup(func() { s.Close(); r.Close() })
	return s
}

// runs runs lines like checks, up to the first that fails; the error contains all output.
func runs(t *testing.T, s *Sandbox, bounds *proc.Confinement, lines ...string) error {
	t.Helper()
	for _, line := range lines {
		name, args := proc.Shell(line)
		said := &proc.Tail{}
		exit, err := proc.Run(t.Context(), proc.Cmd{Name: name, Args: args, Dir: s.repo.Top, Env: s.config.Environment(nil), Group: true, Confine: bounds, Stdout: said, Stderr: said})
		if err != nil {
			t.Fatal(err)
		}
		if !exit.OK() {
			return errors.New(line + ": " + said.String())
		}
	}
	return nil
}

func TestWritablePaths(t *testing.T) {
	for config, want := range map[string]string{
		"":                         "~/.cache/pip ~/go/pkg/mod",
		"sandboxWritable = ~/data": "~/data",
		"sandboxWritable = ~/data, /opt/x,caches":           "~/.cache/pip ~/go/pkg/mod ~/data /opt/x",
		"sandboxWritable = /opt/x\n\tsandboxWritable = ~/y": "/opt/x ~/y",
		"sandboxWritable = ":                                "",
		"sandboxWritable = ~":                               "error: the home folder itself",
		"sandboxWritable = ~/data/..":                       "error: the home folder itself",
		"sandboxWritable = /":                               "error: the home folder itself",
		"sandboxWritable = data":                            "error: paths must be absolute",
		"sandboxWritable = ~root/x":                         "error: paths must be absolute",
	} {
		c := sandboxWith(t, config)
		home := os.Getenv("HOME")
		bounds, err := c.Confine(proc.Landlock, c.repo.Top, true)
		if text, wrong := strings.CutPrefix(want, "error: "); wrong {
			if !errors.Is(err, fault.ErrSandbox) || !strings.Contains(err.Error(), text) {
				t.Errorf("%s: %v", config, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []string{"~/.cache/pip", "~/go/pkg/mod", "~/data", "/opt/x", "~/y"} {
			has := slices.Contains(bounds.Writable, strings.Replace(p, "~", home, 1))
			if has != slices.Contains(strings.Fields(want), p) {
				t.Errorf("%q: %s is writable: %v", config, p, has)
			}
		}
		if slices.Contains(bounds.Writable, home) {
			t.Errorf("%q: the home folder is writable", config)
		}
	}
}

// A secret that is configured as writable is meant to be used.
func TestConfiguredSecretIsNotHidden(t *testing.T) {
	c := sandboxWith(t, "sandboxWritable = ~/.docker")
	for _, name := range []string{".docker/config.json", ".kube/config"} {
		path := filepath.Join(os.Getenv("HOME"), name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	bounds, err := c.Confine(proc.Bwrap, c.repo.Top, true)
	if err != nil {
		t.Fatal(err)
	}
	var hidden []string
	for _, h := range bounds.Hidden {
		if rel, err := filepath.Rel(disk.Real(os.Getenv("HOME")), h); err == nil && !strings.HasPrefix(rel, "..") && bounds.Hides(h) {
			hidden = append(hidden, rel)
		}
	}
	if len(hidden) != 1 || hidden[0] != ".kube" {
		t.Errorf("hidden: %v", hidden)
	}
}

// In ~/.config only what builds read is readable, and paths in plan.sandboxReadable.
func TestSettingsOfOtherProgramsAreHidden(t *testing.T) {
	for config, readable := range map[string][]string{"": {"git", "go", "pip"}, "sandboxReadable = ~/.config/Unheard": {"git", "go", "pip", "Unheard"}} {
		c := sandboxWith(t, config)
		t.Setenv("XDG_CONFIG_HOME", "")
		dir := filepath.Join(disk.Real(os.Getenv("HOME")), ".config")
		for _, name := range []string{"Unheard", "anthropic", "git", "go", "pip"} {
			if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		bounds, err := c.Confine(proc.Bwrap, c.repo.Top, true)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"Unheard", "anthropic", "git", "go", "pip"} {
			if hidden := slices.Contains(bounds.Hidden, filepath.Join(dir, name)); hidden == slices.Contains(readable, name) {
				t.Errorf("%q: %s is hidden: %v", config, name, hidden)
			}
		}
		if slices.Contains(bounds.Writable, filepath.Join(dir, "Unheard")) {
			t.Errorf("%q: what may be read may be written", config)
		}
	}
}

// Files beside a cache that a person's later command would run cannot be planted, and a folder that is not a
// build cache does not count as one.
func TestCachesAreOnlyCaches(t *testing.T) {
	home := t.TempDir()
	for _, v := range []string{"XDG_CACHE_HOME", "GOPATH", "GOCACHE", "GOMODCACHE", "CARGO_HOME", "GRADLE_USER_HOME", "npm_config_cache"} {
		t.Setenv(v, "")
	}
	may := func(path string) bool {
		return slices.ContainsFunc(settings.Caches(home, false), func(c string) bool { return disk.Within(c, filepath.Join(home, path)) })
	}
	for _, path := range []string{".gradle/init.d/x.gradle", ".gradle/gradle.properties", ".gradle/wrapper/dists/x/bin/gradle", ".sbt/1.0/plugins/x.sbt",
		".sbt/1.0/global.sbt", ".cache/pre-commit/x/bin/ruff", ".cache/p10k-instant-prompt-me.zsh", ".cache/gitstatus/gitstatusd", ".cache/pypoetry/virtualenvs/x/bin/python",
		".npm/_npx/x/node_modules/.bin/x", "go/bin/x", ".cargo/bin/x", ".cargo/config.toml", ".m2/settings.xml", ".bundle/plugin/x", ".cache/new"} {
		if may(path) {
			t.Errorf("%s can be written", path)
		}
	}
	for _, path := range []string{".gradle/caches/x", ".sbt/boot/x", ".cache/go-build/x", ".npm/_cacache/x", "go/pkg/mod/x", ".cargo/registry/x", ".m2/repository/x"} {
		if !may(path) {
			t.Errorf("%s cannot be written", path)
		}
	}
}

// A session cannot configure a repository in a cache, or add or replace a toolchain of Go's.
func TestCachedRepositoriesAreReadOnly(t *testing.T) {
	if err := proc.Works(t.Context(), proc.Bwrap); err != nil {
		t.Skip("bwrap does not work here: ", err)
	}
	if _, found := proc.Find("go"); !found {
		t.Skip("go is not found here")
	}
	cache := t.TempDir()
	t.Setenv("GOMODCACHE", cache)
	c := sandboxWith(t, "")
	bounds, err := c.Confine(proc.Bwrap, c.repo.Top, true)
	if err != nil {
		t.Fatal(err)
	}
	name, args := proc.Shell("mkdir -p $GOMODCACHE/cache/vcs; echo x >$GOMODCACHE/module && ! echo x >$GOMODCACHE/cache/vcs/config && ! mv $GOMODCACHE/cache $GOMODCACHE/moved && " +
		"mkdir $GOMODCACHE/golang.org/x/tools && ! mkdir $GOMODCACHE/golang.org/toolchain@v0.0.1-go1.99.0.linux-amd64 && ! echo x >$GOMODCACHE/cache/download/golang.org/toolchain/x")
	if exit, err := proc.Run(t.Context(), proc.Cmd{Name: name, Args: args, Dir: c.repo.Top, Env: os.Environ(), Group: true, Confine: bounds}); err != nil || !exit.OK() {
		t.Errorf("not so: %v, %v", exit, err)
	}
}

// A socket whose listener does whatever it is sent is closed, unless it is configured.
func TestSocketsOfOthersAreClosed(t *testing.T) {
	if err := proc.Works(t.Context(), proc.Bwrap); err != nil {
		t.Skip("bwrap does not work here: ", err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "agent")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	t.Setenv("SSH_AUTH_SOCK", path)
	for config, closed := range map[string]bool{"": true, "sandboxWritable = " + path: false} {
		c := sandboxWith(t, config)
		bounds, err := c.Confine(proc.Bwrap, c.repo.Top, true)
		if err != nil {
			t.Fatal(err)
		}
		if err := runs(t, c, bounds, "test ! -S "+path); (err == nil) != closed {
			t.Errorf("%q: %v", config, err)
		}
	}
}

// Go builds and tests under each sandbox as without one: its cache is writable. -trimpath and no cgo, since
// make test has the standard library compiled like that.
func TestBuildWorksInTheSandbox(t *testing.T) {
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	c := sandboxWith(t, "")
	t.Setenv("GOCACHE", strings.TrimSpace(string(cache)))
	t.Setenv("CGO_ENABLED", "0")
	for name, text := range map[string]string{"go.mod": "module m\n\ngo 1.26.0\n", "m.go": "package m\n",
		"m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestM(t *testing.T) { t.TempDir() }\n"} {
		if err := os.WriteFile(filepath.Join(c.repo.Top, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, kind := range []proc.SandboxKind{proc.Unconfined, proc.Bwrap, proc.Landlock} {
		if err := proc.Works(t.Context(), kind); err != nil {
			t.Logf("NOT TESTED: %s does not work here: %v", kind, err)
			continue
		}
		bounds, err := c.Confine(kind, c.repo.Top, true)
		if err != nil {
			t.Fatal(err)
		}
		if err := runs(t, c, bounds, "go vet -trimpath ./...", "go test -trimpath -count=1 ./...", "git status --short"); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}
