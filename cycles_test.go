package arch_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	compilers "go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// largestCycle is how many files of a package may need each other in a circle: so many a
// reader holds in the head at once. A declaration belongs in the file of what it is made of.
const largestCycle = 5

func TestFilesFormNoLargeCycles(t *testing.T) {
	packages, export := compiled(t)
	files := token.NewFileSet()
	from := compilers.ForCompiler(files, "gc", func(path string) (io.ReadCloser, error) { return os.Open(export[path]) })
	for _, p := range packages {
		uses := usesBetweenFiles(t, files, from, p)
		for _, cycle := range cycles(uses) {
			if len(cycle) > largestCycle {
				t.Errorf("%d files of %s need each other in a circle, and %d may: %s\n%s", len(cycle), strings.TrimPrefix(p.ImportPath, module), largestCycle, strings.Join(cycle, " "), why(uses, cycle))
			}
		}
	}
}

// compiled returns the packages of this module, and for each package that they import the
// file that the compiler wrote of it.
func compiled(t *testing.T) (own []goPackage, export map[string]string) {
	t.Helper()
	out, err := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,GoFiles,Export", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	export = map[string]string{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return own, export
		} else if err != nil {
			t.Fatal(err)
		}
		export[p.ImportPath] = p.Export
		if strings.HasPrefix(p.ImportPath, module) {
			own = append(own, p)
		}
	}
}

// uses holds by file, and by each file that it needs, the names that it uses from there.
type uses map[string]map[string][]string

// usesBetweenFiles has the types of a package checked, and follows every name to the file
// that declares it: functions, types, values, methods and fields.
func usesBetweenFiles(t *testing.T, files *token.FileSet, from types.Importer, p goPackage) uses {
	t.Helper()
	var parsed []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, f)
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	pkg, err := (&types.Config{Importer: from}).Check(p.ImportPath, files, parsed, &info)
	if err != nil {
		t.Fatal(err)
	}
	found := uses{}
	for id, o := range info.Uses {
		v, variable := o.(*types.Var)
		if o.Pkg() != pkg || o.Parent() != pkg.Scope() && o.Parent() != nil || o.Parent() == nil && variable && !v.IsField() {
			continue
		}
		user, needed := filepath.Base(files.Position(id.Pos()).Filename), filepath.Base(files.Position(o.Pos()).Filename)
		if user == needed {
			continue
		}
		if found[user] == nil {
			found[user] = map[string][]string{}
		}
		if !slices.Contains(found[user][needed], o.Name()) {
			found[user][needed] = append(found[user][needed], o.Name())
		}
	}
	return found
}

// cycles returns the sets of files of which each needs each other (strongly connected
// components, by Tarjan).
func cycles(u uses) (all [][]string) {
	number, low := map[string]int{}, map[string]int{}
	var stack []string
	var visit func(string)
	visit = func(file string) {
		number[file] = len(number) + 1
		low[file] = number[file]
		stack = append(stack, file)
		for needed := range u[file] {
			if number[needed] == 0 {
				visit(needed)
				low[file] = min(low[file], low[needed])
			} else if slices.Contains(stack, needed) {
				low[file] = min(low[file], number[needed])
			}
		}
		if low[file] < number[file] {
			return
		}
		at := slices.Index(stack, file)
		cycle := slices.Clone(stack[at:])
		stack = stack[:at]
		slices.Sort(cycle)
		all = append(all, cycle)
	}
	for file := range u {
		if number[file] == 0 {
			visit(file)
		}
	}
	return all
}

// why returns a line for each file that another of the cycle needs, with the names.
func why(u uses, cycle []string) string {
	var lines []string
	for _, file := range cycle {
		for _, needed := range cycle {
			if names := u[file][needed]; len(names) > 0 {
				slices.Sort(names)
				lines = append(lines, "\t"+file+" -> "+needed+": "+strings.Join(names, " "))
			}
		}
	}
	return strings.Join(lines, "\n")
}
