package sandbox

import (
	"os"
	"path/filepath"
	"strings"
)

// settingsAbove are the files and folders that tools look for in the folders above a tree.
var settingsAbove = []string{"node_modules", "package.json", "pnpm-workspace.yaml", "tsconfig.json", "tsconfig.base.json", "Cargo.toml", "pyproject.toml", "setup.cfg", "tox.ini", "pom.xml",
	"Directory.Build.props", "Directory.Packages.props", "global.json", ".editorconfig", ".clang-format", ".clang-tidy", ".bazelrc", ".bazelversion", ".pylintrc", ".flake8",
	".eslintrc.js", ".eslintrc.json", ".prettierrc", ".rubocop.yml", ".tool-versions", ".mise.toml", "mise.toml", ".nvmrc", ".node-version", ".python-version", ".ruby-version", ".java-version", ".sdkmanrc"}

// above returns the settings of tools that lie above a tree, and Go's workspace that the tree is part of.
func above(tree string, steered func(path string) bool) (out []string) {
	workspace := os.Getenv("GOWORK") != "" || isFile(filepath.Join(tree, "go.work")) // a workspace elsewhere, or off
	for dir := filepath.Dir(tree); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		for _, name := range settingsAbove {
			if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
				out = append(out, filepath.Join(dir, name))
			}
		}
		if work := filepath.Join(dir, "go.work"); !workspace && isFile(work) && !steered(work) {
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

// modulesOf returns the folders that a Go workspace uses: without them nothing builds that
// is part of it. A folder that holds the workspace is not one of its modules.
func modulesOf(work string) (out []string) {
	text, err := os.ReadFile(work)
	if err != nil {
		return nil
	}
	block := false
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "//")
		words := strings.Fields(line)
		switch {
		case len(words) == 2 && words[0] == "use" && words[1] == "(":
			block = true
			continue
		case block && len(words) == 1 && words[0] == ")":
			block = false
		case len(words) == 2 && words[0] == "use":
			words = words[1:]
		case !block:
			continue
		}
		if len(words) != 1 || words[0] == ")" {
			continue
		}
		dir := strings.Trim(words[0], "\"`")
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(filepath.Dir(work), dir)
		}
		if rel, err := filepath.Rel(dir, work); err == nil && !filepath.IsLocal(rel) {
			out = append(out, dir)
		}
	}
	return out
}
