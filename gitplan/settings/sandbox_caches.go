package settings

import (
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Caches are the folders in which build tools keep what they fetched or built, and
// nothing else: where a tool also looks for scripts, plugins, settings or programs
// that a later command of the person's would run, only what is beside them is
// named. A folder of all caches is never named whole, since shells read what some
// prompts keep there. One that is missing is made where its tool is there, as the
// tool would do itself: in a sandbox it cannot.
func Caches(home string) []string {
	under := func(variable, otherwise string) string {
		if v := os.Getenv(variable); filepath.IsAbs(v) {
			return v
		}
		return filepath.Join(home, otherwise)
	}
	cache, cargo, gradle, npm := under("XDG_CACHE_HOME", ".cache"), under("CARGO_HOME", ".cargo"), under("GRADLE_USER_HOME", ".gradle"), under("npm_config_cache", ".npm")
	var out []string
	tools := map[string]bool{} // which are installed
	for _, c := range []struct {
		tool, below string
		names       []string // none: the folder itself, or the file
	}{
		{"go", goPath(home), []string{"pkg/mod", "pkg/sumdb"}}, {"go", os.Getenv("GOCACHE"), nil}, {"go", os.Getenv("GOMODCACHE"), nil},
		{"go", cache, []string{"go-build"}},
		{"cargo", cargo, []string{"registry", "git"}},
		{"npm", npm, []string{"_cacache", "_logs"}}, {"pnpm", cache, []string{"pnpm"}}, {"pnpm", home, []string{".local/share/pnpm/store"}},
		{"yarn", cache, []string{"yarn"}}, {"yarn", under("YARN_CACHE_FOLDER", ".yarn/berry/cache"), nil}, {"yarn", home, []string{".yarn/berry/metadata", ".yarn/berry/index"}},
		{"bun", home, []string{".bun/install/cache"}}, {"deno", under("DENO_DIR", ".cache/deno"), nil},
		{"mvn", home, []string{".m2/repository"}},
		{"gradle", gradle, gradleState}, {"gradlew", gradle, gradleState},
		{"sbt", home, []string{".ivy2/cache", ".sbt/boot", ".sbt/1.0/zinc"}}, {"sbt", cache, []string{"coursier"}},
		{"dotnet", under("NUGET_PACKAGES", ".nuget/packages"), nil},
		{"pip", cache, []string{"pip"}}, {"pip", os.Getenv("PIP_CACHE_DIR"), nil}, {"uv", cache, []string{"uv"}}, {"uv", os.Getenv("UV_CACHE_DIR"), nil},
		{"poetry", cache, []string{"pypoetry/cache", "pypoetry/artifacts"}},
		{"bundle", home, []string{".bundle/cache"}}, {"mix", home, []string{".hex/packages", ".hex/cache.ets"}}, {"composer", cache, []string{"composer"}},
		{"ccache", under("CCACHE_DIR", ".ccache"), nil}, {"ccache", cache, []string{"ccache"}}, {"sccache", cache, []string{"sccache"}},
		{"bazel", cache, []string{"bazel"}}, {"zig", cache, []string{"zig"}}, {"golangci-lint", cache, []string{"golangci-lint"}}, {"staticcheck", cache, []string{"staticcheck"}},
		// Of those that are here already.
		{"", cache, []string{"black", "pylint", "mypy", "ruff", "rubocop_cache", "phpstan", "helm/repository", "fontconfig", "matplotlib", "clangd", "swiftpm", "rebar3/hex"}},
		{"", cargo, []string{".package-cache", ".global-cache"}},
		{"", home, []string{"Library/pnpm/store", "Library/org.swift.swiftpm/cache", "Library/Developer/Xcode/DerivedData"}},
	} {
		if !filepath.IsAbs(c.below) {
			continue
		}
		here, known := tools[c.tool]
		if !known && c.tool != "" {
			_, here = proc.Find(c.tool)
			tools[c.tool] = here
		}
		for _, name := range orWhole(c.names) {
			for i, below := range cacheFolders(c.below, cache, home) {
				path := filepath.Join(below, name)
				if here && i == 0 && !strings.HasSuffix(name, ".ets") {
					_ = os.MkdirAll(path, 0o755) // where it cannot be made the tool says so
				}
				out = append(out, path)
			}
		}
	}
	return out
}

// CachedRepositories are the repositories among the caches, in which git would execute for
// the person what a session had put there. They are made before a session, so that it
// cannot make them; what is to be fetched in them a person fetches.
func CachedRepositories(home string) (out []string) {
	for _, modules := range []string{filepath.Join(goPath(home), "pkg", "mod"), os.Getenv("GOMODCACHE")} {
		vcs := filepath.Join(modules, "cache", "vcs")
		if _, found := proc.Find("go"); !found || !filepath.IsAbs(vcs) {
			continue
		}
		_ = os.MkdirAll(vcs, 0o755)
		out = append(out, vcs)
	}
	return out
}

func goPath(home string) string {
	path, _, _ := strings.Cut(os.Getenv("GOPATH"), string(filepath.ListSeparator))
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(home, "go")
}

// cacheFolders are where a tool keeps what it names in a folder, the usual one
// first: macOS has a folder of caches of its own, besides that of other systems.
func cacheFolders(dir, cache, home string) []string {
	if runtime.GOOS == "darwin" && dir == cache {
		return []string{filepath.Join(home, "Library", "Caches"), cache}
	}
	return []string{dir}
}

// gradleState is what Gradle writes: not init.d, gradle.properties, and the Gradles
// and Java versions that it fetched.
var gradleState = []string{"caches", "daemon", "native", "workers", ".tmp", "notifications", "kotlin-profile"}

func orWhole(names []string) []string {
	if names == nil {
		return []string{""}
	}
	return names
}

// buildFolders are what plan.sandboxWritable lets be written, for agents with a
// sandbox of their own.
func (c *Config) buildFolders() ([]string, error) {
	home, err := HomeFolder()
	if err != nil {
		return nil, err
	}
	paths, withCaches, err := c.SandboxPaths("plan.sandboxWritable", home, new(proc.Links))
	if withCaches {
		paths = append(paths, Caches(home)...)
	}
	return paths, err
}

// SandboxPaths are the paths that a key names. The word "caches", which is the
// default of plan.sandboxWritable, stands for the build caches.
func (c *Config) SandboxPaths(key, home string, at *proc.Links) (paths []string, withCaches bool, err error) {
	values := c.Git.All(key)
	if len(values) == 0 {
		values = []string{defaultOf(key)}
	}
	for _, v := range strings.FieldsFunc(strings.Join(values, ","), func(r rune) bool { return r == ',' }) {
		v = strings.TrimSpace(v)
		switch rest, inHome := strings.CutPrefix(v, "~"); {
		case v == "":
			continue
		case v == "caches":
			withCaches = true
			continue
		case inHome && (rest == "" || rest[0] == '/'):
			v = home + rest
		}
		switch {
		case !filepath.IsAbs(v):
			return nil, false, fault.New(fault.ErrSandbox, "%s names %q: absolute paths are wanted, or such as ~/data", key, visible.OneLine(v, 200))
		case at.There(v) && proc.Within(at.Real(v), at.Real(home)):
			return nil, false, fault.New(fault.ErrSandbox, "%s names %s: the home folder itself is never opened", key, visible.OneLine(v, 200))
		}
		paths = append(paths, v)
	}
	return paths, withCaches, nil
}

func HomeFolder() (string, error) {
	home, err := os.UserHomeDir()
	if err == nil {
		return home, nil
	}
	if u, uerr := user.Current(); uerr == nil && u.HomeDir != "" {
		return u.HomeDir, nil
	}
	return "", fault.New(fault.ErrSandbox, "which files are secret cannot be told: %v", err)
}
