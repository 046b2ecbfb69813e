package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"github.com/git-plan/git-plan/testdata/race"
)

// surrounding is where a command is typed: a terminal of so many columns, or pipes; and its variables.
type surrounding struct {
	columns uint16 // of a real terminal; 0: pipes
	env     []string
}

// surroundings are all languages, widths and terminals, each with another setting for colours and pagers.
func surroundings() (out []surrounding) {
	wishes := [][]string{
		{"NO_COLOR=1", "TERM=xterm-256color"},
		{"TERM=dumb", "GIT_PAGER=tr a-z A-Z"},
		{"CLICOLOR_FORCE=1", "FORCE_COLOR=3", "TERM=xterm-256color", "COLORTERM=truecolor"},
		{"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=color.ui", "GIT_CONFIG_VALUE_0=always", "GIT_CONFIG_KEY_1=core.pager", "GIT_CONFIG_VALUE_1=tr a-z A-Z"},
		{"PAGER=tr a-z A-Z", "LESS=-FRX", "TERM=xterm"},
	}
	for _, locale := range []string{"C", "C.UTF-8", "de_DE.UTF-8", "tr_TR.UTF-8"} {
		for _, columns := range []uint16{20, 80, 500} {
			for _, at := range []uint16{0, columns} {
				env := []string{"LC_ALL=" + locale, "LANG=" + locale, "LANGUAGE=tr:de", "TZ=Asia/Kathmandu", fmt.Sprintf("COLUMNS=%d", columns)}
				out = append(out, surrounding{at, append(env, wishes[len(out)%len(wishes)]...)})
			}
		}
	}
	return out
}

// typed runs git plan there, and returns all its output, and its exit code.
func (s surrounding) typed(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"plan"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), s.env...)
	var out bytes.Buffer
	var err error
	if s.columns == 0 {
		cmd.Stdout, cmd.Stderr = &out, &out
		err = cmd.Run()
	} else {
		err = s.inTerminal(t, cmd, &out)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s(exit code %d)\n", out.Bytes(), cmd.ProcessState.ExitCode())
}

// inTerminal runs a command whose three streams are a terminal, which it controls.
func (s surrounding) inTerminal(t *testing.T, cmd *exec.Cmd, out *bytes.Buffer) error {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("there are no terminals here: ", err)
	}
	defer person.Close()
	n, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := term.MakeRaw(int(tty.Fd())); err != nil { // a line end is not converted
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(int(tty.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: s.columns}); err != nil {
		t.Fatal(err)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tty.Close()
	_, _ = io.Copy(out, person) // ends with EIO when the terminal is closed
	return cmd.Wait()
}

// Output for programs is the same whatever the language, the width, the terminal, and the settings for
// colours and pagers.
func TestStatusForProgramsIsTheSameEverywhere(t *testing.T) {
	repo := begun(t, 0)
	write(t, filepath.Join(repo, "..", "plan.md"), "# INDIAN iİıI ß "+strings.Repeat("a long title ", 30)+"\n\n## Steps\n\n"+
		"- [ ] **Dönê**\tit is\u00a0 {#s1}\n- [ ] **Iı ﬁ** 世界 👩‍👩‍👧 {#s2}\n- [ ] `code` [link](x) *em* &amp; \\* {#s3}\n- [ ] Skipped {#s4}\n"+
		"- [ ] "+strings.Repeat("wide 全角 ", 40)+" {#s5}\n- [ ] Last {#s6}\n")
	runGit(t, repo, "plan", "new", "-F", "../plan.md", "--yes")
	runGit(t, repo, "plan", "run", "--no-review", "--until", "s2")
	runGit(t, repo, "plan", "block", "s3", "-m", "no\x1b[31m way")
	runGit(t, repo, "plan", "skip", "s4")
	runGit(t, repo, "plan", "reopen", "s2")

	everywhere := surroundings()
	same := func(args ...string) string {
		t.Helper()
		want := everywhere[0].typed(t, repo, args...)
		for _, s := range everywhere[1:] {
			if got := s.typed(t, repo, args...); got != want {
				t.Errorf("git plan %s in %v:\n%q\nwant\n%q", strings.Join(args, " "), s, got, want)
			}
		}
		return want
	}
	got := same("status", "--porcelain")
	for _, want := range []string{"\ts1\tdone\t", "\ts2\treopened\t", "\ts3\tblocked\t-\t", "\ts4\tskipped\t", "\ts5\topen\t", "(exit code 0)"} {
		if !strings.Contains(got, want) {
			t.Errorf("it lacks %q:\n%s", want, got)
		}
	}
	for _, line := range strings.Split(strings.TrimSpace(got), "\n") {
		if strings.ContainsAny(line, "\x1b\x07\x00\r") {
			t.Errorf("a terminal would obey %q", line)
		}
	}
	runGit(t, repo, "plan", "next", "s5")
	same("status", "--porcelain")
	same("status", "--json")
	same("lint", "--json")
}

// Errors of a plan are worded the same everywhere.
func TestErrorsOfPlansAreTheSameEverywhere(t *testing.T) {
	race.Skip(t)
	repo := begun(t, 0)
	head := "# T\n\n## Steps\n\n"
	everywhere := surroundings()
	for i, text := range []string{
		"", "# T\n\n# Steps\n\ntext\n", head + "- a\n", head + "```\n- [ ] a\n- [ ] b {#x}\n",
		head + "- [ ] a\n- [~] b\n- [ x] d\n- [\u00a0] f\n", head + "- [ ] a {#I}\n- [ ] ı {#i}\n- [ ] c {#i}\n",
		head + "- [ ] a {#\x1b[31m" + strings.Repeat("x", 100) + "}\n", head + "- [ ] a\n  - NEEDS: #" + strings.Repeat("İ", 300) + "\n",
		head + "- [ ] a\n  - Needs: #b\n- [ ] b\n  - Needs: #a\n", head + "- [ ] a\n  - RUN: make it so\n  - STATUS: DONE\n  - TIMEOUT: SOON\n",
		head + "- [ ] a\n\x00\n", "# \xff\n\n## Steps\n- [ ] \xc3\x28\n", "\xff\xfe#\x00 \x00", head + "<<<<<<< HEAD\n- [ ] b\n=======\n>>>>>>> other\n",
		"---\nplan: [x\n---\n" + head + "- [ ] a\n", "---\nplan: x\nplan: y\n---\n" + head + "- [ ] a\n", "{\"steps\": [}",
	} {
		file := filepath.Join(repo, "..", fmt.Sprintf("refused-%d.md", i))
		write(t, file, text)
		for n, args := range [][]string{{"lint", file}, {"lint", "--json", file}, {"new", "-F", file}} {
			want := everywhere[0].typed(t, repo, args...)
			if !strings.Contains(want, "(exit code 1)") {
				t.Errorf("%q is not refused by git plan %s: %s", text, args[0], want)
			}
			for k := range 4 { // another four for each text
				s, want := everywhere[1+(i*12+n*4+k)%(len(everywhere)-1)], want
				got := s.typed(t, repo, args...)
				if args[1] != "--json" && s.columns > 0 { // for people: a terminal gets it folded to its width
					got, want = strings.Join(strings.Fields(got), " "), strings.Join(strings.Fields(want), " ")
				}
				if got != want {
					t.Errorf("git plan %s of %q in %v:\n%q\nwant\n%q", args[0], text, s, got, want)
				}
			}
		}
	}
}

// At a terminal, git plan next prints the step and its checks; a program, or --prompt, gets the whole prompt
// of a session.
func TestNextIsShortOnATerminal(t *testing.T) {
	repo := begun(t, 1)
	write(t, filepath.Join(repo, "..", "plan.md"), "# Two\n\n## Checks\n\n- `true`\n\n## Steps\n\n- [ ] **One** {#one}\n  - Check: `test -e a`\n- [ ] **Two** {#two}\n")
	runGit(t, repo, "plan", "new", "-F", "../plan.md", "--yes")
	runGit(t, repo, "plan", "next")
	at := surrounding{80, []string{"TERM=xterm"}}
	want := "- [ ] **One** {#one}\n  - Check: `test -e a`\n\nChecks of every step:\n  true\nstep one is yours"
	if got := at.typed(t, repo, "next"); !strings.HasPrefix(got, want) || strings.Contains(got, "#two") {
		t.Errorf("at a terminal: %s", got)
	}
	for where, got := range map[string]string{"asked for": at.typed(t, repo, "next", "--prompt"), "piped": surrounding{}.typed(t, repo, "next")} {
		if !strings.Contains(got, "## The other steps") {
			t.Errorf("%s: %s", where, got)
		}
	}
}
