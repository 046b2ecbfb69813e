//go:build unix

package main

import (
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/testdata/race"
	"github.com/git-plan/git-plan/testdata/repository"
)

// The demo's output is short: at most 84 lines, with one failed attempt, one finding and one stopped push.
func TestTheDemoIsShort(t *testing.T) {
	race.Skip(t)
	aDemo(t)
	at := map[int]*aTerminal{80: terminalIn(t, t.TempDir(), 80), 100: terminalIn(t, t.TempDir(), 100)}
	for _, s := range at {
		s.types("clear; git plan demo --no-pause made; echo ended with $?", "Enter")
	}
	for width, s := range at {
		for _, part := range []string{`^✓ budget-lines`, `^✓ over-budget`, `^✓ usage`, `^✓ round 2 `, `^ended with \d+$`} { // a minute for each
			s.ever(part)
		}
		left := strings.Split(strings.TrimSpace(s.tmux("capture-pane", "-p", "-S", "-")), "\n")
		if n := len(left) - 2; n > 84 { // without the last line, and the prompt
			t.Errorf("%d lines are left at %d columns", n, width)
		}
		screen := strings.Join(left, "\n")
		for _, once := range []string{`attempt \d failed`, `high correctness`, `^✓ clean: 4 steps, 2 rounds, 1 fixer commit, `, `the push is stopped`, `^ended with 0$`} {
			s.once(screen, once)
		}
		if width == 100 {
			pictured(t, screen)
		}
	}
}

// pictured compares README's picture with the output of the demo's run, apart from what differs between runs:
// its branch, commits, durations, the order of lines, and what picture.sh gives that run: narrower checks and a price.
func pictured(t *testing.T, screen string) {
	t.Helper()
	svg, err := os.ReadFile(filepath.Join("..", "..", "testdata", "picture", "run.svg"))
	if err != nil {
		t.Fatal(err)
	}
	ofOneRun := regexp.MustCompile(`\b[0-9a-f]{10}\b|\d+:\d\d|\d\.\d+s|\s+\S+ · agent recorded\S* · sandbox bwrap`)
	plain := func(s string) string { return strings.TrimSpace(ofOneRun.ReplaceAllString(s, "_")) }
	drawn := strings.NewReplacer(" -run Budget", "", ", 0.26 USD", ", cost unknown")
	shown := plain(screen)
	last := regexp.MustCompile(`(?m)^<text [^>]*"preserve">(.*)</text>$`) // what is not on the last screen is transparent
	for _, line := range last.FindAllStringSubmatch(string(svg), -1) {
		text := html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(line[1], ""))
		if !strings.Contains(shown, plain(drawn.Replace(text))) {
			t.Errorf("README's picture has %q, which the demo does not print; draw it again: testdata/picture/picture.sh", text)
		}
	}
}

// Enter continues after each text, and Ctrl-C leaves nothing behind.
func TestTheDemoWaitsForEnter(t *testing.T) {
	aDemo(t)
	s := terminalIn(t, t.TempDir(), 80)
	temporary := t.TempDir()
	s.types("clear; TMPDIR="+temporary+" git plan demo", "Enter")
	s.until(`^\[Enter\]$`)
	s.types("", "Enter")
	screen := s.until(`^You read the plan.*\n\[Enter\]$`)
	s.once(screen, `^First, a session .*\n  \$ git plan `) // Enter's own line is gone
	s.types("", "Enter")
	s.until(`is fixed.\n\[Enter\]$`)
	s.types("", "Enter")
	s.until(`^. [a-z-]+: Read budget lines`)
	s.types("", "C-c")
	s.until(`^The demo's folder is removed.\n\s*\$`)
	for _, nothing := range []string{filepath.Join(temporary, "git-plan-demo-*"), filepath.Join(os.Getenv("HOME"), ".local", "*")} {
		if left, _ := filepath.Glob(nothing); len(left) > 0 {
			t.Errorf("it left %s", left)
		}
	}
}

// aDemo lets git find the program; the demo builds a Go program with the existing build cache.
func aDemo(t *testing.T) {
	t.Helper()
	built(t)
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Skip("needs go")
	}
	t.Setenv("GOCACHE", strings.TrimSpace(string(cache)))
	t.Setenv("HOME", t.TempDir())
	repository.CompiledOnce(t)
}
