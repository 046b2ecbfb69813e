//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// aTerminal is a real terminal, inside tmux, with a shell in it.
type aTerminal struct {
	testing.TB
	socket, dir string
}

// sit opens a terminal of 80 columns in a repository with a plan of four steps, whose sessions wait until a
// test lets them continue.
func sit(tb testing.TB, env ...string) *aTerminal {
	tb.Helper()
	repo := begun(tb, 0)
	gate := filepath.Join(repo, "..", "go-on-")
	runGit(tb, repo, "config", "planAgent.fake.command",
		`until test -e "`+gate+`$GIT_PLAN_STEP"; do sleep 0.02; done; echo $GIT_PLAN_STEP >>work.txt`)
	planned(tb, repo, 4, "")
	return terminalIn(tb, repo, 80, env...)
}

// terminalIn opens a terminal of so many columns in a folder.
func terminalIn(tb testing.TB, dir string, width int, env ...string) *aTerminal {
	tb.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		tb.Skip("needs tmux")
	}
	sockets, err := os.MkdirTemp(os.Getenv(terminals), "tmux-")
	if err != nil {
		tb.Fatal(err)
	}
	t := &aTerminal{tb, filepath.Join(sockets, "tmux"), dir}
	for _, kv := range append([]string{"LC_ALL=C.UTF-8", "GIT_PLAN_TRACE=", "GITHUB_ACTIONS="}, env...) {
		k, v, _ := strings.Cut(kv, "=")
		tb.Setenv(k, v)
	}
	t.tmux("new-session", "-d", "-x", strconv.Itoa(width), "-y", "24", "-c", dir, "env", "PS1=$ ", "HISTFILE=", "bash", "--noprofile", "--norc")
	tb.Cleanup(func() { t.tmux("kill-server") })
	return t
}

func (t *aTerminal) tmux(args ...string) string {
	t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", t.socket, "-f", os.DevNull}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("tmux %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (t *aTerminal) types(text string, keys ...string) {
	t.tmux(append([]string{"send-keys", "-l", text, ";", "send-keys"}, keys...)...)
}

// runs types a command into a shell with an empty screen, so that what the test waits for cannot be there
// from before.
func (t *aTerminal) runs(command string) {
	t.Helper()
	t.until(`(^|\^C)\$ *\n*\z`)
	t.clears()
	t.types(command, "Enter")
}

// clears has the shell, which has the terminal, clear its screen and prompt again.
func (t *aTerminal) clears() {
	t.Helper()
	empty := regexp.MustCompile(`\A\$ *\n*\z`)
	for range 600 { // a key that comes while the shell sets up its terminal may be lost
		t.types("", "C-u", "C-l")
		time.Sleep(100 * time.Millisecond)
		if empty.MatchString(t.tmux("capture-pane", "-p")) {
			break
		}
	}
	t.until(`\A\$ *\n*\z`)
}

func (t *aTerminal) goOn(step string) { write(t, filepath.Join(t.dir, "..", "go-on-"+step), "") }

// until waits until the screen matches, and returns it.
func (t *aTerminal) until(pattern string) string {
	t.Helper()
	return t.captured(pattern)
}

// ever waits until the terminal's whole output matches, even if the match has scrolled off the screen.
func (t *aTerminal) ever(pattern string) {
	t.Helper()
	t.captured(pattern, "-S", "-")
}

func (t *aTerminal) captured(pattern string, from ...string) string {
	t.Helper()
	want := regexp.MustCompile("(?m)" + pattern)
	var screen string
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if screen = t.tmux(append([]string{"capture-pane", "-p"}, from...)...); want.MatchString(screen) {
			return screen
		}
	}
	t.Fatalf("%q never came:\n%s", pattern, screen)
	return ""
}

// once is how often lines of the screen match.
func (t *aTerminal) once(screen, pattern string) {
	t.Helper()
	if n := len(regexp.MustCompile("(?m)"+pattern).FindAllString(screen, -1)); n != 1 {
		t.Errorf("%q is there %d times, want once:\n%s", pattern, n, screen)
	}
}

// holder is the process that works on the plan.
func (t *aTerminal) holder() int {
	t.Helper()
	co := &checkout.Checkout{}
	if err := within(t.dir, func() (err error) { co, err = checkout.Open(t.Context()); return err }); err != nil {
		t.Fatal(err)
	}
	defer co.Close()
	id, _ := co.PlanID(t.Context())
	h, ok := journal.Working(co.Repo, id)
	if !ok {
		t.Fatal("the plan is not being worked on")
	}
	return h.PID
}

func within(dir string, do func() error) error {
	before, err := os.Getwd()
	if err != nil {
		return err
	}
	if err := os.Chdir(dir); err != nil {
		return err
	}
	defer func() { _ = os.Chdir(before) }()
	return do()
}
