//go:build linux

package proc

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// A confined program ends with its parent, even if that is killed.
func TestConfinedProgramsEndWithAKilledParent(t *testing.T) {
	for _, k := range kinds(t) {
		dir, rules := house(t, k)
		alive := listener(t, filepath.Join(dir, "tree"))
		text, _ := json.Marshal(rules)
		parent := exec.Command(os.Args[0])
		parent.Dir = filepath.Join(dir, "tree")
		parent.Env = append(os.Environ(), "PROC_TEST_RUN=exec 9>life; (setsid sleep 300 &); : >up; sleep 300", "PROC_TEST_CONFINE="+string(text))
		if err := parent.Start(); err != nil {
			t.Fatal(err)
		}
		eventually(t, func() bool { _, err := os.Stat(filepath.Join(parent.Dir, "up")); return err == nil })
		_ = parent.Process.Kill()
		_ = parent.Wait()
		eventually(t, func() bool { return !alive() })
	}
}

// A confined program is asked to stop in every sandbox, and has time to report its usage.
func TestConfinedProgramIsAskedToStop(t *testing.T) {
	for _, k := range append(kinds(t), Unconfined) {
		dir, rules := house(t, k)
		tree := filepath.Join(dir, "tree")
		c := Cmd{Dir: tree, Group: true, Confine: rules, Interrupt: func(error) time.Duration { return time.Minute }}
		c.Name, c.Args = Shell("trap 'echo used >said; exit 0' INT; : >ready; while :; do sleep 0.05; done")
		exit := inTime(t, c)
		said, _ := os.ReadFile(filepath.Join(tree, "said"))
		if !exit.TimedOut || exit.Code != 0 || string(said) != "used\n" {
			t.Errorf("%s: %+v: it said %q", k, exit, said)
		}
	}
}

// Without an interrupt it gets SIGTERM.
func TestConfinedProgramIsTerminated(t *testing.T) {
	for _, k := range append(kinds(t), Unconfined) {
		dir, rules := house(t, k)
		c := Cmd{Dir: filepath.Join(dir, "tree"), Group: true, Confine: rules}
		c.Name, c.Args = Shell("trap 'exit 5' TERM; : >ready; while :; do sleep 0.05; done")
		if exit := inTime(t, c); !exit.TimedOut || exit.Code != 5 {
			t.Errorf("%s: %+v", k, exit)
		}
	}
}
