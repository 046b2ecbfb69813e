package runner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The first number that looks like a version is taken, and no more of it than a line has room for.
func TestShortVersion(t *testing.T) {
	for text, want := range map[string]string{
		"go version go1.26.1 linux/amd64\n":     "1.26.1",
		"v22.3.0\n":                             "22.3.0",
		"Python 3.11.2\n":                       "3.11.2",
		"cargo 1.80.0-nightly (d3b5e7b 2024)\n": "1.80.0-nightly",
		"GNU Make 4.3\nBuilt for x86_64":        "4.3",
		"\x1b[31m1.2\x1b[0m":                    "1.2",
		"1.2222222222222222222222222":           "1.222222222222222222",
		"no version here, 7 only":               "",
	} {
		if got := shortVersion(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestWhichToolsChecksUse(t *testing.T) {
	for line, want := range map[string]bool{
		"go test ./...": true, "cd web && go vet": true, "(go build)": true, "cargo test": false, "./go.sh": false, "echo good": false,
	} {
		if got := uses([]string{"true", line}, "go"); got != want {
			t.Errorf("%s: %t", line, got)
		}
	}
}

// A program says its version once, until its file changes; one that lies in the work tree is never run.
func TestVersionsAreAskedOnce(t *testing.T) {
	w := newWorld(t)
	bin, asked := t.TempDir(), filepath.Join(t.TempDir(), "asked")
	program := func(path, version string) {
		fine(t, os.WriteFile(path, []byte("#!/bin/sh\necho x >>'"+asked+"'\necho tool "+version+"\n"), 0o755))
	}
	program(filepath.Join(bin, "go"), "1.26.1")
	program(filepath.Join(bin, "make"), "none")
	program(filepath.Join(w.dir, "node"), "9.9.9")
	t.Setenv("PATH", w.dir+":"+bin+":"+os.Getenv("PATH"))
	w.git("config", "plan.sandbox", "none")
	w.write("package.json", "{}")
	w.write("Makefile", "")
	for range 2 {
		if got := w.again().site.Tools(t.Context(), []string{"go test ./..."}); !strings.HasPrefix(got, "go 1.26.1") || strings.Contains(got, "9.9.9") {
			t.Errorf("%q", got)
		}
	}
	program(filepath.Join(bin, "go"), "1.27.0-rc1")
	if got := w.again().site.Tools(t.Context(), []string{"go test ./..."}); !strings.HasPrefix(got, "go 1.27.0-rc1") {
		t.Errorf("%q", got)
	}
	if text, _ := os.ReadFile(asked); string(text) != "x\nx\nx\n" { // go, make, go
		t.Errorf("asked %q", text)
	}
}
