package main

import (
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// Candidates at a position: commands, options, and values of a placeholder.
func TestCandidatesForWords(t *testing.T) {
	app := &cli.App{Commands: []*cli.Command{
		{Name: "reopen", Usage: "reopen steps", ArgsUsage: "<step>..."},
		{Name: "show", Usage: "print a step", ArgsUsage: "[<step>]", Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "for programs"},
			&cli.StringFlag{Name: "only", Usage: "`STEP` by step"},
			&cli.StringFlag{Name: "F", Usage: "read `FILE`"},
		}},
		{Name: "answer", ArgsUsage: "<step>|<finding> [<text>]"},
		{Name: "status", Usage: "how far it is"},
		{Name: "hooks", Subcommands: []*cli.Command{{Name: "install", Usage: "put them there"}}},
		{Name: "complete", Hidden: true},
	}}
	steps := func(kind string, _ []string) []candidate {
		if kind != "step" {
			return nil
		}
		return []candidate{{word: "hello", about: "Write: hello"}, {word: "bye"}, {word: "$(rm)"}, {word: "h\u009b2J"}}
	}
	for _, c := range []struct{ shell, words, want string }{
		{"bash", "s", "show status"},
		{"bash", "", "reopen show answer status hooks"},
		{"fish", "st", "status\thow far it is"},
		{"zsh", "show h", "hello:Write: hello"},
		{"bash", "show ", "hello bye"}, // what bash would interpret is omitted
		{"bash", "reopen hello b", "bye"},
		{"bash", "answer b", "bye"}, // the first of what it takes
		{"fish", "show $", "$(rm)"},
		{"bash", "show --", "--json --only"},
		{"bash", "show -", "--json --only -F"},
		{"bash", "show --only h", "hello"},
		{"bash", "show -F ", ""}, // the shell's own: files
		{"bash", "show --json h", "hello"},
		{"bash", "hooks i", "install"},
		{"bash", "nothing ", ""},
	} {
		var out strings.Builder
		complete(&out, app, c.shell, strings.Split(c.words, " "), steps)
		if got := strings.Join(strings.Split(strings.TrimSpace(out.String()), "\n"), " "); got != c.want {
			t.Errorf("%s %q: %q, want %q", c.shell, c.words, got, c.want)
		}
	}
}
