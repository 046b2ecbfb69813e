package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/settings"
)

// showPage prints a page; on a terminal man lays it out, where it takes one from its
// standard input.
func showPage(c *cli.Context, p page) error {
	man, inTree, ok := proc.FindOutside("man")
	if !ok || inTree || !terminal.Is(os.Stdout) {
		return p.write(c.App.Writer)
	}
	var text bytes.Buffer
	if err := p.write(&text); err != nil {
		return err
	}
	signal.Ignore(os.Interrupt) // it is the pager's
	source := bytes.NewReader(text.Bytes())
	exit, err := proc.Run(context.WithoutCancel(c.Context), proc.Cmd{Name: man, Args: []string{"-l", "-"}, Env: terminal.PagerEnvironment(), Stdin: source, Stdout: os.Stdout})
	if err != nil || !exit.OK() {
		_, err = c.App.Writer.Write(text.Bytes())
	}
	return err
}

func manCommand() *cli.Command {
	return &cli.Command{
		Name: "man", Usage: "show a manual page", ArgsUsage: "[<page>]",
		Description: "Without a page: git-plan(1). With one: that of a command, such as step, or\n" +
			strings.Join(topics(), ", ") + " (git-plan-hooks and git-plan-review are the commands').\n" +
			"On a terminal man shows it; elsewhere its source is printed, for man -l -.",
		Flags: []cli.Flag{&cli.StringFlag{Name: "install", Usage: "write all pages below `DIR`, such as /usr/local/share/man"}},
		Action: func(c *cli.Context) error {
			if err := arguments(c, 1); err != nil {
				return err
			}
			all := manual(c.App)
			if c.IsSet("install") {
				return installManual(c.String("install"), all)
			}
			for _, p := range all {
				if p.isFor(c.Args().First()) {
					return showPage(c, p)
				}
			}
			return misused(c, "there is no page %s", c.Args().First())
		},
	}
}

// page is one manual page.
type page struct {
	name    string // as man is asked for it
	section int
	about   string
	body    func(*roffWriter)
}

// manual is every page: those that are written as Markdown, which come before a
// command of their name, that of the program, and those of the commands.
func manual(app *cli.App) []page {
	pages := append(writtenPages(), page{"git-plan", 1, app.Usage, func(r *roffWriter) { programPage(r, app) }})
	for _, c := range app.Commands {
		if !c.Hidden {
			pages = append(pages, page{"git-plan-" + c.Name, 1, c.Usage, func(r *roffWriter) { commandPage(r, c) }})
		}
	}
	return pages
}

func (p page) isFor(asked string) bool {
	return asked == p.name || "git-plan-"+asked == p.name || "gitplan-"+asked == p.name || asked == "" && p.name == "git-plan"
}

func (p page) write(w io.Writer) error {
	var b bytes.Buffer
	r := &roffWriter{&b}
	r.line(`.TH "%s" "%d" "%s" "git-plan %s" "Git Plan Manual"`, roff(strings.ToUpper(p.name)), p.section, builtOn(), roff(versionText()))
	r.line(".nh") // gitplan-hooks must not become git-plan-hooks at the end of a line
	r.macro("SH", "NAME")
	r.line("%s \\- %s", roff(p.name), roff(p.about))
	p.body(r)
	_, err := w.Write(b.Bytes())
	return err
}

// installManual writes the pages to manN/NAME.N below dir.
func installManual(dir string, pages []page) error {
	for _, p := range pages {
		folder := filepath.Join(dir, fmt.Sprintf("man%d", p.section))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		var b bytes.Buffer
		if err := p.write(&b); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%s.%d", p.name, p.section)), b.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// builtOn is the day of the commit that the program was built from, else the day on
// which it was: a page without one is not valid.
func builtOn() string {
	if day != "" {
		return day
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.time" && len(s.Value) >= 10 {
				return s.Value[:10]
			}
		}
	}
	if own, err := os.Executable(); err == nil {
		if file, err := os.Stat(own); err == nil {
			return file.ModTime().UTC().Format(time.DateOnly)
		}
	}
	return ""
}

// programPage is git-plan(1), from the same texts as -h: the tables of commands,
// configuration keys and exit codes.
func programPage(r *roffWriter, app *cli.App) {
	r.macro("SH", "SYNOPSIS")
	for i, s := range strings.Split(app.UsageText, "\n") {
		if i > 0 {
			r.macro("br")
		}
		r.line(`\fB%s\fR`, roff(s))
	}
	r.macro("SH", "DESCRIPTION")
	r.text(manualIntro)
	r.macro("SH", "COMMANDS")
	r.text("Each has a page of its own, such as git-plan-step(1).")
	for _, g := range groups() {
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
	exitStatus(r)
	r.macro("SH", "FILES")
	for _, f := range manualFiles {
		r.item(f[0], f[1])
	}
	r.macro("SH", "SEE ALSO")
	for _, p := range writtenPages() {
		r.text(fmt.Sprintf("%s(%d),", p.name, p.section))
	}
	r.text("git(1)")
}

func exitStatus(r *roffWriter) {
	r.macro("SH", "EXIT STATUS")
	for _, e := range exitCodes {
		r.item(fmt.Sprint(e.code), e.meaning+".")
	}
}

// commandPage is the page of one command, with its subcommands.
func commandPage(r *roffWriter, c *cli.Command) {
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
	exitStatus(r)
	r.macro("SH", "SEE ALSO")
	r.text("git-plan(1), gitplan-tutorial(7)")
}

func described(r *roffWriter, c *cli.Command) {
	if c.Description == "" {
		return
	}
	for _, p := range paragraphs(c.Description) {
		r.macro("PP")
		r.text(p)
	}
}

func sentence(usage string) string { return strings.ToUpper(usage[:1]) + usage[1:] + "." }

func synopsis(r *roffWriter, parent string, c *cli.Command) {
	words := parent + " " + c.Name
	for _, f := range ownFlags(c) {
		names, value, _ := flagText(f)
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

// ownFlags are those of a command itself: while it runs it has --help, too.
func ownFlags(c *cli.Command) []cli.Flag {
	return slices.DeleteFunc(c.VisibleFlags(), func(f cli.Flag) bool { return f.Names()[0] == "help" })
}

func optionItems(r *roffWriter, c *cli.Command) {
	for _, f := range ownFlags(c) {
		names, value, usage := flagText(f)
		if s, ok := f.(*cli.StringFlag); ok && s.Value != "" {
			usage += ".\nDefault: " + s.Value
		}
		r.item(strings.TrimSpace(strings.Join(names, ", ")+" "+value), usage+".")
	}
}

// flagText is a flag as -h shows it: its names, and the placeholder of its value,
// which its usage holds between back quotes.
func flagText(f cli.Flag) (names []string, value, usage string) {
	for _, n := range f.Names() {
		names = append(names, dashed(n))
	}
	if d, ok := f.(cli.DocGenerationFlag); ok {
		usage = d.GetUsage()
	}
	if _, after, ok := strings.Cut(usage, "`"); ok {
		value, _, _ = strings.Cut(after, "`")
	}
	return names, value, strings.ReplaceAll(usage, "`", "")
}

const manualIntro = `A plan is a Markdown file of steps, attached to a branch. A strong model or a person writes it, a person approves it, and each step is then done by a fresh session with a clean context, checked by commands, committed as one commit and ticked by the program, never by the agent. After the last step several reviewers judge the branch and a fixer repairs what is confirmed, until a round leaves HEAD where it was. A pre-push hook is the gate.`

var manualFiles = [][2]string{
	{"refs/plans/<plan>", "the plan and everything that happened to it."},
	{"refs/plan-attempts/", "what unfinished sessions left."},
	{"branch.<name>.plan", "which plan a branch has."},
	{"<common dir>/plan/", "locks and transcripts of this clone."},
	{"~/.local/state/git-plan/", "its approvals and verdicts, and which events of plans it knows (or below `$XDG_STATE_HOME`)."},
}
