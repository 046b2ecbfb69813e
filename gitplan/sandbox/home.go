package sandbox

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// People's homes are hidden, except what builds read there: the secrets in a home cannot be listed.

// homes returns the homes to be hidden, except one that holds the work tree or a temporary folder.
func homes(home string, trees, temporary []string, at *disk.Links) (out []string) {
	for _, h := range []string{home, "/home", "/Users", "/root"} {
		real := at.Real(h)
		holds := func(dir string) bool { return disk.Within(at.Real(dir), real) }
		entries, err := os.ReadDir(real)
		if empty := err == nil && len(entries) == 0; !empty && filepath.IsAbs(h) && real != "/" &&
			!slices.ContainsFunc(trees, holds) && !slices.ContainsFunc(temporary, holds) {
			out = append(out, h)
		}
	}
	return out
}

// homeOf returns the home that a path is, or lies in; "" if none.
func homeOf(home, path string) string {
	for _, h := range []string{home, disk.Real(home), "/root"} {
		if h != "/" && filepath.IsAbs(h) && disk.Within(h, path) {
			return h
		}
	}
	for _, all := range []string{"/home/", "/Users/"} {
		if rest, ok := strings.CutPrefix(path, all); ok {
			name, _, _ := strings.Cut(rest, "/")
			return all + name
		}
	}
	return ""
}

// sharedFolders are folders of a home that many programs share, and so never one installation.
var sharedFolders = map[string]int{".local": 1, ".local/share": 1, ".local/state": 1, ".local/opt": 1,
	".config": 1, ".cache": 1,
	".var": 1, "snap": 1, "Library": 1, "Library/Caches": 1, "Library/Application Support": 1}

// rootOf returns the folder of the installation that a program in dir belongs to: the whole of ~/.foo or
// ~/.local/share/foo, else the folder with the bin, else dir; "" for a home, and for shared folders.
func rootOf(home, dir string, isDir func(string) bool) string {
	base := homeOf(home, dir)
	rel, err := filepath.Rel(base, dir)
	if base == "" || err != nil || rel == "." {
		return ""
	}
	parts, top := strings.Split(rel, "/"), ""
	for i, name := range parts {
		if top = filepath.Join(top, name); sharedFolders[top] == 0 {
			if i > 0 || strings.HasPrefix(name, ".") {
				return filepath.Join(base, top)
			}
			break
		}
		if i == len(parts)-1 {
			return ""
		}
	}
	above := filepath.Dir(dir)
	beside := []string{"lib", "lib64", "libexec", "share", "include", "conda-meta"} // beside a bin, and little else
	installed := func(name string) bool { return isDir(filepath.Join(above, name)) }
	if name := filepath.Base(dir); (name == "bin" || name == "sbin") && above != base &&
		slices.ContainsFunc(beside, installed) {
		return above
	}
	return dir
}

// installedAt returns what must be readable for a program in a home: its installation, or itself.
func installedAt(home, program string) []string {
	if root := rootOf(home, filepath.Dir(program), integrity.IsFolder); root != "" {
		return []string{root}
	}
	if homeOf(home, program) != "" {
		return []string{program}
	}
	return nil
}

// onPath returns the installations in homes of the programs on PATH, and of what links there lead to, if not controlled.
func onPath(home, path string, controlled func(path string) bool, links *disk.Links) (out []string) {
	// The many links in these folders never lead into a home.
	ofTheSystem := []string{"/bin", "/sbin", "/usr/bin", "/usr/sbin", "/opt/homebrew/bin", "/opt/homebrew/sbin"}
	dirs := filepath.SplitList(path)
	for i, dir := range dirs {
		if slices.Contains(dirs[:i], dir) || !filepath.IsAbs(dir) || slices.Contains(ofTheSystem, dir) ||
			controlled(filepath.Clean(dir)) {
			continue
		}
		dir = filepath.Clean(dir)
		root := rootOf(home, dir, integrity.IsFolder)
		out = append(out, root, rootOf(home, links.Real(dir), integrity.IsFolder))
		if root != "" && root != dir {
			continue // the programs in it lead to the rest of the installation
		}
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			to, _ := os.Readlink(filepath.Join(dir, e.Name()))
			if to != "" && !filepath.IsAbs(to) {
				to = filepath.Join(dir, to)
			}
			if to != "" && homeOf(home, to) != "" && filepath.Dir(to) != dir && !controlled(to) {
				out = append(append(out, installedAt(home, to)...), installedAt(home, links.Real(to))...)
			}
		}
	}
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(p string) bool { return p == "" })
}

// AllowProgram lets a command-line program of a session read where it is installed.
func (s *Sandbox) AllowProgram(c *proc.Confinement, program string) {
	home, err := settings.HomeFolder()
	path, ok := proc.Find(program)
	if err == nil && ok && filepath.IsAbs(path) && !s.controlled(c.Writable, c.Private, new(disk.Links))(path) {
		c.Readable = append(append(c.Readable, installedAt(home, path)...), installedAt(home, disk.Real(path))...)
	}
}

// notToRead are variables that name folders for another purpose than to read everything there.
var notToRead = []string{"PATH", "HOME", "PWD", "OLDPWD", "SHELL", "TMPDIR", "GOPATH", "GIT_CEILING_DIRECTORIES"}

// inVariables returns the files and folders in homes that the variables of an environment name.
func inVariables(home string, env []string) (out []string) {
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		if slices.Contains(notToRead, name) || strings.HasPrefix(name, "XDG_") {
			continue
		}
		for _, v := range filepath.SplitList(value) {
			if !filepath.IsAbs(v) {
				continue
			}
			v = filepath.Clean(v)
			if base := homeOf(home, v); base != "" && base != v && sharedFolders[strings.TrimPrefix(v, base+"/")] == 0 {
				out = append(out, v)
			}
		}
	}
	return out
}

// ofTools is what builds read in a home: toolchains, what they fetched, their settings.
var ofTools = []string{
	"sdk", "go/bin", ".cargo", ".rustup", ".nvm", ".volta", ".fnm", ".nodenv", ".n", ".npm/_npx", ".npm-global",
	".node_modules", ".yarn", ".bun", ".deno", ".pnpm-store",
	".pyenv", ".virtualenvs", ".rye", ".rbenv", ".rvm", ".gem", ".bundle", ".asdf", ".mise", ".sdkman", ".jenv", ".jabba", ".jdks", ".m2/settings.xml", ".m2/toolchains.xml", ".m2/extensions.xml", ".m2/wrapper", ".mvnd", ".gradle", ".ivy2", ".sbt", ".konan", ".android",
	".dotnet", ".nuget", ".goenv", ".gvm", ".ghcup", ".cabal", ".stack", ".opam", ".elan", ".juliaup", ".julia", ".mix",
	".hex", ".composer", ".phpenv", ".perlbrew", ".plenv",
	".conan", ".conan2", ".vcpkg", ".platformio", ".ccache", ".nix-profile", ".nix-defexpr", ".linuxbrew", ".swiftpm",
	".swiftly", ".foundry", ".terminfo", ".fonts", ".fonts.conf",
	"bin", ".local/bin", ".local/lib", ".local/lib64", ".local/libexec", ".local/include", ".local/opt", ".local/pipx",
	"Library/Python", "Library/pnpm", "Library/Java", "Library/Android/sdk", "Library/Frameworks", "Library/Fonts",
	"Library/org.swift.swiftpm",
}

// ofToolsInData and ofToolsInCaches are the same in ~/.local/share and ~/.cache.
var ofToolsInData = []string{"mise", "rtx", "asdf", "fnm", "nvm", "pnpm", "uv", "pipx", "pypoetry", "virtualenv",
	"virtualenvs", "hatch", "rye", "go", "cargo", "rustup", "gem", "rbenv", "pyenv",
	"coursier", "NuGet", "dotnet", "jdks", "swiftly", "zigup", "nix", "fonts", "mime"}

var ofToolsInCaches = []string{"ms-playwright", "puppeteer", "Cypress", "electron", "electron-builder", "node",
	"node-gyp", "pre-commit", "prek", "pypoetry", "bazelisk", "torch", "huggingface",
	"nltk", "prisma", "turbo", "gopls", "nix", "rebar3", "R", "tectonic", "Homebrew"}

// tools returns those paths, wherever the XDG variables put them.
func tools(home string) (out []string) {
	under := func(variable, otherwise string, names []string) {
		dir := settings.FolderOf(variable, filepath.Join(home, otherwise))
		if disk.Within(dir, home) { // then the person may use these names for anything
			return
		}
		for _, name := range names {
			out = append(out, filepath.Join(dir, name))
		}
	}
	under("XDG_CONFIG_HOME", ".config", toolSettings)
	under("XDG_DATA_HOME", ".local/share", ofToolsInData)
	under("XDG_CACHE_HOME", ".cache", ofToolsInCaches)
	if runtime.GOOS == "darwin" {
		under("", "Library/Caches", ofToolsInCaches)
	}
	for _, name := range ofTools {
		out = append(out, filepath.Join(home, name))
	}
	for _, dir := range filepath.SplitList(cmp.Or(os.Getenv("GOPATH"), filepath.Join(home, "go"))) {
		out = append(out, filepath.Join(dir, "bin"), filepath.Join(dir, "pkg", "mod"))
	}
	return out
}

// toolSettings are the folders and files of ~/.config that builds read.
var toolSettings = []string{"git", "go", "pip", "pypoetry", "uv", "npm", "yarn", "pnpm", "containers", "nix", "nixpkgs",
	"mise", "rtx", "direnv", "NuGet", "configstore", "composer", "cabal", "stack", "rustfmt", "clangd", "ccache",
	"golangci-lint", "ruff", "flake8", "pycodestyle", "pylintrc", "yamllint", "matplotlib", "fontconfig",
	"user-dirs.dirs", "locale.conf", "mimeapps.list", "hatch", "jupyter", "phpstan", "rubocop", "solargraph", "dotnet",
	"coursier", "sbt", "bat", "fd", "ripgrep"}

// settingsAbove are the files and folders that tools look for in the folders above a tree.
var settingsAbove = []string{"node_modules", "package.json", "pnpm-workspace.yaml", "tsconfig.json",
	"tsconfig.base.json", "Cargo.toml", "pyproject.toml", "setup.cfg", "tox.ini", "pom.xml",
	"Directory.Build.props", "Directory.Packages.props", "global.json", ".editorconfig", ".clang-format", ".clang-tidy",
	".bazelrc", ".bazelversion", ".pylintrc", ".flake8",
	".eslintrc.js", ".eslintrc.json", ".prettierrc", ".rubocop.yml", ".tool-versions", ".mise.toml", "mise.toml", ".nvmrc",
	".node-version", ".python-version", ".ruby-version", ".java-version", ".sdkmanrc"}

// above returns the settings of tools that lie above a tree, and Go's workspace that the tree is part of.
func above(tree string, controlled func(path string) bool) (out []string) {
	workspace := os.Getenv("GOWORK") != "" || isFile(filepath.Join(tree, "go.work")) // a workspace elsewhere, or off
	for dir := filepath.Dir(tree); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		for _, name := range settingsAbove {
			if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
				out = append(out, filepath.Join(dir, name))
			}
		}
		if work := filepath.Join(dir, "go.work"); !workspace && isFile(work) && !controlled(work) {
			workspace = true
			out = append(append(out, work, work+".sum"), modulesOf(work)...)
		}
	}
	return out
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

var (
	uses    = visible.NewPattern(`(?m)^[ \t]*use\s*(?:\(([^)]*)\)|[ \t]+([^\s(]+)[ \t\r]*$)`)
	remarks = visible.NewPattern(`//.*`)
)

// modulesOf returns the folders that a Go workspace uses, except one that holds the workspace.
func modulesOf(work string) (out []string) {
	text, _ := os.ReadFile(work)
	for _, use := range uses().FindAllStringSubmatch(remarks().ReplaceAllString(string(text), ""), -1) {
		for dir := range strings.FieldsSeq(use[1] + use[2]) {
			if dir = strings.Trim(dir, "\"`"); !filepath.IsAbs(dir) {
				dir = filepath.Join(filepath.Dir(work), dir)
			}
			if rel, err := filepath.Rel(dir, work); err == nil && !filepath.IsLocal(rel) {
				out = append(out, dir)
			}
		}
	}
	return out
}
