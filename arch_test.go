// Package arch_test checks the shape of the program: an ordered list of packages with a budget of lines each,
// the only packages that may import each library, and limits for files and types.
package arch_test

import (
	"errors"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

const module = "github.com/git-plan/git-plan/"

// packages lists the packages of the program from the ground up, each with its budget in lines of Go without
// tests. A package imports only packages above it in this list. Raising a number is a line that a reviewer
// sees; try first to remove something.
var packages = []struct {
	name  string
	lines int
}{
	{"gitplan/visible", 566},
	{"gitplan/fault", 162},
	{"gitplan/disk", 384},
	{"gitplan/proc", 2470},
	{"gitplan/git", 2068},
	{"gitplan/git/worktree", 2038},
	{"gitplan/agent", 1006},
	{"gitplan/agent/script", 384},
	{"gitplan/agent/model", 1582},
	{"gitplan/agent/cli", 2388},
	{"gitplan/agent/builtin", 1744},
	{"gitplan/plan", 3080},
	{"gitplan/form", 2416},
	{"gitplan/settings", 980},
	{"gitplan/journal", 2018},
	{"gitplan/progress", 1406},
	{"gitplan/prompt", 792},
	{"gitplan/integrity", 940},
	{"gitplan/sandbox", 860},
	{"gitplan/checkout", 2472},
	{"gitplan/runner", 1322},
	{"gitplan/remote", 1094},
	{"gitplan/workspace", 2592},
	{"gitplan/work", 2444},
	{"gitplan/share", 1518},
	{"gitplan/lint", 468},
	{"gitplan/planner", 1004},
	{"gitplan/doctor", 344},
	{"gitplan", 2212},
	{"reviewers/secret", 464},
	{"reviewers/rules", 3116},
	{"reviewers/finding", 1256},
	{"reviewers/ledger", 1000},
	{"reviewers/panel", 1388},
	{"reviewers/rounds", 932},
	{"reviewers", 1326},
	{"hooks/install", 732},
	{"hooks", 1268},
	{"cmd/git-plan/terminal", 1572},
	{"cmd/git-plan/exit", 320},
	{"cmd/git-plan/status", 742},
	{"cmd/git-plan/views", 1040},
	{"cmd/git-plan/web", 1284},
	{"cmd/floor", 14},
	{"cmd/git-plan", 5812},
}

// budget is the maximum number of lines of the whole program, which the packages' budgets share.
const budget = 65_000

// doors lists for each library the packages that may import it.
var doors = map[string][]string{
	"os/exec":                          {"gitplan/proc"},
	"golang.org/x/sys":                 {"gitplan/proc"},
	"github.com/go-git/":               {"cmd/floor", "gitplan/git"},
	"github.com/openai/":               {"cmd/floor", "gitplan/agent/model"},
	"github.com/bmatcuk/":              {"gitplan/disk"},
	"github.com/urfave/cli":            {"cmd/floor", "cmd/git-plan"},
	"github.com/cpuguy83/go-md2man/":   {"cmd/git-plan"},
	"github.com/modelcontextprotocol/": {"cmd/git-plan"},
	"github.com/charmbracelet/":        {"cmd/git-plan/terminal"},
	"golang.org/x/term":                {"cmd/git-plan/terminal"},
	"github.com/sergi/go-diff/":        {"cmd/floor", "gitplan/share"},
}

// mostMethods is how many methods, including embedded ones, can be reached from one type. A type with more
// does several things.
const mostMethods = 60

// source is one non-test Go file of the program: its package, lines and imports.
type source struct {
	path, in string
	lines    int
	long     int // of these, wider than 120 columns
	imports  []string
}

// sources returns the Go files of the program for all systems.
func sources(t *testing.T) (all []source) {
	t.Helper()
	for _, top := range []string{"cmd", "gitplan", "hooks", "reviewers"} {
		err := filepath.WalkDir(top, func(file string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") || strings.Contains(file, "testdata") {
				return err
			}
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ImportsOnly)
			if err != nil {
				return err
			}
			s := source{path: filepath.ToSlash(file), in: path.Dir(filepath.ToSlash(file)), lines: strings.Count(string(text), "\n")}
			for line := range strings.Lines(string(text)) {
				if utf8.RuneCountInString(line) > 121 { // with its end
					s.long++
				}
			}
			for _, i := range parsed.Imports {
				name, err := strconv.Unquote(i.Path.Value)
				if err != nil {
					return err
				}
				s.imports = append(s.imports, name)
			}
			all = append(all, s)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func TestPackagesImportOnlyPackagesAbove(t *testing.T) {
	rank := map[string]int{}
	for i, p := range packages {
		rank[p.name] = i
	}
	for _, s := range sources(t) {
		at, known := rank[s.in]
		if !known {
			t.Errorf("package %s is not in the list: add it where it belongs, with its budget", s.in)
			continue
		}
		for _, i := range s.imports {
			if own, ok := strings.CutPrefix(i, module); ok && !strings.HasPrefix(own, "testdata/demo") {
				if below, known := rank[own]; !known || below >= at {
					t.Errorf("%s imports %s, which does not stand above %s in the list", s.path, own, s.in)
				}
			}
			for library, only := range doors {
				if strings.HasPrefix(i, library) && !slices.Contains(only, s.in) {
					t.Errorf("%s must not import %s: the door is %s", s.path, i, strings.Join(only, ", "))
				}
			}
		}
	}
}

func TestBudgets(t *testing.T) {
	lines, sum, long := map[string]int{}, 0, 0
	for _, s := range sources(t) {
		lines[s.in] += s.lines
		sum, long = sum+s.lines, long+s.long
	}
	if 100*long > sum {
		t.Errorf("%d of %d lines are wider than 120 columns, and one in a hundred may be", long, sum)
	}
	for _, p := range packages {
		if n := lines[p.name]; n > p.lines || n == 0 {
			t.Errorf("%s has %d lines of %d: take something away", p.name, n, p.lines)
		}
	}
	if sum > budget {
		t.Errorf("the program has %d lines of %d: take something away", sum, budget)
	}
}

// importer finds the checked packages of this program, and treats every other package as empty: methods
// embedded from a library are not counted.
type importer map[string]*types.Package

func (i importer) Import(name string) (*types.Package, error) {
	if p := i[name]; p != nil {
		return p, nil
	}
	p := types.NewPackage(name, path.Base(name))
	p.MarkComplete()
	return p, nil
}

func TestMethodLimitsAndIgnoredErrors(t *testing.T) {
	files, known := token.NewFileSet(), importer{}
	for _, p := range packages {
		found, err := build.ImportDir(filepath.FromSlash(p.name), 0)
		if errors.As(err, new(*build.NoGoError)) {
			continue // cmd/floor has a tag
		} else if err != nil {
			t.Fatal(err)
		}
		var parsed []*ast.File
		for _, name := range found.GoFiles {
			f, err := parser.ParseFile(files, filepath.Join(found.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			parsed = append(parsed, f)
		}
		checker := types.Config{Importer: known, Error: func(error) {}} // names of libraries are unknown
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
		pkg, _ := checker.Check(module+p.name, files, parsed, info)
		known[module+p.name] = pkg
		for _, f := range parsed {
			for n := range ast.Preorder(f) {
				call, ok := n.(*ast.CallExpr)
				if !ok || types.ExprString(call.Fun) != "cmp.Or" {
					continue
				}
				for _, then := range call.Args[1:] {
					if _, runs := then.(*ast.CallExpr); runs && types.Identical(info.TypeOf(then), types.Universe.Lookup("error").Type()) {
						t.Errorf("%s: %s runs also after an error: write an if", files.Position(then.Pos()), types.ExprString(then))
					}
				}
			}
		}
		for _, name := range pkg.Scope().Names() {
			if n, ok := pkg.Scope().Lookup(name).(*types.TypeName); ok && !types.IsInterface(n.Type()) {
				count := types.NewMethodSet(types.NewPointer(n.Type())).Len()
				if count > mostMethods {
					t.Errorf("%d methods can be reached from %s.%s, and %d may", count, p.name, name, mostMethods)
				}
			}
		}
	}
}
