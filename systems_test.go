package arch_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/testdata/race"
)

// goPackage is what go list says of a package.
type goPackage struct {
	ImportPath, ForTest, Dir, Export string
	GoFiles                          []string
	ImportMap                        map[string]string
	Module                           *struct{ GoVersion string }
}

// Everything compiles on the other systems, the tests too. Types are checked from source, of
// others' packages only what they declare: to compile all for each system takes minutes.
func TestEverySystemCompiles(t *testing.T) {
	race.Slow(t)
	for _, system := range []string{"darwin", "windows"} {
		cmd := exec.Command("go", "list", "-deps", "-test", "-json=ImportPath,ForTest,Dir,GoFiles,ImportMap,Module", "./...", "./testdata/demo")
		cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", system, err)
		}
		done := map[string]*types.Package{"unsafe": types.Unsafe}
		for d := json.NewDecoder(strings.NewReader(string(out))); ; {
			var p goPackage
			if err := d.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			if p.ImportPath != "unsafe" && !strings.HasSuffix(p.ImportPath, ".test") {
				done[p.ImportPath] = p.check(t, system, done)
			}
		}
	}
}

// check reports what does not compile of a package of ours.
func (p goPackage) check(t *testing.T, system string, done map[string]*types.Package) *types.Package {
	path, _, _ := strings.Cut(p.ImportPath, " ") // what stands behind it says for which test
	ours := strings.HasPrefix(path+"/", module)
	files, set := []*ast.File{}, token.NewFileSet()
	for _, name := range p.GoFiles {
		if !filepath.IsAbs(name) {
			name = filepath.Join(p.Dir, name)
		}
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil && ours {
			t.Errorf("%s: %v", system, err)
		}
		files = append(files, file)
	}
	c := types.Config{
		IgnoreFuncBodies: !ours, Sizes: types.SizesFor("gc", "amd64"),
		Importer: importer(func(path string) (*types.Package, error) {
			if as, ok := p.ImportMap[path]; ok {
				path = as
			}
			return done[path], nil
		}),
		Error: func(err error) {
			if ours {
				t.Errorf("%s: %v", system, err)
			}
		},
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		c.GoVersion = "go" + p.Module.GoVersion
	}
	out, _ := c.Check(path, set, files, nil)
	return out
}

type importer func(path string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }
