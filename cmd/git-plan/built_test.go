package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// built builds the program as it is installed, once, and lets git find it.
func built(tb testing.TB) string {
	tb.Helper()
	builds.once.Do(func() {
		var err error
		if builds.dir, err = os.MkdirTemp("", "git-plan-built-"); err != nil {
			tb.Fatal(err)
		}
		build(tb, filepath.Join(builds.dir, "git-plan"), ".", "urfave_cli_no_docs")
	})
	if first := builds.dir + string(os.PathListSeparator); !strings.HasPrefix(os.Getenv("PATH"), first) {
		tb.Setenv("PATH", first+os.Getenv("PATH"))
	}
	return filepath.Join(builds.dir, "git-plan")
}

// builds is where built puts its program, once for all tests.
var builds struct {
	once sync.Once
	dir  string
}

func build(tb testing.TB, program, source, tags string) {
	tb.Helper()
	cmd := exec.Command("go", "build", "-tags="+tags, "-trimpath", "-ldflags=-s -w", "-o", program, source)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	said, err := cmd.CombinedOutput()
	if err != nil {
		tb.Fatalf("%v\n%s", err, said)
	}
}
