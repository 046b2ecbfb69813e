//go:build linux

package proc

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/confine"
)

// A confined program dies with the one that runs it, even when that one is killed.
func TestAKilledParentTakesWhatIsConfinedWithIt(t *testing.T) {
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

// What is asked to stop hears it in every sandbox, and has the time to say what it used.
func TestAConfinedProgramIsAskedToStop(t *testing.T) {
	for _, k := range append(kinds(t), confine.Unconfined) {
		dir, rules := house(t, k)
		tree := filepath.Join(dir, "tree")
		c := Cmd{Dir: tree, Group: true, Confine: rules, Timeout: time.Second,
			Interrupt: func(error) time.Duration { return time.Minute }}
		c.Name, c.Args = Shell("trap 'echo used >said; exit 0' INT; while :; do sleep 0.05; done")
		exit, err := Run(t.Context(), c)
		said, _ := os.ReadFile(filepath.Join(tree, "said"))
		if err != nil || !exit.TimedOut || exit.Code != 0 || string(said) != "used\n" {
			t.Errorf("%s: %+v, %v: it said %q", k, exit, err, said)
		}
	}
}

func eventually(t *testing.T, so func() bool) {
	t.Helper()
	for range 3000 {
		if so() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("it did not become so")
}
