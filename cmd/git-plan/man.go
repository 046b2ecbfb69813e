package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/gitplan"
)

func manCommand() *cli.Command {
	return &cli.Command{
		Name: "man", Usage: "print the manual page (make install puts it where git plan --help finds it)",
		Action: func(c *cli.Context) error { return writeManual(c.App.Writer, c.App) },
	}
}

// writeManual writes the page from the same texts as -h: the table of
// commands, of configuration keys, and of exit codes.
func writeManual(w io.Writer, app *cli.App) error {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line(`.TH GIT-PLAN 1 "" "git-plan %s" "Git Manual"`, roff(versionText()))
	line(".SH NAME\ngit\\-plan \\- %s", roff(app.Usage))
	line(".SH SYNOPSIS")
	for _, s := range strings.Split(app.UsageText, "\n") {
		line("\\fB%s\\fR\n.br", roff(s))
	}
	line(".SH DESCRIPTION\n%s", roff(manualIntro))
	line(".SH COMMANDS")
	for _, c := range app.Commands {
		if c.Hidden {
			continue
		}
		manualCommand(line, "git plan", c)
	}
	line(".SH CONFIGURATION\nRead from git's configuration. <role> is planner, executor, reviewer, verifier or fixer; <name> is a name of your own.")
	for _, k := range gitplan.Keys {
		line(".TP\n.B %s\n%s.", roff(k.Name), roff(k.Doc))
		if k.Default != "" {
			line("Default: %s.", roff(k.Default))
		}
	}
	line(".SH EXIT CODES")
	for _, e := range exitCodes {
		line(".TP\n.B %d\n%s.", e.code, roff(e.meaning))
	}
	line(".SH FILES\n%s", roff(manualFiles))
	_, err := io.WriteString(w, b.String())
	return err
}

func manualCommand(line func(string, ...any), parent string, c *cli.Command) {
	name := parent + " " + c.Name
	if len(c.Subcommands) > 0 {
		for _, sub := range c.Subcommands {
			manualCommand(line, name, sub)
		}
		return
	}
	line(".TP\n.B %s\n%s.", roff(strings.TrimSpace(name+" "+c.ArgsUsage)), roff(c.Usage))
	if c.Description != "" {
		line("%s", roff(strings.ReplaceAll(c.Description, "\n", " ")))
	}
	for _, f := range c.VisibleFlags() {
		names, usage := flagText(f)
		line(".RS\n.TP\n.B %s\n%s.\n.RE", roff(names), roff(usage))
	}
}

// flagText is a flag as -h shows it: its names, with the placeholder that its
// usage holds between back quotes.
func flagText(f cli.Flag) (names, usage string) {
	for _, n := range f.Names() {
		dashes := "--"
		if len(n) == 1 {
			dashes = "-"
		}
		if names != "" {
			names += ", "
		}
		names += dashes + n
	}
	if d, ok := f.(cli.DocGenerationFlag); ok {
		usage = d.GetUsage()
	}
	if _, value, ok := strings.Cut(usage, "`"); ok {
		value, _, _ = strings.Cut(value, "`")
		names += " " + value
	}
	return names, strings.ReplaceAll(usage, "`", "")
}

// roff escapes a text for a manual page.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return strings.ReplaceAll(s, "\n.", "\n\\&.")
}

const manualIntro = `A plan is a Markdown file of steps, attached to a branch. A strong model or a person writes it, a person approves it, and each step is then done by a fresh session with a clean context, checked by commands, committed as one commit and ticked by the program, never by the agent. After the last step several reviewers judge the branch and a fixer repairs what is confirmed, until a round leaves HEAD where it was. A pre-push hook is the gate.`

const manualFiles = `refs/plans/<plan>: the plan and everything that happened to it. refs/plan-attempts/: what unfinished sessions left. branch.<name>.plan: which plan a branch has. <common dir>/plan/: approvals, locks, transcripts and verdicts of this clone.`
