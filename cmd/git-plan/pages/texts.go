package pages

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/gitplan/settings"
)

// programPage returns git-plan(1), from the same texts as -h: the tables of commands,
// configuration keys and exit codes.
func (m Manual) programPage(r *roffWriter) {
	r.macro("SH", "SYNOPSIS")
	for i, s := range strings.Split(m.App.UsageText, "\n") {
		if i > 0 {
			r.macro("br")
		}
		r.line(`\fB%s\fR`, roff(s))
	}
	r.macro("SH", "DESCRIPTION")
	r.text(manualIntro)
	r.macro("SH", "COMMANDS")
	r.text("Each has a page of its own, such as git-plan-step(1).")
	for _, g := range m.Groups {
		r.macro("SS", g.Title)
		for _, c := range g.Commands {
			r.item(strings.TrimSpace("git plan "+c.Name+" "+c.ArgsUsage), sentence(c.Usage))
		}
	}
	r.markdown(examples())
	r.macro("SH", "CONFIGURATION")
	r.text("Read from git's configuration. <role> is planner, executor, reviewer, verifier or fixer; <name> is a name of your own.")
	for _, k := range settings.Keys {
		text := k.Doc + "."
		if k.Default != "" {
			text += "\nDefault: " + k.Default + "."
		}
		r.item(k.Name, text)
	}
	m.exitStatus(r)
	r.macro("SH", "FILES")
	for _, f := range manualFiles {
		r.item(f[0], f[1])
	}
	r.macro("SH", "SEE ALSO")
	for _, p := range writtenPages() {
		r.text(fmt.Sprintf("%s(%d),", p.Name, p.section))
	}
	r.text("git(1)")
}

func (m Manual) exitStatus(r *roffWriter) {
	r.macro("SH", "EXIT STATUS")
	for _, e := range m.Exits {
		r.item(fmt.Sprint(e.Code), e.Meaning+".")
	}
}

// commandPage returns the page of one command, with its subcommands.
func (m Manual) commandPage(r *roffWriter, c *cli.Command) {
	r.macro("SH", "SYNOPSIS")
	synopsis(r, "git plan", c)
	r.macro("SH", "DESCRIPTION")
	r.text(sentence(c.Usage))
	described(r, c)
	if len(ownFlags(c)) > 0 {
		r.macro("SH", "OPTIONS")
		optionItems(r, c)
	}
	if len(c.Subcommands) > 0 {
		r.macro("SH", "SUBCOMMANDS")
	}
	for _, sub := range c.Subcommands {
		r.macro("SS", strings.TrimSpace(c.Name+" "+sub.Name+" "+sub.ArgsUsage))
		r.text(sentence(sub.Usage))
		described(r, sub)
		optionItems(r, sub)
	}
	m.exitStatus(r)
	r.macro("SH", "SEE ALSO")
	r.text("git-plan(1), gitplan-tutorial(7)")
}

func described(r *roffWriter, c *cli.Command) {
	if c.Description == "" {
		return
	}
	for _, p := range Paragraphs(c.Description) {
		r.macro("PP")
		r.text(p)
	}
}

func sentence(usage string) string { return strings.ToUpper(usage[:1]) + usage[1:] + "." }

func synopsis(r *roffWriter, parent string, c *cli.Command) {
	words := parent + " " + c.Name
	for _, f := range ownFlags(c) {
		names, value, _ := FlagText(f)
		words += " [" + strings.TrimSpace(names[0]+" "+value) + "]"
	}
	if bySelf(c) {
		r.line(`\fB%s\fR`, roff(strings.TrimSpace(words+" "+c.ArgsUsage)))
	}
	for i, sub := range c.Subcommands {
		if i > 0 || bySelf(c) {
			r.macro("br")
		}
		synopsis(r, parent+" "+c.Name, sub)
	}
}

func optionItems(r *roffWriter, c *cli.Command) {
	for _, f := range ownFlags(c) {
		names, value, usage := FlagText(f)
		if s, ok := f.(*cli.StringFlag); ok && s.Value != "" {
			usage += ".\nDefault: " + s.Value
		}
		r.item(strings.TrimSpace(strings.Join(names, ", ")+" "+value), usage+".")
	}
}

const manualIntro = `A plan is a Markdown file of steps, attached to a branch. A strong model or a person writes it, a person approves it, and each step is then done by a fresh session with a clean context, checked by commands, committed as one commit and ticked by the program, never by the agent. After the last step several reviewers judge the branch and a fixer repairs what is confirmed, until a round leaves HEAD where it was. A pre-push hook is the gate.`

var manualFiles = [][2]string{
	{"refs/plans/<plan>", "the plan and everything that happened to it."},
	{"refs/plan-attempts/", "what unfinished sessions left."},
	{"branch.<name>.plan", "which plan a branch has."},
	{"<common dir>/plan/", "locks and transcripts of this clone."},
	{"~/.local/state/git-plan/", "its approvals and verdicts, and which events of plans it knows (or below `$XDG_STATE_HOME`)."},
}
