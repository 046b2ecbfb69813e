package main

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/visible"
)

type page struct {
	name, about string
	section     int
	body        string
}

// writtenPages has gitplan-NAME.SECTION.md, whose first heading is "NAME - what it is about", and
// git-plan.1.md, the examples of git-plan(1).
//
//go:embed pages/*.md
var writtenPages embed.FS

const examplesPage = "git-plan.1.md"

func written() (out []page) {
	files, _ := writtenPages.ReadDir("pages")
	for _, f := range files {
		if f.Name() != examplesPage {
			title, body := writtenText(f.Name())
			p := page{body: body}
			p.name, p.about, _ = strings.Cut(title, " - ")
			fmt.Sscanf(strings.TrimPrefix(f.Name(), p.name), ".%d.md", &p.section)
			out = append(out, p)
		}
	}
	return out
}

// writtenText returns a written page's title and the text below it.
func writtenText(name string) (title, body string) {
	source, _ := writtenPages.ReadFile("pages/" + name)
	title, body, _ = strings.Cut(strings.TrimPrefix(string(source), "# "), "\n")
	return title, strings.TrimSpace(body) + "\n"
}

// allPages returns the hand-written pages, which hide generated ones of the same name, and all others.
func allPages(app *cli.App) []page {
	out := append(written(), page{"git-plan", app.Usage, 1, programPage(app)})
	for _, c := range app.Commands {
		if !c.Hidden {
			out = append(out, page{"git-plan-" + c.Name, c.Usage, 1, commandPage(c)})
		}
	}
	return out
}

// pageOf returns the page of a name, with or without git-plan- or gitplan-; git-plan(1) without a name.
func pageOf(app *cli.App, name string) (page, bool) {
	for _, p := range allPages(app) {
		if name == p.name || "git-plan-"+name == p.name || "gitplan-"+name == p.name || name == "" && p.name == "git-plan" {
			return p, true
		}
	}
	return page{}, false
}

func (p page) markdown() string {
	return fmt.Sprintf("## NAME\n\n%s - %s\n\n%s", p.name, p.about, p.body)
}

// roff returns a page as man reads it; nil without the build tag manual, since its renderer is slow to initialise.
var roff func(page) []byte

// show shows a page by man, if that is installed, else folded in the pager; a program gets the Markdown.
func (p page) show(ctx context.Context, w io.Writer) error {
	if man, inTree, ok := proc.FindOutside("man"); ok && !inTree && terminal.Is(os.Stdout) {
		cmd := proc.Cmd{Name: man, Args: []string{"-w", p.name}, Env: terminal.PagerEnvironment(),
			Stdout: io.Discard, Stderr: io.Discard}
		if there, err := proc.Run(ctx, cmd); err == nil && there.OK() {
			signal.Ignore(os.Interrupt) // it is for the pager
			cmd.Args, cmd.Stdin, cmd.Stdout, cmd.Stderr = cmd.Args[1:], os.Stdin, os.Stdout, os.Stderr
			_, err := proc.Run(context.WithoutCancel(ctx), cmd)
			return err
		}
	}
	if !terminal.Is(os.Stdout) {
		_, err := io.WriteString(w, p.markdown())
		return err
	}
	print := func(w io.Writer) error {
		p.fold(w, terminal.Width(os.Stdout))
		return nil
	}
	if pager := terminal.Pager("", false); pager != "" {
		return terminal.Page(ctx, pager, print)
	}
	return print(w)
}

// fold prints the page as man does, with its paragraphs folded; code and tables keep their lines.
func (p page) fold(w io.Writer, width int) {
	marks, colors := strings.NewReplacer("`", "", `\*`, "*"), terminal.ColorsOf(os.Stdout, "")
	paragraph, indent, code := "", 0, false
	for line := range strings.Lines(p.markdown() + "\n") {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "```") { // blank lines are around it
			code = !code
			continue
		}
		if code {
			terminal.Println(w, "        "+line)
			continue
		}
		line = marks.Replace(line)
		item := strings.HasPrefix(line, "- ") || strings.HasPrefix(line, ": ")
		text := line != "" && line[0] != '|' && line[0] != '#'
		if paragraph != "" && (item || !text) {
			terminal.Fold(w, width, indent, "    %s", paragraph)
			paragraph = ""
		}
		switch {
		case item:
			paragraph, indent = line, 6
		case text && paragraph == "":
			paragraph, indent = strings.TrimSpace(line), 4
		case text:
			paragraph += " " + strings.TrimSpace(line)
		case line != "" && line[0] == '#':
			terminal.Println(w, string(colors.Bold(strings.TrimLeft(line, "# "))))
		default:
			terminal.Println(w, line)
		}
	}
}

// programPage returns git-plan(1), from the tables of commands, keys and exit codes.
func programPage(app *cli.App) string {
	var b strings.Builder
	b.WriteString("## SYNOPSIS\n\n`" + strings.ReplaceAll(app.UsageText, "\n", "`\n\n`") + "`\n\n")
	others := slices.DeleteFunc(topics(), func(topic string) bool { return topic == "tutorial" })
	fmt.Fprintf(&b, "## DESCRIPTION\n\n"+manualIntro, strings.Join(others, ", "))
	b.WriteString("\n\n## COMMANDS\n\nEach has a page of its own, such as git-plan-step(1).\n\n")
	for _, g := range groups() {
		fmt.Fprintf(&b, "### %s\n\n", g.Title)
		for _, c := range g.Commands {
			item(&b, strings.TrimSpace("git plan "+c.Name+" "+c.ArgsUsage), sentence(c.Usage))
		}
	}
	_, shown := writtenText(examplesPage)
	b.WriteString(shown + "\n## CONFIGURATION\n\nRead from git's configuration. `<role>` is planner, critic, executor, reviewer, verifier or fixer; `<name>` is a name of your own.\n\n")
	for _, k := range settings.Keys {
		text := k.Doc + "."
		if k.Default != "" {
			text += " Default: " + k.Default + "."
		}
		item(&b, k.Name, text)
	}
	b.WriteString("## EXIT STATUS\n\n")
	for _, e := range exit.Codes {
		item(&b, fmt.Sprint(e.Code), e.Meaning+".")
	}
	b.WriteString("## SEE ALSO\n\n")
	for _, p := range written() {
		fmt.Fprintf(&b, "%s(%d), ", p.name, p.section)
	}
	b.WriteString("git(1)\n")
	return b.String()
}

func commandPage(c *cli.Command) string {
	var b strings.Builder
	b.WriteString("## SYNOPSIS\n\n")
	fullSynopsis(&b, "git plan", c)
	b.WriteString("## DESCRIPTION\n\n")
	described(&b, c, c.Name)
	if len(ownFlags(c)) > 0 {
		b.WriteString("## OPTIONS\n\n")
		optionItems(&b, c)
	}
	if len(c.Subcommands) > 0 {
		b.WriteString("## SUBCOMMANDS\n\n")
	}
	for _, sub := range c.Subcommands {
		fmt.Fprintf(&b, "### `%s`\n\n", strings.TrimSpace(c.Name+" "+sub.Name+" "+sub.ArgsUsage))
		described(&b, sub, c.Name+" "+sub.Name)
		optionItems(&b, sub)
	}
	b.WriteString("## EXAMPLES\n\n```\n" + strings.Join(slices.Compact(examples(c)), "") + "```\n\n")
	b.WriteString("## EXIT STATUS\n\n0 if all is well; git-plan(1) lists the others.\n\n## SEE ALSO\n\ngit-plan(1), gitplan-tutorial(7)\n")
	return b.String()
}

func examples(c *cli.Command) (out []string) {
	_, shown := writtenText(examplesPage)
	for line := range strings.Lines(shown) {
		if strings.Contains(strings.Replace(line, "\n", " ", 1), "git plan "+c.Name+" ") {
			out = append(out, line)
		}
	}
	return out
}

func described(b *strings.Builder, c *cli.Command, name string) {
	for _, p := range append([]string{sentence(c.Usage)}, paragraphs(descriptionOf(name))...) {
		if p != "" {
			b.WriteString(prose(p) + "\n\n")
		}
	}
}

func sentence(usage string) string { return strings.ToUpper(usage[:1]) + usage[1:] + "." }

// ownFlags returns a command's flags except --help, which it gets when it runs.
func ownFlags(c *cli.Command) []cli.Flag {
	return slices.DeleteFunc(c.VisibleFlags(), func(f cli.Flag) bool { return f.Names()[0] == "help" })
}

// fullSynopsis writes how a command and its subcommands are typed, with all options.
func fullSynopsis(b *strings.Builder, parent string, c *cli.Command) {
	words := parent + " " + c.Name
	for _, f := range ownFlags(c) {
		names, value, _ := flagText(f)
		words += " [" + strings.TrimSpace(names[0]+" "+value) + "]"
	}
	if standsAlone(c) {
		fmt.Fprintf(b, "`%s`\n\n", strings.TrimSpace(words+" "+c.ArgsUsage))
	}
	for _, sub := range c.Subcommands {
		fullSynopsis(b, parent+" "+c.Name, sub)
	}
}

func optionItems(b *strings.Builder, c *cli.Command) {
	for _, f := range ownFlags(c) {
		names, value, usage := flagText(f)
		if s, ok := f.(*cli.StringFlag); ok && s.Value != "" {
			usage += ". Default: " + s.Value
		}
		item(b, strings.TrimSpace(strings.Join(names, ", ")+" "+value), usage+".")
	}
}

func item(b *strings.Builder, term, meaning string) {
	fmt.Fprintf(b, "`%s`\n: %s\n\n", term, prose(meaning))
}

// placeholder matches <name>, which Markdown would take for HTML.
var placeholder = visible.NewPattern("<[a-z ]+>")

func prose(text string) string {
	text = strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "*", `\*`)
	return placeholder().ReplaceAllString(text, "`$0`")
}

const manualIntro = `A plan is a list of steps for coding agents. You approve it once; git plan commits each step when its commands pass, then reviews the branch.

` + "```" + `sh
git plan "what you want"  # an agent writes the plan, and you approve it
git plan run              # do its steps, and review the branch
git plan status           # how far it is, and what comes next
git plan log              # what happened, and why
git plan undo             # take back the last step
` + "```" + `

Begin with git plan man tutorial. The other topics: %s.`

func manCommand(c *command) *cli.Command {
	var install string
	c.option(&install, "install", "write all pages below `DIR`, in a build with the tag manual, as make install does")
	return c.define("man", "[<page>]", "show a manual page", c.do(1, func() error {
		if install != "" && roff == nil {
			return errors.New("this build has no pages for man: make install writes them, and packages have them")
		}
		if install != "" {
			for _, p := range allPages(c.app) {
				folder := filepath.Join(install, fmt.Sprintf("man%d", p.section))
				if err := os.MkdirAll(folder, 0o755); err != nil {
					return err
				}
				file := filepath.Join(folder, fmt.Sprintf("%s.%d", p.name, p.section))
				if err := os.WriteFile(file, roff(p), 0o644); err != nil {
					return err
				}
			}
			return nil
		}
		if p, ok := pageOf(c.app, c.arg(0)); ok {
			return p.show(c.Context, c.Out)
		}
		return &exit.Wrong{Text: "there is no page " + c.arg(0) + plan.DidYouMean(c.arg(0), topics()),
			Hint: strings.TrimSpace("git plan man " + plan.Nearest(c.arg(0), topics()))}
	}))
}

func topics() (out []string) {
	for _, p := range written() {
		out = append(out, strings.TrimPrefix(p.name, "gitplan-"))
	}
	return out
}

// The Makefile and a release set version and the day of its commit, for a build from a checkout.
var version, day string

func versionCommand(c *command) *cli.Command {
	return c.define("version", "", "print the version", c.do(0, func() error {
		say(c.Out, "git-plan version %s", versionText())
		return nil
	}))
}

func versionText() string {
	info, _ := debug.ReadBuildInfo()
	return versionOf(version, info)
}

// versionOf returns the version of the build, else that of the module.
func versionOf(set string, info *debug.BuildInfo) string {
	if set == "" && info != nil && info.Main.Version != "(devel)" {
		set = info.Main.Version
	}
	return cmp.Or(strings.TrimPrefix(set, "v"), "unknown")
}
