package pages

import (
	"os"
	"path/filepath"
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

func source(t *testing.T, m Manual, asked string) string {
	t.Helper()
	p, ok := m.Page(asked)
	if !ok {
		t.Fatalf("there is no page %q", asked)
	}
	var out strings.Builder
	if err := p.write(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// Each page says what its command, its options and its exit codes are, in the form of man(7).
func TestPagesAreMadeOfTheTables(t *testing.T) {
	m := small()
	for asked, want := range map[string][]string{
		"":         {`.TH "GIT\-PLAN" "1" "2026-01-02" "git-plan 1.2\-rc" "Git Plan Manual"`, `\fBgit plan <command>\fR`, ".br", `.SS "Work"`, `\fBgit plan show [<step>]\fR`, "Print a step.", `.SH "EXIT STATUS"`, `\fB3\fR`, "a step failed.", "gitplan\\-tutorial(7),", "plan.agent"},
		"show":     {`\fBgit plan show [\-\-format FORM] [<step>]\fR`, "One line, and its second.", `\&.dotted text`, `\fB\-\-format, \-f FORM\fR`, "in FORM.", "Default: md."},
		"hooks":    {`.TH "GITPLAN\-HOOKS" "7"`}, // the written page comes before the one of the command
		"tutorial": {`.TH "GITPLAN\-TUTORIAL" "7"`, ".nf", ".fi"},
		"format":   {`.TH "GITPLAN\-FORMAT" "5"`},
	} {
		page := source(t, m, asked)
		for _, text := range want {
			if !strings.Contains(page, text) {
				t.Errorf("%q lacks %s", asked, text)
			}
		}
	}
	if page := source(t, m, "git-plan-hooks"); !strings.Contains(page, `.SS "hooks install [<hook>]"`) || !strings.Contains(page, `\fBgit plan hooks install [\-\-force] [<hook>]\fR`) {
		t.Errorf("the subcommand is missing:\n%s", page)
	}
	if _, ok := m.Page("hook"); ok {
		t.Error("a hidden command has a page")
	}
}

func TestInstalledPagesHaveTheirSection(t *testing.T) {
	dir := t.TempDir()
	if err := small().Install(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"man1/git-plan.1", "man1/git-plan-show.1", "man5/gitplan-format.5", "man7/gitplan-tutorial.7"} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.HasPrefix(string(text), ".TH ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(Topics()) < 8 {
		t.Errorf("topics: %q", Topics())
	}
}

// Markdown becomes macros, and no line of a text is taken for one.
func TestMarkdownInRoff(t *testing.T) {
	var out strings.Builder
	r := &roffWriter{&out}
	r.markdown([]byte("## A title\n\nFirst. Second with `code` and *stress*\nover lines.\n\n### Below\n\n- one\n- 'two'\n\n```sh\n.git is here\n\na <<EOF\n```\n"))
	want := ".SH \"A TITLE\"\nFirst.\nSecond with \\fBcode\\fR and \\fIstress\\fR over lines.\n.SS \"Below\"\n.IP \\(bu 2\none\n.IP \\(bu 2\n\\&'two'\n" +
		".PP\n.RS \"4\"\n.in 0\n.nf\n\\&.git is here\n\\&\na <<EOF\n.fi\n.RE\n"
	if out.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", out.String(), want)
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

// Without man a page is laid out as man does it, and no macro or escape is left in it.
func TestAPageWithoutMan(t *testing.T) {
	var out strings.Builder
	r := &roffWriter{&out}
	r.markdown([]byte("## A title\n\nFirst `code` with a long line " + strings.Repeat("of words ", 12) + "\n\n- one\n- two\n\n```sh\ngit plan \\\n  -x\n```\n"))
	want := "\nA TITLE\n" +
		"       First code with a long line of words of words of words of words of\n" +
		"       words of words of words of words of words of words of words of words\n" +
		"       - one\n       - two\n\n" +
		"           git plan \\\n             -x\n\n\n"
	if got := plainText(out.String()); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	t.Setenv("PATH", t.TempDir()) // no man is there
	for asked, want := range map[string]string{
		"":     "                  Git Plan Manual                  ",
		"show": "\nOPTIONS\n       --format, -f FORM\n              in FORM. Default: md.\n",
	} {
		p, _ := small().Page(asked)
		out.Reset()
		if err := p.Show(t.Context(), &out); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), want) || strings.Contains(out.String(), `\f`) || strings.Contains(out.String(), "\n.") {
			t.Errorf("%q:\n%.900s", asked, out.String())
		}
	}
}
