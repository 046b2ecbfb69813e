package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// linterLine matches the lines of gitplan-review(7) that make a linter a reviewer.
var linterLine = regexp.MustCompile(`(?m)^git config (planReviewer\.([a-z]+)\.command '.*')$`)

// TestLinters plays testdata/linters with the real programs, each set up by its line in
// gitplan-review(7). `testdata/linters/linters.sh` installs them.
func TestLinters(t *testing.T) {
	lines := linterLines(t)
	cmds := storyCommands(nil)
	cmds["linter"] = func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) != 1 || lines[args[0]] == "" {
			ts.Fatalf("usage: linter NAME, as gitplan-review(7) has it")
		}
		if _, err := exec.LookPath(strings.Replace(args[0], "golangci", "golangci-lint", 1)); err != nil {
			ts.Fatalf("%v: testdata/linters/linters.sh could not install it", err)
		}
		ts.Check(ts.Exec("sh", "-c", lines[args[0]]+" && git config plan.reviewers "+args[0]))
	}
	built(t)
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("..", "..", "testdata", "linters"), RequireExplicitExec: true, RequireUniqueNames: true, Cmds: cmds,
		Setup: func(e *testscript.Env) error {
			for _, name := range []string{"GOPATH", "GOCACHE", "npm_config_cache"} {
				e.Setenv(name, os.Getenv(name))
			}
			return world(e)
		},
	})
}

// linterLines returns the manual's line for each linter.
func linterLines(t *testing.T) map[string]string {
	t.Helper()
	if os.Getenv("LINTERS") == "" {
		t.Skip("needs the real linters: testdata/linters/linters.sh")
	}
	page, err := os.ReadFile(filepath.Join("pages", "gitplan-review.7.md"))
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]string{}
	for _, m := range linterLine.FindAllStringSubmatch(string(page), -1) {
		lines[m[2]] = "git config " + m[1]
	}
	return lines
}
