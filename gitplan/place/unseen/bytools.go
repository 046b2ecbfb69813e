package unseen

import (
	"path"
	"slices"
	"strings"
)

// Names of what package managers, compilers, test runners and editors write beside
// the work, in whatever folder.
var (
	toolNames = []string{"node_modules", "target", "__pycache__", "venv", ".venv", "env", "build", "dist", "out", "bin", "obj",
		"coverage", "htmlcov", ".coverage", ".nyc_output", ".tox", ".nox", ".gradle", ".eggs", ".next", ".nuxt", ".terraform",
		".hypothesis", ".idea", ".vscode", ".vs", ".DS_Store", "logs", "tmp", "temp"}
	toolPatterns = []string{"*.py[co]", "*.class", "*.o", "*.a", "*.so", "*.obj", "*.exe", "*.dll", "*.log", "*.tmp", "*.sw[op]", "*~",
		".*cache*", "*.egg-info", "*.tsbuildinfo", "*.test", "*.out", "*.prof"}
)

// ofThisMachine reports whether a file, by its name, holds what no commit should have: the
// secrets and settings of one machine.
func ofThisMachine(p string) bool {
	name := path.Base(p)
	return name == ".env" || strings.HasPrefix(name, ".env.") || strings.Contains(name, ".local")
}

// ByTools reports that a path is, or is below, what tools write by convention.
func ByTools(p string) bool {
	for name := range strings.SplitSeq(strings.TrimSuffix(p, "/"), "/") {
		matches := func(pattern string) bool { ok, _ := path.Match(pattern, name); return ok }
		if slices.Contains(toolNames, name) || slices.ContainsFunc(toolPatterns, matches) {
			return true
		}
	}
	return false
}

// installed reports that a path is below what package managers write.
func installed(p string) bool {
	return slices.ContainsFunc(strings.Split(p, "/"), func(name string) bool {
		return slices.Contains([]string{"node_modules", "venv", ".venv", "env", ".tox", ".nox", "vendor", ".gradle", ".terraform"}, name)
	})
}
