package main

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestBrowser plays testdata/web/stories, which use the page of git plan web in a real Chromium. `make web`
// sets CHROMIUM and, for playwright-core, MODULES.
func TestBrowser(t *testing.T) {
	if os.Getenv("CHROMIUM") == "" || os.Getenv("MODULES") == "" {
		t.Skip("needs Chromium, and playwright-core from npm: make web")
	}
	schemas, err := schemasOf(filepath.Join("..", "..", "testdata", "schemas"))
	if err != nil {
		t.Fatal(err)
	}
	built(t)
	cmds := storyCommands(schemas)
	maps.Copy(cmds, map[string]func(*testscript.TestScript, bool, []string){"browse": browse})
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("..", "..", "testdata", "web", "stories"), Cmds: cmds, Setup: worldOfBrowser, RequireExplicitExec: true,
		UpdateScripts: os.Getenv("UPDATE") != "",
	})
}

// worldOfBrowser is the world of all stories, plus what Chromium and its driver read.
func worldOfBrowser(e *testscript.Env) error {
	for _, name := range []string{"CHROMIUM", "MODULES", "ROOM", "SHOTS", "SECONDS_LONG"} {
		e.Setenv(name, os.Getenv(name))
	}
	folder, err := filepath.Abs(filepath.Join("..", "..", "testdata", "web"))
	e.Setenv("WEB", folder)
	return errors.Join(err, world(e))
}

// browse runs a module of the story on the page of the plan of this folder: see testdata/web/drive.mjs for
// its arguments.
func browse(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: browse MODULE")
	}
	node, err := exec.LookPath("node")
	ts.Check(err)
	driver, err := filepath.Abs(filepath.Join("..", "..", "testdata", "web", "drive.mjs"))
	ts.Check(err)
	ts.Check(ts.Exec(node, driver, ts.MkAbs(filepath.Join(ts.Getenv("STORY"), args[0]))))
}
