package sandbox

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/testdata/repository"
	"github.com/google/go-cmp/cmp"
)

// An installation is readable as a whole, but never a home, or a folder that many programs share.
func TestFoldersOfInstallations(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it has no sandbox")
	}
	folders := []string{"/home/me/sdk/go1.26/lib", "/home/me/anaconda/conda-meta", "/home/me/lib", "/home/me/go/pkg"}
	for dir, want := range map[string]string{
		"/home/me":                                         "",
		"/home/me/bin":                                     "/home/me/bin", // though ~/lib is beside it
		"/home/me/.foo/bin":                                "/home/me/.foo",
		"/home/me/.foo":                                    "/home/me/.foo",
		"/home/me/.nvm/versions/node/v22/bin":              "/home/me/.nvm",
		"/home/me/.local":                                  "",
		"/home/me/.local/bin":                              "/home/me/.local/bin",
		"/home/me/.local/lib/node_modules/x/bin":           "/home/me/.local/lib",
		"/home/me/.local/share":                            "",
		"/home/me/.local/share/claude/versions/1":          "/home/me/.local/share/claude",
		"/home/me/.config":                                 "",
		"/home/me/.config/composer/vendor/bin":             "/home/me/.config/composer",
		"/home/me/Library/Python/3.12/bin":                 "/home/me/Library/Python",
		"/home/me/Library/Application Support":             "",
		"/home/me/Library/Application Support/Foo/scripts": "/home/me/Library/Application Support/Foo",
		"/home/me/sdk/go1.26/bin":                          "/home/me/sdk/go1.26",
		"/home/me/anaconda/bin":                            "/home/me/anaconda",
		"/home/me/go/bin":                                  "/home/me/go/bin", // its src may contain anything
		"/home/me/work/bin":                                "/home/me/work/bin",
		"/home/me/work/scripts":                            "/home/me/work/scripts",
		"/home/linuxbrew/.linuxbrew/bin":                   "/home/linuxbrew/.linuxbrew",
		"/home":                                            "",
		"/root/.cargo/bin":                                 "/root/.cargo",
		"/usr/bin":                                         "",
		"/opt/foo/bin":                                     "",
	} {
		if got := rootOf("/home/me", dir, func(p string) bool { return slices.Contains(folders, p) }); got != want {
			t.Errorf("%s: %q, want %q", dir, got, want)
		}
	}
	if got := rootOf("/", "/usr/bin", integrity.IsFolder); got != "" {
		t.Errorf("with / as home: %q", got)
	}
}

// layout makes folders, files (that end with their text), and links in a folder that is not a temporary one.
func layout(t *testing.T, lines ...string) string {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "git-plan-home-")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	dir = disk.Real(dir)
	for _, line := range lines {
		path, text, file := strings.Cut(line, "=")
		path, to, isLink := strings.Cut(path, "->")
		path = filepath.Join(dir, path)
		if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
			switch {
			case isLink:
				err = os.Symlink(to, path)
			case file:
				mode := os.FileMode(0o644)
				if strings.Contains(path, "/bin/") {
					mode = 0o755
				}
				err = os.WriteFile(path, []byte(strings.ReplaceAll(text, "DIR", dir)), mode)
			default:
				err = os.MkdirAll(path, 0o755)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// What is readable in a home, for homes of many kinds.
func TestReadablePathsOfAHome(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it has no sandbox")
	}
	const secret, neighbour = "me/.ssh/id=x", "me/src/other/.env=x"
	for name, c := range map[string]struct {
		layout []string
		home   string // of dir
		tree   string
		env    []string
		can    string // read
		cannot string
	}{
		"a neighbour": {layout: []string{secret, neighbour, "me/note=x"}, home: "me", tree: "me/src/tree", can: "me/src/tree", cannot: "me me/src me/src/other/.env me/note me/.ssh/id"},
		"outside":     {layout: []string{secret, neighbour, "data/x=x"}, home: "me", tree: "tree", can: "tree data/x", cannot: "me/src/other/.env me/.ssh/id"},
		"the tree":    {layout: []string{secret, neighbour}, home: "me", tree: "me", can: "me me/src/other/.env", cannot: "me/.ssh/id"},
		"in the tree": {layout: []string{secret, neighbour}, home: "all/me", tree: "all", can: "all all/me"},
		"a link":      {layout: []string{secret, neighbour, "me/note=x", "home->me", "me/.cargo"}, home: "home", tree: "me/src/tree", can: "me/src/tree home/.cargo", cannot: "me/note me/src/other/.env me/.ssh/id"},
		"missing":     {layout: []string{"data/x=x"}, home: "none", tree: "tree", can: "tree data/x"},
		"programs": {layout: []string{"me/.a/lib/x=x", "me/.a/bin", "me/tools/b/lib/x=x", "me/tools/b/bin", "me/x=x", "me/.c/lib/x=x", "me/.c/bin/c=x", "me/bin/c->../.c/bin/c",
			"me/bin/d=x", "me/.local/share/e/x=x", "me/work/x=x", "me/work/bin"},
			home: "me", tree: "me/tree", env: []string{"PATH=DIR/me/.a/bin:DIR/me/tools/b/bin:DIR/me/bin:DIR/me:DIR/me/work/bin:/usr/bin"},
			can: "me/.a/lib/x me/tools/b/lib/x me/.c/lib/x me/bin/d me/work/bin", cannot: "me/x me/.local/share/e/x me/work/x"},
		"variables": {layout: []string{"me/jdk/lib/x=x", "me/py/x=x", "me/code/pkg/mod/x=x", "me/code/src/x=x", "me/x=x", "me/.ssh/cert=x"}, home: "me", tree: "me/tree",
			env: []string{"JAVA_HOME=DIR/me/jdk", "PYTHONPATH=DIR/me/py:DIR/me", "GOPATH=DIR/me/code", "XDG_DATA_HOME=DIR/me", "GIT_CEILING_DIRECTORIES=DIR/me/code", "SSL_CERT_FILE=DIR/me/.ssh/cert"},
			can: "me/jdk/lib/x me/py/x me/code/pkg/mod/x", cannot: "me/x me/code/src/x me/.ssh/cert"},
		"above": {layout: []string{"me/src/node_modules/x=x", "me/src/package.json=x", "me/.editorconfig=x", "me/src/other/x=x", "me/src/used/x=x", "me/src/go.work=use (\n\t./tree // this\n\t./used\n\t..\n)\n"},
			home: "me", tree: "me/src/tree", can: "me/src/node_modules/x me/src/package.json me/.editorconfig me/src/go.work me/src/used/x", cannot: "me/src/other/x"},
		"settings": {layout: []string{"me/.config/git/config=", "me/.config/app/x=x", "me/.gitconfig=[include]\n\tpath = .more\n", "me/.more=[core]\n\texcludesFile = ~/ignored\n", "me/ignored=x", "me/.bashrc=x"},
			home: "me", tree: "me/tree", can: "me/.config/git/config me/.gitconfig me/.more me/ignored", cannot: "me/.config/app/x me/.bashrc"},
		"keys in tools": {layout: []string{"me/.cargo/config.toml=x", "me/.cargo/credentials.toml=x", "me/.netrc=x"}, home: "me", tree: "me/tree", can: "me/.cargo/config.toml", cannot: "me/.cargo/credentials.toml me/.netrc"},
		"keys among settings": {layout: []string{"me/.config/pypoetry/auth.toml=x", "me/.local/share/uv/credentials/credentials.toml=x", "me/.local/share/gem/credentials=x", "me/.hex/hex.config=x",
			"me/.config/mise/age.txt=x", "me/.config/pnpm/auth.ini=x", "me/.config/configstore/firebase-tools.json=x", "me/.config/configstore/snyk.json=x", "me/.config/configstore/update-notifier-npm.json=x",
			"me/.config/git/credentials=x", "me/.config/uv/new/token.json=x", "me/.config/uv/tokenizer.json=x", "me/.gradle/my-secrets.properties=x", "me/.cargo/bin/cargo-credential=x", "me/.gradle/init.gradle=x", "me/.rye/credentials=x", "me/.config/pip/ca.pem=x"},
			home: "me", tree: "me/tree", can: "me/.config/configstore/update-notifier-npm.json me/.config/uv/tokenizer.json me/.gradle/init.gradle me/.config/pip/ca.pem me/.cargo/bin/cargo-credential",
			cannot: "me/.config/pypoetry/auth.toml me/.local/share/uv/credentials/credentials.toml me/.local/share/gem/credentials me/.hex/hex.config me/.config/mise/age.txt me/.config/pnpm/auth.ini " +
				"me/.config/configstore/firebase-tools.json me/.config/configstore/snyk.json me/.config/git/credentials me/.config/uv/new/token.json me/.gradle/my-secrets.properties me/.rye/credentials"},
		"passwords in settings": {layout: []string{"me/.nuget/NuGet/NuGet.Config=<add key=\"ClearTextPassword\" value=\"x\" />", "me/.config/NuGet/NuGet.Config=<configuration><!-- no password --></configuration>",
			"me/.bundle/config=---\nBUNDLE_GEMS__EXAMPLE__COM: \"me:hunter2\"\n", "me/.config/nix/nix.conf=access-tokens = github.com=x", "me/.m2/settings.xml=<settings><password>x</password></settings>",
			"me/.gradle/gradle.properties=# no password\norg.gradle.jvmargs=-Xmx2g\n", "me/.config/pip/pip.conf=index-url = https://me:x@example.com/simple", "me/.cargo/config.toml=[build]\njobs = 4\n"},
			home: "me", tree: "me/tree", can: "me/.config/NuGet/NuGet.Config me/.gradle/gradle.properties me/.cargo/config.toml",
			cannot: "me/.nuget/NuGet/NuGet.Config me/.bundle/config me/.config/nix/nix.conf me/.m2/settings.xml me/.config/pip/pip.conf"},
		"settings without": {layout: []string{"me/.bundle/config=---\nBUNDLE_BUILD__NOKOGIRI: \"--use-system-libraries\"\nBUNDLE_LOCAL__RACK: \"/src/rack\"\nBUNDLE_JOBS: \"4\"\n", "me/.m2/settings.xml=<settings>\n<!--\n<password>x</password>\n-->\n</settings>",
			"me/.config/nix/nix.conf=experimental-features = flakes", "me/.config/pip/pip.conf=index-url = https://example.com:8443/simple"},
			home: "me", tree: "me/tree", can: "me/.bundle/config me/.m2/settings.xml me/.config/nix/nix.conf me/.config/pip/pip.conf"},
		"links of the tree": {layout: []string{"me/private/bin/x=x", "me/tree/bin->../private/bin", "me/tree/venv->../private"}, home: "me", tree: "me/tree",
			env: []string{"PATH=DIR/me/tree/bin:/usr/bin:/bin", "VIRTUAL_ENV=DIR/me/tree/venv"}, cannot: "me/private/bin/x"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := layout(t, c.layout...)
			for _, v := range []string{"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "GOPATH", "GOWORK", "VIRTUAL_ENV", "GIT_CONFIG_GLOBAL"} {
				t.Setenv(v, "")
			}
			os.Unsetenv("GIT_CONFIG_GLOBAL") // an empty one would be git's only configuration
			t.Setenv("HOME", filepath.Join(dir, c.home))
			repository.Git(t, "", "init", "-q", filepath.Join(dir, c.tree))
			for _, kv := range c.env {
				k, v, _ := strings.Cut(kv, "=")
				if k == "PATH" {
					v += ":" + os.Getenv("PATH")
				}
				t.Setenv(k, strings.ReplaceAll(v, "DIR", dir))
			}
			t.Chdir(filepath.Join(dir, c.tree))
			s := open(t)
			for _, kind := range []proc.SandboxKind{proc.Bwrap, proc.Landlock, proc.Seatbelt} {
				bounds, err := s.Confine(kind, s.repo.Top, true)
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, p := range strings.Fields(c.can + " " + c.cannot) {
					if !bounds.Hides(filepath.Join(dir, p)) {
						got = append(got, p)
					}
				}
				if d := cmp.Diff(strings.Join(strings.Fields(c.can), " "), strings.Join(got, " ")); d != "" {
					t.Errorf("%s: what can be read (-want +got):\n%s", kind, d)
				}
			}
		})
	}
}

// Under Landlock a session can close a folder, so that its keys are not found, for the next session to open
// it.
func TestClosedFolderIsHidden(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root looks into every folder")
	}
	dir := layout(t, "me/.config/jupyter/my-token.json=x", "me/.nuget/NuGet/NuGet.Config=password")
	home := filepath.Join(dir, "me")
	t.Setenv("HOME", home)
	repository.Git(t, "", "init", "-q", filepath.Join(home, "tree"))
	t.Chdir(filepath.Join(home, "tree"))
	s := open(t)
	for folder, mode := range map[string]os.FileMode{".config/jupyter": 0o311, ".nuget/NuGet": 0} {
		at := filepath.Join(home, folder)
		if err := os.Chmod(at, mode); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(at, 0o700) })
		if bounds, err := s.Confine(proc.Landlock, s.repo.Top, true); err != nil || !bounds.Hides(at) {
			t.Errorf("%s is not hidden: %v", folder, err)
		}
	}
}

// If a check fails because a file in the home is hidden, the message names it; making a secret readable is
// not suggested.
func TestHiddenFileOfACheckIsNamed(t *testing.T) {
	dir := layout(t, "me/other/x=x", "me/.ssh/id=x")
	t.Setenv("HOME", filepath.Join(dir, "me"))
	repository.Git(t, "", "init", "-q", filepath.Join(dir, "me", "tree"))
	t.Chdir(filepath.Join(dir, "me", "tree"))
	c := open(t)
	for _, kind := range []proc.SandboxKind{proc.Bwrap, proc.Landlock, proc.Unconfined} {
		if err := proc.Works(t.Context(), kind); err != nil {
			t.Logf("NOT TESTED: %s does not work here: %v", kind, err)
			continue
		}
		bounds, err := c.Confine(kind, c.repo.Top, true)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{filepath.Join(dir, "me", "other", "x")}
		if kind == proc.Unconfined {
			want = nil
		}
		if err := runs(t, c, bounds, `cat ~/other/x ~/.ssh/id ~/none; exit 1`); err == nil || !slices.Equal(Unread(bounds, err.Error()), want) {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// Files of a repository elsewhere in the home that git reads are readable: of a linked work tree the main
// one's .git, and its alternates.
func TestRepositoryElsewhereInTheHomeIsReadable(t *testing.T) {
	dir := layout(t, "me/base", "me/main.env=x")
	home := filepath.Join(dir, "me")
	t.Setenv("HOME", home)
	git := func(at string, args ...string) {
		repository.Git(t, filepath.Join(home, at), append([]string{"-c", "user.name=A", "-c", "user.email=a@example.com"}, args...)...)
	}
	git("base", "init", "-q")
	git("base", "commit", "-q", "--allow-empty", "-m", "one")
	git("", "clone", "-q", "--shared", "base", "main")
	git("main", "worktree", "add", "-q", "../linked")
	t.Chdir(filepath.Join(home, "linked"))
	c := open(t)
	for _, kind := range []proc.SandboxKind{proc.Bwrap, proc.Landlock} {
		if err := proc.Works(t.Context(), kind); err != nil {
			t.Logf("NOT TESTED: %s does not work here: %v", kind, err)
			continue
		}
		bounds, err := c.Confine(kind, c.repo.Top, true)
		if err != nil {
			t.Fatal(err)
		}
		if err := runs(t, c, bounds, "git log -p && git status --short", "! cat ~/main.env"); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}
