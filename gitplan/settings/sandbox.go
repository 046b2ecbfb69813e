package settings

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// SandboxPaths returns the absolute paths that a key names; "~" stands for home. withCaches reports that the
// word "caches" is among them. The error is ErrSandbox: a path that is relative, or home itself.
func (c *Config) SandboxPaths(key, home string, at *disk.Links) (paths []string, withCaches bool, err error) {
	values := c.Git.All(key)
	if len(values) == 0 {
		values = []string{rowOf(key).Default}
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
			return nil, false, fault.New(fault.ErrSandbox, "%s names %q: paths must be absolute, or such as ~/data", key, v)
		case at.Exists(v) && disk.Within(at.Real(v), at.Real(home)):
			return nil, false, fault.New(fault.ErrSandbox, "%s names %s: the home folder itself is never opened", key, v)
		}
		paths = append(paths, v)
	}
	return paths, withCaches, nil
}

// FolderOf returns the folder that a variable names by an absolute path, or else the usual one.
func FolderOf(variable, usual string) string {
	if v := os.Getenv(variable); filepath.IsAbs(v) {
		return v
	}
	return usual
}

// HomeFolder returns the person's home folder, as the environment names it.
func HomeFolder() (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		err = fault.New(fault.ErrSandbox, "cannot tell which files are secret: %v", err)
	}
	return home, err
}

// Caches returns the folders in which build tools keep downloads and results, without those in which the person's
// later commands look for scripts, plugins, settings or programs. A missing folder whose tool is installed is created
// before something is run, since the tool cannot do that in a sandbox.
func Caches(home string, create bool) (out []string) {
	under := func(variable, otherwise string) string { return FolderOf(variable, filepath.Join(home, otherwise)) }
	cache, cargo, gradle, npm := under("XDG_CACHE_HOME", ".cache"), under("CARGO_HOME", ".cargo"),
		under("GRADLE_USER_HOME", ".gradle"), under("npm_config_cache", ".npm")
	itself := []string{""}
	for _, c := range []struct {
		tool, below string
		names       []string
	}{
		{"go", goPath(home), []string{"pkg/mod", "pkg/mod/golang.org/x", "pkg/sumdb"}}, {"go", os.Getenv("GOCACHE"), itself},
		{"go", os.Getenv("GOMODCACHE"), []string{"", "golang.org/x"}},
		{"go", cache, []string{"go-build"}},
		{"cargo", cargo, []string{"registry", "git"}},
		{"npm", npm, []string{"_cacache", "_logs"}}, {"pnpm", cache, []string{"pnpm"}},
		{"pnpm", home, []string{".local/share/pnpm/store"}},
		{"yarn", cache, []string{"yarn"}}, {"yarn", under("YARN_CACHE_FOLDER", ".yarn/berry/cache"), itself},
		{"yarn", home, []string{".yarn/berry/metadata", ".yarn/berry/index"}},
		{"bun", home, []string{".bun/install/cache"}}, {"deno", under("DENO_DIR", ".cache/deno"), itself},
		{"mvn", home, []string{".m2/repository"}},
		{"gradle", gradle, gradleState}, {"gradlew", gradle, gradleState},
		{"sbt", home, []string{".ivy2/cache", ".sbt/boot", ".sbt/1.0/zinc"}}, {"sbt", cache, []string{"coursier"}},
		{"dotnet", under("NUGET_PACKAGES", ".nuget/packages"), itself},
		{"pip", cache, []string{"pip"}}, {"pip", os.Getenv("PIP_CACHE_DIR"), itself}, {"uv", cache, []string{"uv"}},
		{"uv", os.Getenv("UV_CACHE_DIR"), itself},
		{"poetry", cache, []string{"pypoetry/cache", "pypoetry/artifacts"}},
		{"bundle", home, []string{".bundle/cache"}}, {"mix", home, []string{".hex/packages", ".hex/cache.ets"}},
		{"composer", cache, []string{"composer"}},
		{"ccache", under("CCACHE_DIR", ".ccache"), itself}, {"ccache", cache, []string{"ccache"}},
		{"sccache", cache, []string{"sccache"}},
		{"bazel", cache, []string{"bazel"}}, {"zig", cache, []string{"zig"}},
		{"golangci-lint", cache, []string{"golangci-lint"}}, {"staticcheck", cache, []string{"staticcheck"}},
		// Only if they exist already:
		{"", cache, []string{"black", "pylint", "mypy", "ruff", "rubocop_cache", "phpstan", "helm/repository", "fontconfig",
			"matplotlib", "clangd", "swiftpm", "rebar3/hex"}},
		{"", cargo, []string{".package-cache", ".global-cache"}},
		{"", home, []string{"Library/pnpm/store", "Library/org.swift.swiftpm/cache", "Library/Developer/Xcode/DerivedData"}},
	} {
		if !filepath.IsAbs(c.below) {
			continue
		}
		folders := []string{c.below}
		if runtime.GOOS == "darwin" && c.below == cache { // the usual one first
			folders = []string{filepath.Join(home, "Library", "Caches"), cache}
		}
		here := create && installed(c.tool)
		for _, name := range c.names {
			for i, folder := range folders {
				path := filepath.Join(folder, name)
				if here && i == 0 && !strings.HasSuffix(name, ".ets") {
					_ = os.MkdirAll(path, 0o755) // after a failure the tool reports it
				}
				out = append(out, path)
			}
		}
	}
	return out
}

// found has for a tool and PATH whether it is installed: to look for each takes a quarter of the time of a sandbox's bounds.
var found sync.Map

func installed(tool string) bool {
	key := [2]string{tool, os.Getenv("PATH")}
	here, known := found.Load(key)
	if !known {
		_, here = proc.Find(tool)
		found.Store(key, here)
	}
	return here.(bool)
}

// CachedRepositories returns the folders among the caches that hold repositories, whose hooks git would run for the
// person, and Go's own programs: go.mod, or a repository of the person's elsewhere, has the person's go start them. It
// creates missing ones before something is run, so that no session can.
func CachedRepositories(home string, create bool) (out []string) {
	for _, modules := range []string{filepath.Join(goPath(home), "pkg", "mod"), os.Getenv("GOMODCACHE")} {
		if !installed("go") || !filepath.IsAbs(modules) {
			continue
		}
		for _, name := range []string{"cache/vcs", "cache/download/golang.org/toolchain", "golang.org"} {
			path := filepath.Join(modules, filepath.FromSlash(name))
			if create {
				_ = os.MkdirAll(path, 0o755)
			}
			out = append(out, path)
		}
	}
	return out
}

// goPath returns the first folder of GOPATH, or Go's default.
func goPath(home string) string {
	path, _, _ := strings.Cut(os.Getenv("GOPATH"), string(filepath.ListSeparator))
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(home, "go")
}

// gradleState are the folders that Gradle writes, except init.d, gradle.properties, and programs that it downloads.
var gradleState = []string{"caches", "daemon", "native", "workers", ".tmp", "notifications", "kotlin-profile"}
