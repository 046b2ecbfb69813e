package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
)

// seed is a repository whose branch has something that its linter must stop, however the linter reports it:
// by a finding, by an exit code, or by printing nothing.
type seed struct {
	linter string
	base   map[string]string // files of main
	bad    map[string]string // what the branch changes; "" removes a file
	good   map[string]string // the change that fixes it: only then it passes
}

const (
	goModule = "module example.com/x\n\ngo 1.22\n"
	goA      = "package x\n\n// A is one.\nfunc A() int { return 1 }\n"
	goB      = "package x\n\n// B is two.\nfunc B() int { return 2 * A() }\n"
	goPrintf = "package x\n\nimport \"fmt\"\n\n// B prints.\nfunc B() { fmt.Printf(\"%d\\n\", \"s\") }\n"
	npmBase  = `{"name": "x", "version": "1.0.0", "private": true, "devDependencies": {"eslint": "^10", "@microsoft/eslint-formatter-sarif": "^3.1.0"}}`
	esConfig = "module.exports = [{rules: {\"no-debugger\": \"error\"}}]\n"
)

var (
	goBase = map[string]string{"go.mod": goModule, "a.go": goA}
	jsBase = map[string]string{".gitignore": "node_modules\n", "package.json": npmBase, "eslint.config.js": esConfig, "a.js": "one();\n"}
	shBase = map[string]string{"a.sh": "#!/bin/sh\necho one\n"}
)

var seeds = map[string]seed{
	"a wrong verb": {"staticcheck", goBase, map[string]string{"b.go": goPrintf}, map[string]string{"b.go": goB}},
	"a new file that does not compile": {"staticcheck", goBase,
		map[string]string{"b.go": strings.Replace(goB, "A()", "C()", 1)}, map[string]string{"b.go": goB}},
	"an old file that no longer compiles": {"staticcheck", map[string]string{"go.mod": goModule, "a.go": goA, "b.go": goB},
		map[string]string{"a.go": "package x\n"}, map[string]string{"a.go": strings.Replace(goA, "1 }", "2 }", 1)}},
	"a test that does not compile": {"staticcheck", goBase,
		map[string]string{"a_test.go": "package x\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { C() }\n"},
		map[string]string{"a_test.go": "package x\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { A() }\n"}},
	"a module below the top": {"staticcheck", map[string]string{"readme": "two modules\n", "sub/go.mod": goModule, "sub/a.go": goA},
		map[string]string{"sub/b.go": goPrintf}, map[string]string{"go.mod": goModule, "a.go": goA, "b.go": goB, "sub/go.mod": "", "sub/a.go": "", "sub/b.go": ""}},
	"a wrong verb in a package": {"golangci", goBase, map[string]string{"in/b.go": strings.ReplaceAll(goPrintf, "package x", "package in")},
		map[string]string{"in/b.go": "package in\n\n// B is two.\nfunc B() int { return 2 }\n"}},
	"a missing import": {"golangci", goBase, map[string]string{"b.go": "package x\n\nimport \"example.com/y\"\n\n// B is y's.\nvar B = y.B\n"},
		map[string]string{"b.go": goB}},
	"an invalid configuration": {"golangci", goBase, map[string]string{"b.go": goB, ".golangci.yml": "version: \"2\"\nlinters: [\n"},
		map[string]string{".golangci.yml": "version: \"2\"\n"}},
	"a debugger":     {"eslint", jsBase, map[string]string{"a.js": "one();\ndebugger;\n"}, map[string]string{"a.js": "one();\ntwo();\n"}},
	"a syntax error": {"eslint", jsBase, map[string]string{"a.js": "one();\nvar ( = 3\n"}, map[string]string{"a.js": "one();\ntwo();\n"}},
	"a configuration that throws": {"eslint", jsBase, map[string]string{"eslint.config.js": "throw new Error('x')\n"},
		map[string]string{"eslint.config.js": esConfig + "\n"}},
	"everything ignored": {"eslint", jsBase, map[string]string{"a.js": "debugger;\n", "eslint.config.js": "module.exports = [{ignores: [\"**\"]}]\n"},
		map[string]string{"a.js": "two();\n", "eslint.config.js": esConfig}},
	"an unquoted word": {"shellcheck", shBase, map[string]string{"a.sh": "#!/bin/sh\necho $1\n"}, map[string]string{"a.sh": "#!/bin/sh\necho \"$1\"\n"}},
	"an unclosed script": {"shellcheck", shBase, map[string]string{"a.sh": "#!/bin/sh\nif true; then\necho one\n"},
		map[string]string{"a.sh": "#!/bin/sh\necho two\n"}},
	"a name with a space": {"shellcheck", shBase, map[string]string{"b c.sh": "#!/bin/sh\necho $1\n"}, map[string]string{"b c.sh": "", "b.sh": "#!/bin/sh\necho 1\n"}},
}

// TestLintersNeverPassABadBranch reviews each of these repositories with its linter alone, set up as in
// gitplan-review(7): the branch never passes before it is good.
func TestLintersNeverPassABadBranch(t *testing.T) {
	lines := linterLines(t)
	bin := built(t)
	for _, name := range slices.Sorted(maps.Keys(seeds)) {
		s := seeds[name]
		t.Run(s.linter+", "+name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			repo, sh := filepath.Join(dir, "repo"), shellIn(t, dir, bin)
			do := func(code int, script string) string {
				t.Helper()
				out, err := sh("export GOPATH='" + os.Getenv("GOPATH") + "' GOCACHE='" + os.Getenv("GOCACHE") + "' npm_config_cache='" + os.Getenv("npm_config_cache") + "'\n" + script)
				got := 0
				if exit, ok := err.(*exec.ExitError); ok {
					got = exit.ExitCode()
				}
				if got != code {
					t.Fatalf("%s: exit code %d, want %d\n%s", script, got, code, out)
				}
				return out
			}
			commit := func(files map[string]string) string {
				for file, text := range files {
					if path := filepath.Join(repo, file); text != "" {
						write(t, path, text)
					} else if err := os.Remove(path); err != nil {
						t.Fatal(err)
					}
				}
				return "git add -A && git commit -q -m 'Change it'"
			}
			do(0, "git init -q repo")
			install := "true"
			if s.linter == "eslint" {
				install = "npm install --silent --package-lock-only"
			}
			first := commit(s.base)
			do(0, "cd repo && "+install+" && "+first+" && git switch -q -c work && "+lines[s.linter]+" && git config plan.reviewers "+s.linter+" && git config plan.blockOn low")
			out := do(exit.Review, "cd repo && "+commit(s.bad)+" && git plan review --no-fix")
			t.Log(strings.Join(strings.SplitN(out, "\n", 4)[:min(3, strings.Count(out, "\n"))], "\n"))
			do(exit.OK, "cd repo && "+commit(s.good)+" && git plan review --no-fix")
		})
	}
}
