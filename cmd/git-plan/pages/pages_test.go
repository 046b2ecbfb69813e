package pages

import (
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// small is the manual of a program with two commands.
func small() Manual {
	hooks := &cli.Command{Name: "hooks", Usage: "put git's hooks there", Subcommands: []*cli.Command{
		{Name: "install", Usage: "write them", ArgsUsage: "[<hook>]", Flags: []cli.Flag{&cli.BoolFlag{Name: "force", Usage: "again"}}},
	}}
	show := &cli.Command{Name: "show", Usage: "print a step", ArgsUsage: "[<step>]", Description: "One line,\nand its second.\n\n.dotted text",
		Flags: []cli.Flag{&cli.StringFlag{Name: "format", Aliases: []string{"f"}, Value: "md", Usage: "in `FORM`"}}}
	app := &cli.App{Name: "git-plan", HelpName: "git plan", Usage: "work through a plan", UsageText: "git plan <command>\ngit plan \"goal\"",
		Commands: []*cli.Command{show, hooks, {Name: "hook", Hidden: true}}}
	return Manual{App: app, Groups: []Group{{Title: "Work", Commands: []*cli.Command{show}}}, Exits: []ExitCode{{Code: 3, Meaning: "a step failed"}}, Version: "1.2-rc", Day: "2026-01-02"}
}

// Each page says what its command, its options and its exit codes are.
func TestPagesAreMadeOfTheTables(t *testing.T) {
	m := small()
	for asked, want := range map[string][]string{
		"":         {"## NAME\n\ngit-plan - work through a plan\n", "`git plan <command>`", "### Work", "`git plan show [<step>]`\n: Print a step.", "## EXIT STATUS", "`3`\n: a step failed.", "gitplan-tutorial(7),", "plan.agent"},
		"show":     {"`git plan show [--format FORM] [<step>]`", "One line, and its second.", "`--format, -f FORM`\n: in FORM. Default: md."},
		"hooks":    {"## NAME\n\ngitplan-hooks - "}, // the written page comes before the one of the command
		"tutorial": {"## NAME\n\ngitplan-tutorial - ", "```sh"},
	} {
		p, ok := m.Page(asked)
		for _, text := range want {
			if page := p.markdown(); !ok || !strings.Contains(page, text) {
				t.Errorf("%q lacks %s", asked, text)
			}
		}
	}
	p, _ := m.Page("git-plan-hooks")
	if page := p.markdown(); !strings.Contains(page, "### `hooks install [<hook>]`") || !strings.Contains(page, "`git plan hooks install [--force] [<hook>]`") {
		t.Errorf("the subcommand is missing:\n%s", page)
	}
	if _, ok := m.Page("hook"); ok {
		t.Error("a hidden command has a page")
	}
}

func TestTopics(t *testing.T) {
	if len(Topics()) < 8 {
		t.Errorf("topics: %q", Topics())
	}
}

// -h fits 80 columns: what is long goes on below its option.
func TestHelpIsFolded(t *testing.T) {
	m := small()
	m.App.Commands[0].Flags = append(m.App.Commands[0].Flags, &cli.BoolFlag{Name: "long", Usage: strings.Repeat("many words ", 20)})
	print := HelpPrinter(func() []Group { return m.Groups })
	for template, want := range map[string]string{AppHelp: "show        print a step", cli.CommandHelpTemplate: "--long"} {
		var out strings.Builder
		var data any = m.App
		if template != AppHelp {
			data = m.App.Commands[0]
		}
		print(&out, template, data)
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, out.String())
		}
		for line := range strings.Lines(out.String()) {
			if len(line) > 81 {
				t.Errorf("%d columns: %s", len(line), line)
			}
		}
	}
	if got := Synopsis("git plan hooks", m.App.Commands[1]); got != "git plan hooks <command> [<options>]" {
		t.Error(got)
	}
	if got := Synopsis("git plan show", m.App.Commands[0]); got != "git plan show [<options>] [<step>]" {
		t.Error(got)
	}
}

func TestTheWordAfterAnOption(t *testing.T) {
	flags := []cli.Flag{&cli.BoolFlag{Name: "json"}, &cli.StringFlag{Name: "m"}, &cli.IntFlag{Name: "limit"}}
	for word, want := range map[string]bool{"--json": false, "-m": true, "--limit": true, "--limit=3": false, "--other": false} {
		if got := TakesValue(flags, word); got != want {
			t.Errorf("%s: %v", word, got)
		}
	}
}
