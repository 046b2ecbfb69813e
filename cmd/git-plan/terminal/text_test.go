package terminal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A table that fits is printed in columns under its head; a wider one is folded row by row.
func TestTableFitsItsWidth(t *testing.T) {
	for _, c := range []struct {
		width int
		head  [][]string
		want  string
	}{
		{Endless, nil, "executor  12  claude, opus\n予算      3\n"},
		{80, [][]string{{"role", "sessions", "agents"}}, "role      sessions  agents\nexecutor  12        claude, opus\n予算      3\n"},
		{20, [][]string{{"role", "sessions", "agents"}}, "role      sessions\n    agents\nexecutor  12\n    claude, opus\n予算      3\n"},
		{12, nil, "executor  12\n    claude,\n        opus\n予算      3\n"},
	} {
		var out strings.Builder
		if err := Table(&out, c.width, append(c.head, []string{"executor", "12", "claude, opus"}, []string{"予算", "3", ""})); err != nil {
			t.Fatal(err)
		}
		got := ""
		for line := range strings.Lines(out.String()) {
			got += strings.TrimRight(line, " \n") + "\n"
		}
		if got != c.want {
			t.Errorf("at %d columns:\n%swant:\n%s", c.width, got, c.want)
		}
	}
}

// Text is cut between grapheme clusters, and by columns.
func TestTextIsCutByColumns(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"ledger", 6, "ledger"}, {"ledger", 5, "ledg…"}, {"ledger", 1, "…"}, {"ledger", 0, ""},
		{"予算を", 6, "予算を"}, {"予算を", 5, "予算…"}, {"予算を", 4, "予…"}, {"🎉🎉", 3, "🎉…"}, {"e\u0301e\u0301e\u0301", 2, "e\u0301…"},
	} {
		if got := Cut(c.text, c.width); got != c.want {
			t.Errorf("Cut(%q, %d) is %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

// Colours follow color.ui; without it a file that is not a terminal has none.
func TestColorsFollowGit(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	const diff = "keep [-out-]{+in+} [x]"
	for ui, want := range map[string]string{
		"": diff, "auto": diff, "never": diff, "false": diff,
		"always": "keep \x1b[31m[-out-]\x1b[m\x1b[32m{+in+}\x1b[m [x]",
	} {
		if got := ColorsOf(file, ui).Words(diff); got != want {
			t.Errorf("color.ui %q: %q", ui, got)
		}
	}
	if got := (Colors{true}).Diff("+++ b/x") + (Colors{true}).Diff("+x") + (Colors{}).Diff("-x"); got != "\x1b[1m+++ b/x\x1b[m\x1b[32m+x\x1b[m-x" {
		t.Errorf("%q", got)
	}
}

// A long line continues below itself, indented further; a word that is too wide stays whole.
func TestLineIsFolded(t *testing.T) {
	for _, c := range []struct {
		width       int
		text, whole string
	}{
		{Endless, "  one two three", "  one two three\n"},
		{10, "one two three", "one two\n    three\n"},
		{10, "  one two three", "  one two\n      three\n"},
		{6, "one incomprehensible two", "one\n    incomprehensible\n    two\n"},
		{8, "予算を 立てる", "予算を\n    立てる\n"},
		{10, "a\nb", "a\nb\n"},
		{24, "hint: go on: git plan step; or stop", "hint: go on: git plan\n    step; or stop\n"},                // a part is too wide
		{30, "hint: git plan log a b; see: git plan show", "hint: git plan log a b; \n    see: git plan show\n"}, // a command stays whole
	} {
		var out strings.Builder
		FoldText(&out, c.width, c.text+"\n")
		if got := out.String(); got != c.whole {
			t.Errorf("%q at %d columns: %q, want %q", c.text, c.width, got, c.whole)
		}
	}
}

// No argument of a line drives the terminal or adds a line; painted text is printed as it is.
func TestLinesAreEscaped(t *testing.T) {
	var out strings.Builder
	type named string
	Say(&out, "%s %s %v %d %s", "a\x1b[2J", named("b\nc"), errors.New("d\u202e"), 3, Colors{true}.Good("\x1be"))
	if got, want := out.String(), "a\\u001b[2J b c d\\u202e 3 \x1b[32m\\u001be\x1b[m\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// No part of a text that a person is to approve is invisible, or drives the terminal.
func TestApprovedTextIsVisible(t *testing.T) {
	hidden := "harmless" + strings.Repeat(" ", 3000) + "\x1b[8mrm -rf ~"
	got := Readable(hidden)
	if strings.Contains(got, "\x1b") || strings.Contains(got, strings.Repeat(" ", 100)) || !strings.Contains(got, "rm -rf ~") {
		t.Errorf("%q", got)
	}
	if f, err := os.Create(t.TempDir() + "/file"); err != nil || Is(f) || Width(f) != Endless {
		t.Errorf("a file counts as a terminal, %v", err)
	} else {
		f.Close()
	}
}
