package pages

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// programPage returns git-plan(1), from the same texts as -h: the tables of commands, configuration
// keys and exit codes.
func (m Manual) programPage() string {
	var b strings.Builder
	b.WriteString("## SYNOPSIS\n\n")
	for line := range strings.Lines(m.App.UsageText) {
		fmt.Fprintf(&b, "`%s`\n\n", strings.TrimSpace(line))
	}
	b.WriteString("## DESCRIPTION\n\n" + manualIntro + "\n\n## COMMANDS\n\nEach has a page of its own, such as git-plan-step(1).\n\n")
	for _, g := range m.Groups {
		fmt.Fprintf(&b, "### %s\n\n", g.Title)
		for _, c := range g.Commands {
			item(&b, strings.TrimSpace("git plan "+c.Name+" "+c.ArgsUsage), sentence(c.Usage))
		}
	}
	_, shown := writtenText(examples)
	b.WriteString(shown + "\n## CONFIGURATION\n\nRead from git's configuration. `<role>` is planner, executor, reviewer, verifier or fixer; `<name>` is a name of your own.\n\n")
	for _, k := range settings.Keys {
		text := k.Doc + "."
		if k.Default != "" {
			text += " Default: " + k.Default + "."
		}
		item(&b, k.Name, text)
	}
	m.exitStatus(&b)
	b.WriteString("## FILES\n\n")
	for _, f := range manualFiles {
		item(&b, f[0], f[1])
	}
	b.WriteString("## SEE ALSO\n\n")
	for _, p := range writtenPages() {
		fmt.Fprintf(&b, "%s(%d), ", p.Name, p.section)
	}
	b.WriteString("git(1)\n")
	return b.String()
}

func (m Manual) exitStatus(b *strings.Builder) {
	b.WriteString("## EXIT STATUS\n\n")
	for _, e := range m.Exits {
		item(b, fmt.Sprint(e.Code), e.Meaning+".")
	}
}

// commandPage returns the page of one command, with its subcommands.
func (m Manual) commandPage(c *cli.Command) string {
	var b strings.Builder
	b.WriteString("## SYNOPSIS\n\n")
	synopsis(&b, "git plan", c)
	b.WriteString("## DESCRIPTION\n\n")
	described(&b, c)
	if len(ownFlags(c)) > 0 {
		b.WriteString("## OPTIONS\n\n")
		optionItems(&b, c)
	}
	if len(c.Subcommands) > 0 {
		b.WriteString("## SUBCOMMANDS\n\n")
	}
	for _, sub := range c.Subcommands {
		fmt.Fprintf(&b, "### `%s`\n\n", strings.TrimSpace(c.Name+" "+sub.Name+" "+sub.ArgsUsage))
		described(&b, sub)
		optionItems(&b, sub)
	}
	m.exitStatus(&b)
	b.WriteString("## SEE ALSO\n\ngit-plan(1), gitplan-tutorial(7)\n")
	return b.String()
}

func described(b *strings.Builder, c *cli.Command) {
	b.WriteString(prose(sentence(c.Usage)) + "\n\n")
	if c.Description == "" {
		return
	}
	for _, p := range Paragraphs(c.Description) {
		b.WriteString(prose(p) + "\n\n")
	}
}

func sentence(usage string) string { return strings.ToUpper(usage[:1]) + usage[1:] + "." }

func synopsis(b *strings.Builder, parent string, c *cli.Command) {
	words := parent + " " + c.Name
	for _, f := range ownFlags(c) {
		names, value, _ := FlagText(f)
		words += " [" + strings.TrimSpace(names[0]+" "+value) + "]"
	}
	if bySelf(c) {
		fmt.Fprintf(b, "`%s`\n\n", strings.TrimSpace(words+" "+c.ArgsUsage))
	}
	for _, sub := range c.Subcommands {
		synopsis(b, parent+" "+c.Name, sub)
	}
}

func optionItems(b *strings.Builder, c *cli.Command) {
	for _, f := range ownFlags(c) {
		names, value, usage := FlagText(f)
		if s, ok := f.(*cli.StringFlag); ok && s.Value != "" {
			usage += ". Default: " + s.Value
		}
		item(b, strings.TrimSpace(strings.Join(names, ", ")+" "+value), usage+".")
	}
}

// item writes a term with what it means.
func item(b *strings.Builder, term, meaning string) {
	fmt.Fprintf(b, "`%s`\n: %s\n\n", term, prose(meaning))
}

// placeholder matches <name>, which Markdown would take for HTML.
var placeholder = visible.NewPattern("<[a-z ]+>")

// prose returns a text of the program as Markdown.
func prose(text string) string {
	text = strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "*", `\*`)
	return placeholder.ReplaceAllString(text, "`$0`")
}

const manualIntro = `A plan is a Markdown file of steps, attached to a branch. A strong model or a person writes it, a person approves it, and each step is then done by a fresh session with a clean context, checked by commands, committed as one commit and ticked by the program, never by the agent. After the last step several reviewers judge the branch and a fixer repairs what is confirmed, until a round leaves HEAD where it was. A pre-push hook is the gate.`

var manualFiles = [][2]string{
	{"refs/plans/<plan>", "the plan and everything that happened to it."},
	{"refs/plan-attempts/", "what unfinished sessions left."},
	{"branch.<name>.plan", "which plan a branch has."},
	{"<common dir>/plan/", "locks and transcripts of this clone."},
	{"~/.local/state/git-plan/", "its approvals and verdicts, and which events of plans it knows (or below `$XDG_STATE_HOME`)."},
}
