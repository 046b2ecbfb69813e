package main

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// program is an app with some of the commands of git plan, which records their arguments.
func program() *cli.App {
	no := func(*cli.Context) error { return nil }
	yes := &cli.BoolFlag{Name: "yes"}
	return &cli.App{Name: "git-plan", Writer: io.Discard, Flags: []cli.Flag{&cli.StringFlag{Name: "C"}}, Commands: []*cli.Command{
		{Name: "new", Action: no, Flags: []cli.Flag{&cli.StringFlag{Name: "base"}, yes}},
		{Name: "run", Action: no, Flags: []cli.Flag{&cli.IntFlag{Name: "jobs", Aliases: []string{"j"}}}},
		{Name: "status", Action: no}, {Name: "stop", Action: no}, {Name: "hidden", Action: no, Hidden: true},
		{Name: "hooks", Action: no, Subcommands: []*cli.Command{{Name: "install", Action: no, Flags: []cli.Flag{&cli.BoolFlag{Name: "repo"}}}}},
	}}
}

// Options may be anywhere, as in git; a quoted goal needs no command.
func TestOptionsMayBeAnywhere(t *testing.T) {
	for typed, want := range map[string]string{
		"": "", "run": "run", "run b --jobs 2": "run --jobs 2 b", "run b -j 2 c": "run -j 2 b c", "run b -j2": "run -j 2 b", "run -j=2 b": "run -j=2 b", "run -jobs 2": "run -jobs 2", "run b --jobs=2": "run --jobs=2 b", "run b -- --jobs": "run b -- --jobs",
		"-C dir run b -j 2": "-C dir run -j 2 b", "hooks install x --repo": "hooks install --repo x", "run b -h": "run -h", "run -": "run -", "new goal --base": "new --base= goal",
		"'say hello'": "new 'say hello'", "'say hello' --base main": "new --base main 'say hello'", "-C dir 'say hello' --yes": "-C dir new --yes 'say hello'",
		"stauts --all": "stauts --all", "hello": "hello", "say hello": "say hello", "--yes": "--yes",
	} {
		got := arrange(program(), append([]string{"git-plan"}, split(typed)...))
		if want := append([]string{"git-plan"}, split(want)...); strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%s: %q", typed, got)
		}
	}
}

// split splits words like a shell, with '...' for one that has blanks.
func split(line string) (out []string) {
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			out = append(out, part)
			continue
		}
		out = append(out, strings.Fields(part)...)
	}
	return out
}

// A typo gets the command that was probably meant, and several words a quoted goal.
func TestSuggestedCommands(t *testing.T) {
	for typed, want := range map[string]string{
		"stauts --all": "did you mean status? => git plan status --all",
		"stoopp":       "did you mean stop? => git plan stop",
		"stopp":        "did you mean stop? => git plan stop",
		"hiden":        `not a git plan command => see the commands: git plan help -a; for a goal of one word: git plan new hiden`,
		"add a flag":   `a goal is one argument: put it in quotes => git plan "add a flag"`,
		"diff hours":   `not a git plan command => git diff main...; of a step: git show COMMIT; of work that was not committed: git plan attempts show STEP`,
	} {
		if w := unknownCommand(program(), split(typed)); !strings.HasSuffix(w.Text+" => "+w.Hint, want) {
			t.Errorf("%s: %s => %s", typed, w.Text, w.Hint)
		}
	}
}

// An error about an option names the option as it was typed.
func TestErrorsOfOptions(t *testing.T) {
	for _, c := range [][2]string{
		{"run --jbos 2", "unknown option --jbos; did you mean --jobs?"}, {"run --nothing", "unknown option --nothing"}, {"run -x", "unknown option -x"},
		{"run --jobs", "option --jobs needs a value"}, {"run -j x", `-j takes a number, not "x"`}, {"new --yes=maybe", "--yes takes no value"},
	} {
		app := program()
		var got error = errors.New("taken")
		for _, command := range app.Commands {
			command.OnUsageError = func(ctx *cli.Context, err error, sub bool) error {
				got = usageError(ctx, err, sub)
				return got
			}
		}
		_ = app.Run(append([]string{"git-plan"}, split(c[0])...))
		if got.Error() != c[1] {
			t.Errorf("%s: %v", c[0], got)
		}
	}
}
