package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A notification command gets the message in a variable, byte for byte.
func TestNotificationVariables(t *testing.T) {
	file := filepath.Join(t.TempDir(), "said")
	t.Setenv("FILE", file)
	text := "Add a flag\n4 of 4 steps done"
	if err := send(t.Context(), `!printf %s "$GIT_PLAN_TEXT" >"$FILE"`, "GIT_PLAN_TEXT="+text); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(file); string(got) != text {
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
	if err := send(t.Context(), "!tells"); err == nil {
		t.Error("a program of the work tree was used")
	}
	if _, err := os.Stat(filepath.Join(top, "bin/tells.ran")); err == nil {
		t.Error("the program of the work tree ran")
	}
}

// A failed command is reported by its exit code only, and an invalid value by what to write instead: no token in it is
// printed.
func TestNotificationErrorsHideTokens(t *testing.T) {
	for target, want := range map[string]string{
		"!exit 3 # t0ken": "it exited with 3", "https://user:t0ken@example.com": "must be ! and a command",
		"!": "must be ! and", "! ": "must be ! and", "me@example.com": "must be ! and",
	} {
		err := send(t.Context(), target)
		if err == nil || strings.Contains(err.Error(), "t0ken") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", target, err)
		}
	}
}
