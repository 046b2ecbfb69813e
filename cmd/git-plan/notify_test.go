package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var endedWell = message{Title: "git plan: f: done", Text: "Add a flag\n4 of 4 steps done", State: "done"}

// A notification command gets the message in variables, byte for byte.
func TestNotificationVariables(t *testing.T) {
	file := filepath.Join(t.TempDir(), "said")
	t.Setenv("FILE", file)
	if failed := sendAll(t.Context(), []string{`!printf '%s|%s|%s' "$GIT_PLAN_TITLE" "$GIT_PLAN_TEXT" "$GIT_PLAN_STATE" >"$FILE"`}, endedWell); len(failed) > 0 {
		t.Fatal(failed)
	}
	if got, _ := os.ReadFile(file); string(got) != endedWell.Title+"|"+endedWell.Text+"|done" {
		t.Errorf("the command heard %q", got)
	}
}

// A notification command is never taken from the work tree, where sessions write.
func TestNotificationIgnoresProgramsOfTheWorkTree(t *testing.T) {
	top := t.TempDir()
	for _, dir := range []string{".git", "bin"} {
		if err := os.Mkdir(filepath.Join(top, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(top, "bin/tells"), []byte("#!/bin/sh\ntouch \"$0.ran\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(top)
	t.Setenv("PATH", filepath.Join(top, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	if failed := sendAll(t.Context(), []string{"!tells"}, endedWell); len(failed) != 1 {
		t.Errorf("a program of the work tree was used: %v", failed)
	}
	if _, err := os.Stat(filepath.Join(top, "bin/tells.ran")); err == nil {
		t.Error("the program of the work tree ran")
	}
}

// A failed command is reported by its exit code only: no token in it is printed.
func TestNotificationErrorsHideTokens(t *testing.T) {
	text := strings.Join(sendAll(t.Context(), []string{"!exit 3 # t0ken", "https://user:t0ken@example.com"}, endedWell), "\n")
	if strings.Contains(text, "t0ken") || !strings.Contains(text, "plan.notify: it exited with 3\nplan.notify: must be ! and a command") {
		t.Errorf("%s", text)
	}
}

// For an invalid value the error says what to write instead.
func TestTargetsAreChecked(t *testing.T) {
	for target, fine := range map[string]bool{"! notify-send x": true, "!": false, "! ": false, "me@example.com": false, "https://example.com/hook": false} {
		if err := checkTarget(target); fine != (err == nil) {
			t.Errorf("%s: %v", target, err)
		}
	}
}
