package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A program that a session may have written, or its interpreter, is not run to print its version, since
// nothing confines that.
func TestProgramInTheWorkTreeIsNotRunForItsVersion(t *testing.T) {
	top, elsewhere := t.TempDir(), t.TempDir()
	bin, marker := filepath.Join(top, "bin"), filepath.Join(elsewhere, "marker")
	for _, dir := range []string{filepath.Join(top, ".git"), bin} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for path, text := range map[string]string{
		filepath.Join(bin, "codex"):              fmt.Sprintf("#!/bin/sh\ntouch '%s'\necho codex-cli 0.200.0\n", marker),
		filepath.Join(bin, "interpreter"):        fmt.Sprintf("#!/bin/sh\ntouch '%s'\nexec sh \"$@\"\n", marker),
		filepath.Join(elsewhere, "codex"):        "#!/usr/bin/env interpreter\necho codex-cli 0.200.0\n",
		filepath.Join(elsewhere, "real/codex"):   "#!/bin/sh\necho codex-cli 0.300.0\n",
		filepath.Join(elsewhere, "no/codex.txt"): "",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(top)
	for _, c := range []struct {
		what, path, program, version, problem string
	}{
		{"alone on PATH", bin, "codex", "", "is in the work tree, where sessions write"},
		{"by a relative folder of PATH", "bin", "codex", "", "is in the work tree, where sessions write"},
		{"named by a setting", "", filepath.Join(bin, "codex"), "", ""},
		{"before another", bin + ":" + filepath.Join(elsewhere, "real"), "codex", "0.300.0", ""},
		{"an interpreter of another program", bin + ":" + elsewhere, "codex", "", "prints no version"},
	} {
		t.Setenv("PATH", c.path+":/usr/bin:/bin")
		cli := New(Agent{AgentName: "codex", Program: c.program})
		f := cli.Find(t.Context())
		if f.Version != c.version || (f.Problem == "") != (c.problem == "") || !strings.Contains(f.Problem, c.problem) {
			t.Errorf("%s: found %+v", c.what, f)
		}
		if _, err := os.Stat(marker); err == nil {
			t.Fatalf("%s: it was started", c.what)
		}
	}
}
