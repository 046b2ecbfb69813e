package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// Each page lists its command, options and exit codes.
func TestPagesListCommandsAndOptions(t *testing.T) {
	app := newApp(commands()...)
	for asked, want := range map[string][]string{
		"":               {"## NAME\n\ngit-plan - have coding", "`git plan [-C <dir>] <command>", "### Work", "`git plan show [<step>]`\n: Print the plan", "## EXIT STATUS", "`3`\n: a step failed", "gitplan-tutorial(7),", "plan.agent"},
		"export":         {"`git plan export [--format FORMAT] [-o PATH]`", "is not overwritten.", "`--format FORMAT`\n: FORMAT: md", "Default: md."},
		"hooks":          {"## NAME\n\ngitplan-hooks - "}, // the written page comes before the one of the command
		"tutorial":       {"## NAME\n\ngitplan-tutorial - ", "```sh"},
		"git-plan-hooks": {"### `hooks install`", "`git plan hooks install [--dry-run]`"},
		"gitplan-agents": {"gitplan-agents - "},
	} {
		p, ok := pageOf(app, asked)
		for _, text := range want {
			if page := p.markdown(); !ok || !strings.Contains(page, text) {
				t.Errorf("%q lacks %s", asked, text)
			}
		}
	}
	for _, c := range app.Commands {
		if shown := len(examples(c)); !c.Hidden && shown < 2 && (shown < 1 || c.ArgsUsage != "" || len(ownFlags(c)) > 0) {
			t.Errorf("the page of %s has %d examples", c.Name, shown)
		}
	}
	for _, p := range allPages(app) {
		var out strings.Builder
		p.fold(&out, 80)
		for line := range strings.Lines(out.String()) {
			if strings.Contains(line, "`") && !strings.HasPrefix(line, "        ") {
				t.Errorf("%s has marks of Markdown: %s", p.name, line)
			}
			if len([]rune(line)) > 81 && !strings.HasPrefix(line, "        ") && line[0] != '|' && strings.Contains(strings.TrimSpace(line), " ") {
				t.Errorf("%s: %s", p.name, line)
			}
		}
		marks := regexp.MustCompile("(?m)^ *(```.*|#+ )|`|\\\\") // of headings, code and what is no mark
		words := func(s string) string { return strings.Join(strings.Fields(marks.ReplaceAllString(s, "")), " ") }
		if !strings.HasPrefix(out.String(), "NAME\n\n    "+p.name) {
			t.Errorf("%s begins with %.40q", p.name, out.String())
		}
		if words(out.String()) != words(p.markdown()) {
			t.Errorf("%s has other words", p.name)
		}
	}
	var first strings.Builder // screen of a terminal
	p, _ := pageOf(app, "")
	p.fold(&first, 80)
	for _, want := range []string{"git plan run ", "git plan undo ", "git plan man tutorial. ", "sandbox, statistics"} {
		if screen := strings.Join(strings.SplitN(first.String(), "\n", 24)[:23], "\n"); !strings.Contains(screen, want) {
			t.Errorf("the first 23 lines of git-plan(1) lack %q:\n%s", want, screen)
		}
	}
	if _, ok := pageOf(app, "hook"); ok {
		t.Error("a hidden command has a page")
	}
	if names := strings.Join(topics(), ", "); !strings.Contains(strings.Join(paragraphs(descriptionOf("man")), " "), names+" (") {
		t.Errorf("the page of man does not name all of %s", names)
	}
}

// -h fits 80 columns: long text continues below its option.
func TestHelpIsFolded(t *testing.T) {
	show := &cli.Command{Name: "show", Usage: "print a step", ArgsUsage: "[<step>]", Flags: []cli.Flag{&cli.BoolFlag{Name: "long", Usage: strings.Repeat("many words ", 20)}}}
	hooks := &cli.Command{Name: "hooks", Subcommands: []*cli.Command{{Name: "install"}}}
	print := helpPrinter(func() []group { return []group{{Title: "Work", Commands: []*cli.Command{show}}} })
	for template, want := range map[string]string{appHelp: "show        print a step", cli.CommandHelpTemplate: "--long"} {
		var out strings.Builder
		var data any = &cli.App{Name: "git-plan", HelpName: "git plan", Usage: "work", UsageText: "git plan"}
		if template != appHelp {
			data = show
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
	if got := synopsis("git plan hooks", hooks); got != "git plan hooks <command> [<options>]" {
		t.Error(got)
	}
	if got := synopsis("git plan show", show); got != "git plan show [<options>] [<step>]" {
		t.Error(got)
	}
}

func TestOptionsThatTakeAValue(t *testing.T) {
	flags := []cli.Flag{&cli.BoolFlag{Name: "json"}, &cli.StringFlag{Name: "m"}, &cli.IntFlag{Name: "limit"}}
	for word, want := range map[string]bool{"--json": false, "-m": true, "--limit": true, "--limit=3": false, "--other": false} {
		if got := takesValue(flags, word); got != want {
			t.Errorf("%s: %v", word, got)
		}
	}
}
