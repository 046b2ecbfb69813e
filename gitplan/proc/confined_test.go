//go:build linux

package proc

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A program that another program starts is confined by this one in front of it: it gets standard input,
// without some variables, and its exit code is passed on.
func TestProgramStartedByAnotherIsConfined(t *testing.T) {
	for _, k := range kinds(t) {
		dir, rules := house(t, k)
		spec, err := ConfinedSpec(rules, []string{"A_KEY"})
		if err != nil {
			t.Fatal(err)
		}
		const line = `read x; test "$x" = typed || exit 1; test -z "$A_KEY$GIT_PLAN_CONFINED" || exit 2; test "$KEPT" = kept || exit 3
			echo x >new || exit 4; ! echo x >../outside 2>/dev/null || exit 5; ! cat ../home/.ssh/id 2>/dev/null || exit 6; exit 7`
		cmd := exec.Command(os.Args[0], "sh", "-c", line) // this test binary, whatever its arguments are
		cmd.Env = append(os.Environ(), ConfinedVariable+"="+spec, "A_KEY=secret", "KEPT=kept")
		cmd.Dir, cmd.Stdin = filepath.Join(dir, "tree"), strings.NewReader("typed\n")
		if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 7 {
			t.Errorf("%s: %v: %s", k, cmd.ProcessState, out)
		}
	}
}

// What cannot be confined does not run: the exit code is a shell's for a command that it cannot run.
func TestProgramStartedByAnotherThatCannotBeConfined(t *testing.T) {
	unknown, err := ConfinedSpec(&Confinement{By: "jail"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, spec := range map[string]string{"no spec": "", "no JSON": "{", "no such sandbox": unknown} {
		made := filepath.Join(t.TempDir(), "made")
		cmd := exec.Command(os.Args[0], "touch", made)
		cmd.Env = append(os.Environ(), ConfinedVariable+"="+spec)
		out, _ := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != 126 || !strings.Contains(string(out), "it cannot be confined:") {
			t.Errorf("%s: %v: %s", name, cmd.ProcessState, out)
		}
		if _, err := os.Stat(made); err == nil {
			t.Errorf("%s: it was run", name)
		}
		if code := runConfined(spec, []string{"touch", made}); code != 126 {
			t.Errorf("%s: %d", name, code)
		}
	}
	if code := runConfined(`{"Confine":{"By":"none"}}`, []string{"sh", "-c", "exit 9"}); code != 9 {
		t.Errorf("without bounds it ends with %d", code)
	}
}

// The reason why a sandbox does not work is one line, and nothing runs without it.
func TestReasonsOfABrokenSandbox(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "bwrap"), []byte("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\necho more >&2\nexit 3\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/bin/sh", filepath.Join(dir, "sh")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	for kind, want := range map[SandboxKind]string{
		Bwrap: "bwrap exits with 3: bwrap: setting up uid map: Permission denied", Seatbelt: `Linux has no sandbox "seatbelt"`, Unconfined: "",
	} {
		if err := Works(t.Context(), kind); (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%s: %v", kind, err)
		}
	}
	name, args := Shell("exit")
	if _, err := Run(t.Context(), Cmd{Name: "no-such-program", Confine: &Confinement{By: Bwrap}}); err == nil || !strings.Contains(err.Error(), "cannot start no-such-program") {
		t.Errorf("what is not there: %v", err)
	}
	if exit, err := Run(t.Context(), Cmd{Name: name, Args: args, Group: true, Confine: &Confinement{By: Bwrap}}); err != nil || exit.Code != 3 {
		t.Errorf("what bwrap refuses: %+v, %v", exit, err)
	}
}
