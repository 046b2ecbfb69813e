package lint

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/pattern"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// missingTarget says what a simple command asks a program for that the repository does not have:
// a target of make, a script of package.json, a folder of Go packages. If a step may make that,
// or nobody can know, it says nothing.
func missingTarget(part string, around Surroundings) string {
	words := strings.Fields(part)
	if len(words) < 2 || strings.ContainsAny(part, "$`'\"*?(){}<>") {
		return ""
	}
	program, args := words[0], words[1:]
	switch program {
	case "make":
		return missingRule(args, around)
	case "npm", "pnpm", "yarn":
		if len(args) > 1 && args[0] == "run" && !strings.HasPrefix(args[1], "-") {
			return missingScript(args[1], args[2:], around)
		}
	case "go":
		return missingPackage(args, around)
	}
	return ""
}

var (
	makeRule  = pattern.Of(`(?m)^([^\s:#=][^:#=\n]*?)\s*::?(?:[^=:\n]|$)`)
	moreRules = pattern.Of(`(?m)^\s*-?s?include\b|^[^\s#]*%|^\$|^\s*define\b`)
)

func missingRule(args []string, around Surroundings) string {
	var text []byte
	for _, name := range []string{"GNUmakefile", "makefile", "Makefile"} {
		if around.earlier.named(name) {
			return ""
		}
		if data, ok := around.read(name); ok && text == nil {
			text = data
		}
	}
	if text == nil || moreRules.Match(text) {
		return ""
	}
	rules := map[string]bool{}
	for _, m := range makeRule.FindAllStringSubmatch(string(text), -1) {
		for _, name := range strings.Fields(m[1]) {
			rules[name] = true
		}
	}
	for _, arg := range args {
		switch {
		case strings.HasPrefix(arg, "-"), strings.Contains(arg, "="):
			return "" // perhaps another folder, or another file
		case !rules[arg] && !around.Exists(arg):
			return "the Makefile has no target " + visible.OneLine(arg, 100)
		}
	}
	return ""
}

func missingScript(name string, args []string, around Surroundings) string {
	if around.earlier.named("package.json") || slices.ContainsFunc(args, func(a string) bool {
		return strings.HasPrefix(a, "-w") || strings.HasPrefix(a, "--workspace") || strings.HasPrefix(a, "--prefix") || a == "--if-present" || a == "-C"
	}) {
		return ""
	}
	data, ok := around.read("package.json")
	var is struct{ Scripts map[string]string }
	if !ok || json.Unmarshal(data, &is) != nil || is.Scripts[name] != "" {
		return ""
	}
	return "package.json has no script " + visible.OneLine(name, 100)
}

func missingPackage(args []string, around Surroundings) string {
	if !slices.Contains([]string{"test", "vet", "build", "run"}, args[0]) || slices.Contains(args, "-C") {
		return ""
	}
	for _, arg := range args[1:] {
		name, ok := strings.CutPrefix(strings.TrimSuffix(arg, "/..."), "./")
		if name = path.Clean(name); ok && name != "." && arg != "./..." && !around.Exists(name) && !around.earlier.holds(name) {
			return arg + " does not exist, and no step makes it"
		}
	}
	return ""
}

// holds reports whether a step names a folder, something above it, or something in it. A glob
// that may match something there counts.
func (n *namedFiles) holds(folder string) bool {
	if n.folders[folder] || n.more > 0 || n.named(folder) {
		return true
	}
	return slices.ContainsFunc(n.globs, func(g namedGlob) bool {
		within := path.Dir(g.pattern[:strings.IndexAny(g.pattern, `*?[{\`)] + "x")
		return within == "." || strings.HasPrefix(within+"/", folder+"/") || strings.HasPrefix(folder+"/", within+"/")
	})
}

// unknownServes are the requirements that a step says it serves and that the plan does not have.
func unknownServes(s *plan.Step, serving map[string][]*plan.Step) (unknown []string) {
	for _, id := range s.Serves() {
		if _, known := serving[id]; !known && requirementID.MatchString(id) {
			unknown = append(unknown, id)
		}
	}
	return unknown
}

var requirementID = pattern.Of(`^R\d+$`)
