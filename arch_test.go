// Package arch_test holds the shape of the program: which package may import
// which, and which one is the only door to a library.
package arch_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/git-plan/git-plan/"

// arrows lists for each package the packages of this module that it may import, the
// rooms of gitplan from the ground up.
var arrows = map[string][]string{
	"gitplan/pattern":           {},
	"gitplan/visible":           {"gitplan/pattern"},
	"gitplan/fault":             {},
	"gitplan/disk":              {},
	"gitplan/confine":           {"gitplan/disk"},
	"gitplan/proc":              {"gitplan/confine", "gitplan/disk", "gitplan/fault", "gitplan/pattern"},
	"gitplan/git":               {"gitplan/proc"},
	"gitplan/git/diffs":         {"gitplan/git"},
	"gitplan/git/worktree":      {"gitplan/git", "gitplan/pattern", "gitplan/proc", "gitplan/disk"},
	"gitplan/git/clones":        {"gitplan/git/worktree", "gitplan/git", "gitplan/confine", "gitplan/disk"},
	"gitplan/agent":             {"gitplan/proc", "gitplan/confine", "gitplan/visible"},
	"gitplan/agent/script":      {"gitplan/agent"},
	"gitplan/agent/wire/events": {"gitplan/agent"},
	"gitplan/agent/wire":        {"gitplan/agent/wire/events", "gitplan/agent", "gitplan/visible"},
	"gitplan/agent/tools":       {"gitplan/agent", "gitplan/proc", "gitplan/confine", "gitplan/disk", "gitplan/pattern", "gitplan/visible"},
	"gitplan/agent/acp":         {"gitplan/agent"},
	"gitplan/agent/answer":      {"gitplan/agent"},
	"gitplan/agent/command":     {"gitplan/agent/answer", "gitplan/agent", "gitplan/proc", "gitplan/disk"},
	"gitplan/agent/cli":         {"gitplan/agent/answer", "gitplan/agent/acp", "gitplan/agent/wire", "gitplan/agent", "gitplan/proc", "gitplan/confine", "gitplan/disk", "gitplan/visible"},
	"gitplan/agent/builtin":     {"gitplan/agent/tools", "gitplan/agent/wire", "gitplan/agent/script", "gitplan/agent", "gitplan/visible"},
	"gitplan/markdown":          {"gitplan/pattern", "gitplan/visible"},
	"gitplan/plan":              {"gitplan/fault", "gitplan/markdown", "gitplan/pattern", "gitplan/visible"},
	"gitplan/form/value":        {"gitplan/markdown"},
	"gitplan/form":              {"gitplan/form/value", "gitplan/plan", "gitplan/markdown", "gitplan/pattern", "gitplan/fault", "gitplan/visible"},
	"gitplan/settings":          {"gitplan/plan", "gitplan/markdown", "gitplan/agent/builtin", "gitplan/agent/command", "gitplan/agent/cli", "gitplan/agent/wire", "gitplan/agent", "gitplan/git", "gitplan/proc", "gitplan/disk", "gitplan/fault", "gitplan/visible"},
	"gitplan/journal":           {"gitplan/settings", "gitplan/plan", "gitplan/markdown", "gitplan/agent", "gitplan/git", "gitplan/proc", "gitplan/fault", "gitplan/visible"},
	"gitplan/progress":          {"gitplan/visible", "gitplan/markdown", "gitplan/journal", "gitplan/plan", "gitplan/git/diffs", "gitplan/git"},
	"gitplan/stats":             {"gitplan/progress", "gitplan/journal", "gitplan/agent"},
	"gitplan/codemap":           {"gitplan/git", "gitplan/pattern", "gitplan/visible"},
	"gitplan/prompt":            {"gitplan/codemap", "gitplan/progress", "gitplan/settings", "gitplan/plan", "gitplan/agent", "gitplan/proc", "gitplan/fault", "gitplan/pattern", "gitplan/visible"},
	"gitplan/setup":             {"gitplan/journal", "gitplan/settings", "gitplan/plan", "gitplan/markdown", "gitplan/git/worktree", "gitplan/git", "gitplan/proc", "gitplan/disk", "gitplan/fault", "gitplan/pattern", "gitplan/visible"},
	"gitplan/sandbox":           {"gitplan/setup", "gitplan/journal", "gitplan/settings", "gitplan/git", "gitplan/proc", "gitplan/confine", "gitplan/disk", "gitplan/fault", "gitplan/pattern", "gitplan/visible"},
	"gitplan/checkout": {"gitplan/codemap", "gitplan/sandbox", "gitplan/setup", "gitplan/prompt", "gitplan/progress", "gitplan/journal", "gitplan/settings", "gitplan/plan", "gitplan/markdown",
		"gitplan/agent", "gitplan/git/worktree", "gitplan/git", "gitplan/proc", "gitplan/fault", "gitplan/visible"},
	"gitplan/attempts": {"gitplan/visible", "gitplan/journal", "gitplan/git/worktree", "gitplan/git/diffs", "gitplan/git", "gitplan/fault", "gitplan/checkout"},
	"gitplan/site": {"gitplan/attempts", "gitplan/checkout", "gitplan/sandbox", "gitplan/setup", "gitplan/journal", "gitplan/agent/command", "gitplan/agent/cli", "gitplan/agent", "gitplan/git/clones", "gitplan/git/worktree", "gitplan/git", "gitplan/pattern", "gitplan/proc", "gitplan/confine", "gitplan/disk",
		"gitplan/fault", "gitplan/visible"},
	"gitplan/budget":           {"gitplan/settings", "gitplan/journal", "gitplan/fault", "gitplan/checkout", "gitplan/agent"},
	"gitplan/place/unseen":     {"gitplan/site", "gitplan/checkout", "gitplan/journal", "gitplan/git/worktree", "gitplan/git", "gitplan/visible"},
	"gitplan/place/persons":    {"gitplan/place/unseen", "gitplan/site", "gitplan/attempts", "gitplan/checkout", "gitplan/git/diffs", "gitplan/git/worktree", "gitplan/git", "gitplan/visible"},
	"gitplan/elsewhere/wire":   {"gitplan/agent", "gitplan/pattern"},
	"gitplan/elsewhere/parcel": {"gitplan/git", "gitplan/disk", "gitplan/visible"},
	"gitplan/elsewhere/worker": {"gitplan/agent/cli", "gitplan/visible", "gitplan/elsewhere/parcel", "gitplan/elsewhere/wire", "gitplan/site", "gitplan/checkout", "gitplan/sandbox", "gitplan/journal", "gitplan/settings", "gitplan/agent", "gitplan/git/clones", "gitplan/git/worktree", "gitplan/git",
		"gitplan/pattern", "gitplan/proc", "gitplan/confine", "gitplan/disk"},
	"gitplan/elsewhere":    {"gitplan/fault", "gitplan/elsewhere/parcel", "gitplan/elsewhere/wire", "gitplan/settings", "gitplan/agent", "gitplan/git", "gitplan/proc", "gitplan/visible"},
	"gitplan/place/launch": {"gitplan/elsewhere/wire", "gitplan/site", "gitplan/setup", "gitplan/journal", "gitplan/settings", "gitplan/git/worktree", "gitplan/git", "gitplan/proc", "gitplan/confine", "gitplan/agent", "gitplan/elsewhere"},
	"gitplan/place": {"gitplan/place/launch", "gitplan/attempts", "gitplan/elsewhere", "gitplan/place/persons", "gitplan/place/unseen", "gitplan/site", "gitplan/checkout", "gitplan/setup", "gitplan/journal", "gitplan/plan", "gitplan/agent", "gitplan/git/diffs", "gitplan/git/clones", "gitplan/git/worktree", "gitplan/git", "gitplan/proc", "gitplan/confine", "gitplan/disk",
		"gitplan/fault", "gitplan/visible"},
	"gitplan/transcript": {"gitplan/attempts", "gitplan/checkout", "gitplan/progress", "gitplan/journal", "gitplan/agent", "gitplan/fault", "gitplan/visible"},
	"gitplan/work": {"gitplan/transcript", "gitplan/place/launch", "gitplan/budget", "gitplan/attempts", "gitplan/pattern", "gitplan/place", "gitplan/site", "gitplan/checkout", "gitplan/sandbox", "gitplan/setup", "gitplan/prompt", "gitplan/journal",
		"gitplan/plan", "gitplan/markdown", "gitplan/agent/builtin", "gitplan/agent/command", "gitplan/agent/cli", "gitplan/agent", "gitplan/git/diffs", "gitplan/git/worktree", "gitplan/git", "gitplan/proc", "gitplan/confine", "gitplan/fault", "gitplan/visible"},
	"gitplan/prove": {"gitplan/work", "gitplan/visible", "gitplan/site", "gitplan/progress", "gitplan/plan", "gitplan/place", "gitplan/journal", "gitplan/git", "gitplan/fault", "gitplan/checkout"},
	"gitplan/undo":  {"gitplan/attempts", "gitplan/visible", "gitplan/site", "gitplan/progress", "gitplan/plan", "gitplan/place/persons", "gitplan/place", "gitplan/journal", "gitplan/git/worktree", "gitplan/git", "gitplan/fault", "gitplan/checkout"},
	"gitplan/share": {"gitplan/site", "gitplan/checkout", "gitplan/setup", "gitplan/progress", "gitplan/journal", "gitplan/plan", "gitplan/markdown", "gitplan/git",
		"gitplan/proc", "gitplan/fault", "gitplan/pattern", "gitplan/visible"},
	"gitplan/lint": {"gitplan/checkout", "gitplan/prompt", "gitplan/settings", "gitplan/form", "gitplan/plan", "gitplan/markdown", "gitplan/agent/builtin", "gitplan/agent", "gitplan/git/worktree", "gitplan/git",
		"gitplan/proc", "gitplan/fault", "gitplan/pattern", "gitplan/visible"},
	"gitplan/planner": {"gitplan/lint", "gitplan/share", "gitplan/work", "gitplan/place/launch", "gitplan/site", "gitplan/checkout", "gitplan/prompt", "gitplan/progress", "gitplan/journal",
		"gitplan/settings", "gitplan/form", "gitplan/plan", "gitplan/markdown", "gitplan/agent/builtin", "gitplan/agent", "gitplan/git/clones", "gitplan/git", "gitplan/proc", "gitplan/disk", "gitplan/fault",
		"gitplan/visible"},
	"gitplan/doctor": {"gitplan/budget", "gitplan/elsewhere", "gitplan/attempts", "gitplan/plan", "gitplan/place", "gitplan/site", "gitplan/checkout", "gitplan/sandbox", "gitplan/setup", "gitplan/prompt", "gitplan/progress",
		"gitplan/journal", "gitplan/settings", "gitplan/agent/builtin", "gitplan/agent/wire", "gitplan/agent", "gitplan/proc", "gitplan/confine", "gitplan/disk", "gitplan/fault", "gitplan/visible", "gitplan/git"},
	"gitplan": {"gitplan/budget", "gitplan/prove", "gitplan/planner", "gitplan/work", "gitplan/place", "gitplan/site", "gitplan/attempts", "gitplan/checkout", "gitplan/setup", "gitplan/prompt", "gitplan/progress", "gitplan/journal", "gitplan/plan",
		"gitplan/markdown", "gitplan/agent", "gitplan/git/diffs", "gitplan/git/worktree", "gitplan/git", "gitplan/fault", "gitplan/visible"},
	"gitplan/queue":            {"gitplan/checkout", "gitplan/setup", "gitplan/journal", "gitplan/git", "gitplan/fault"},
	"reviewers/checked":        {"gitplan/pattern"},
	"reviewers/secret":         {"gitplan/pattern", "gitplan/visible"},
	"reviewers/rules/testcode": {"gitplan/pattern"},
	"reviewers/rules/scan":     {"gitplan/git/diffs", "gitplan/git", "gitplan/pattern"},
	"reviewers/rules/leaks":    {"reviewers/rules/scan", "gitplan/git/diffs", "gitplan/git", "gitplan/pattern", "reviewers/secret"},
	"reviewers/rules":          {"reviewers/rules/leaks", "reviewers/rules/scan", "gitplan/git/diffs", "gitplan/git", "gitplan/pattern", "gitplan/visible", "reviewers/checked", "reviewers/rules/testcode"},
	"reviewers/finding":        {"gitplan/git/diffs", "gitplan/disk", "gitplan/visible", "reviewers/secret", "reviewers/rules", "reviewers/rules/scan"},
	"reviewers/ledger":         {"gitplan/progress", "gitplan/journal", "gitplan/setup", "gitplan/plan", "gitplan/agent", "gitplan/visible", "reviewers/secret", "reviewers/finding"},
	"reviewers/panel": {"gitplan/prompt", "gitplan/progress", "gitplan/journal", "gitplan/plan", "gitplan/agent", "gitplan/git/diffs", "gitplan/git/clones", "gitplan/git/worktree", "gitplan/git", "gitplan/proc",
		"gitplan/disk", "gitplan/fault", "gitplan/pattern", "reviewers/rules", "reviewers/rules/leaks", "reviewers/rules/scan", "reviewers/finding", "reviewers/ledger"},
	"reviewers/rounds": {"gitplan/progress", "gitplan/journal", "gitplan/plan", "gitplan/agent", "gitplan/git/diffs", "gitplan/git", "gitplan/fault", "reviewers/rules/leaks", "reviewers/rules/scan", "reviewers/finding",
		"reviewers/ledger", "reviewers/panel"},
	"reviewers": {"gitplan/place/launch", "gitplan/budget", "gitplan", "gitplan/planner", "gitplan/work", "gitplan/place", "gitplan/site", "gitplan/checkout", "gitplan/setup", "gitplan/prompt", "gitplan/progress", "gitplan/journal", "gitplan/plan", "gitplan/markdown",
		"gitplan/agent/builtin", "gitplan/agent", "gitplan/git/diffs", "gitplan/git", "gitplan/proc", "gitplan/fault", "gitplan/visible", "reviewers/secret", "reviewers/rules", "reviewers/rules/leaks", "reviewers/rules/scan", "reviewers/finding", "reviewers/ledger",
		"reviewers/panel", "reviewers/rounds"},
	"hooks/install": {"gitplan/checkout", "gitplan/git", "gitplan/proc", "gitplan/disk", "gitplan/pattern", "gitplan/visible"},
	"hooks": {"reviewers", "reviewers/ledger", "reviewers/finding", "reviewers/rules", "reviewers/rules/leaks", "reviewers/rules/scan", "reviewers/secret", "gitplan/share", "gitplan/checkout", "gitplan/setup", "gitplan/progress", "gitplan/journal", "gitplan/plan",
		"gitplan/git/diffs", "gitplan/git", "gitplan/proc", "gitplan/fault", "gitplan/pattern", "gitplan/visible"},
	"testdata/demo":            {},
	"cmd/git-plan/pages":       {"cmd/git-plan/terminal", "gitplan/proc", "gitplan/settings"},
	"cmd/git-plan/exit":        {"cmd/git-plan/demo", "cmd/git-plan/pages", "cmd/git-plan/terminal", "gitplan/progress", "gitplan/markdown", "gitplan/git/worktree", "gitplan/git", "gitplan/fault", "gitplan/visible"},
	"cmd/git-plan/commandline": {"cmd/git-plan/exit", "cmd/git-plan/pages", "gitplan/markdown", "gitplan/pattern", "gitplan/visible"},
	"cmd/git-plan/forge":       {"gitplan/proc", "gitplan/fault", "gitplan/visible"},
	"cmd/git-plan/survey":      {"cmd/git-plan/exit", "cmd/git-plan/notify", "cmd/git-plan/skill", "hooks/install", "reviewers", "gitplan/doctor", "gitplan/planner", "gitplan/site", "gitplan/checkout", "gitplan/settings", "gitplan/fault", "gitplan/pattern", "gitplan/visible"},
	"cmd/git-plan/completion":  {"cmd/git-plan/pages", "gitplan/visible"},
	"cmd/git-plan/terminal":    {"gitplan/journal", "gitplan/agent", "gitplan/proc", "gitplan/pattern", "gitplan/visible"},
	"cmd/git-plan/demo":        {"cmd/git-plan/terminal", "gitplan/proc", "testdata/demo"},
	"cmd/git-plan/notify":      {"gitplan/proc"},
	"cmd/git-plan/skill":       {"gitplan/disk", "gitplan/fault", "gitplan/pattern"},
	"cmd/git-plan/mcp":         {"gitplan/proc", "gitplan/visible"},
	"cmd/git-plan/views":       {"gitplan/transcript", "cmd/git-plan/exit", "gitplan/form", "gitplan/queue", "reviewers/finding", "gitplan/budget", "gitplan/prove", "cmd/git-plan/standing", "cmd/git-plan/terminal", "reviewers", "gitplan/lint", "gitplan/planner", "gitplan/share", "gitplan/work", "gitplan/checkout", "gitplan", "gitplan/stats", "gitplan/progress", "gitplan/journal", "gitplan/plan", "gitplan/agent", "gitplan/fault", "gitplan/visible"},
	"cmd/git-plan/web":         {"gitplan/transcript", "cmd/git-plan/views", "cmd/git-plan/standing", "cmd/git-plan/terminal", "reviewers/ledger", "reviewers/finding", "gitplan/share", "gitplan/checkout", "gitplan/stats", "gitplan/progress", "gitplan/journal", "gitplan/agent", "gitplan/fault", "gitplan/git", "gitplan/visible"},
	"cmd/git-plan/standing":    {"gitplan/budget", "gitplan/doctor", "gitplan/share", "gitplan/attempts", "gitplan/checkout", "reviewers", "reviewers/ledger", "reviewers/finding", "reviewers/rules", "gitplan", "gitplan/setup", "gitplan/progress", "gitplan/journal", "gitplan/plan", "gitplan/agent", "gitplan/fault", "gitplan/visible"},
	"cmd/git-plan": {"gitplan/transcript", "cmd/git-plan/commandline", "cmd/git-plan/exit", "cmd/git-plan/forge", "cmd/git-plan/survey", "gitplan/prove", "gitplan/undo", "cmd/git-plan/views", "cmd/git-plan/web", "cmd/git-plan/demo", "cmd/git-plan/completion", "cmd/git-plan/pages", "cmd/git-plan/notify", "cmd/git-plan/skill", "cmd/git-plan/mcp", "gitplan/queue", "gitplan/doctor", "gitplan/lint", "gitplan/planner", "gitplan/share", "gitplan/work", "gitplan/place", "gitplan/elsewhere/worker", "gitplan/site", "gitplan/attempts", "gitplan/checkout", "cmd/git-plan/standing", "cmd/git-plan/terminal", "hooks", "hooks/install", "reviewers", "reviewers/ledger", "reviewers/finding", "reviewers/rules", "reviewers/secret", "gitplan", "gitplan/setup", "gitplan/prompt", "gitplan/stats", "gitplan/progress", "gitplan/journal",
		"gitplan/settings", "gitplan/form", "gitplan/plan", "gitplan/markdown", "gitplan/agent", "gitplan/git", "gitplan/proc",
		"gitplan/fault", "gitplan/pattern", "gitplan/visible"},
}

// doors lists for each library the packages that may import it.
var doors = map[string][]string{
	"os/exec":                          {"gitplan/proc"},
	"golang.org/x/sys":                 {"gitplan/proc", "gitplan/confine"},
	"github.com/go-git/":               {"gitplan/git"},
	"github.com/openai/":               {"gitplan/agent/wire"},
	"github.com/urfave/cli":            {"cmd/git-plan", "cmd/git-plan/pages", "cmd/git-plan/completion", "cmd/git-plan/commandline"},
	"github.com/nicholas-fedor/":       {"cmd/git-plan/notify"},
	"github.com/modelcontextprotocol/": {"cmd/git-plan/mcp"},
	"github.com/rivo/uniseg":           {"cmd/git-plan/terminal"},
	"golang.org/x/term":                {"cmd/git-plan/terminal"},
	"github.com/sergi/go-diff/":        {"gitplan/share"},
}

// Each package imports what its row says, on every system, and all of that.
func TestArrows(t *testing.T) {
	used := map[string][]string{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		for name, imports := range importsOn(t, system) {
			may, known := arrows[name]
			if !known {
				t.Errorf("package %s is in no arrow: add it to the table, in its place", name)
			}
			for _, i := range imports {
				if own, ok := strings.CutPrefix(i, module); ok {
					used[name] = append(used[name], own)
					if !slices.Contains(may, own) {
						t.Errorf("%s must not import %s", name, own)
					}
				}
				for library, only := range doors {
					if strings.HasPrefix(i, library) && !slices.Contains(only, name) {
						t.Errorf("%s must not import %s: the door is %s", name, i, strings.Join(only, ", "))
					}
				}
			}
		}
	}
	for name, may := range arrows {
		for _, own := range may {
			if !slices.Contains(used[name], own) {
				t.Errorf("%s imports %s no more: take that out of the table", name, own)
			}
		}
	}
}

// importsOn returns what each package imports on a system.
func importsOn(t *testing.T, system string) map[string][]string {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "./...", "./testdata/demo")
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	imports := map[string][]string{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return imports
		} else if err != nil {
			t.Fatal(err)
		}
		if name := strings.TrimPrefix(p.ImportPath, module); name+"/" != module { // else it is this test
			imports[name] = p.Imports
		}
	}
}

// Only importers of plans as other tools write them may be larger: each is read by itself. The
// commands are flags and a few statements each; what they decide is in rooms.
var largeRooms = []string{"gitplan/form", "cmd/git-plan"}

// A room has about 2,500 lines: so many a reader knows after a day.
func TestRoomsKeepTheirSize(t *testing.T) {
	const most = 2700
	for name := range arrows {
		files, err := filepath.Glob(filepath.Join(filepath.FromSlash(name), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		lines := 0
		for _, f := range files {
			if data, err := os.ReadFile(f); err != nil {
				t.Fatal(err)
			} else if !strings.HasSuffix(f, "_test.go") {
				lines += strings.Count(string(data), "\n")
			}
		}
		if lines > most && !slices.Contains(largeRooms, name) {
			t.Errorf("%s has %d lines, and a room may have %d: what of it can stand by itself?", name, lines, most)
		}
	}
}
