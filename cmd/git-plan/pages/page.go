package pages

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// Group is a heading of -h and of git-plan(1), and the commands below it.
type Group struct {
	Title    string
	Commands []*cli.Command
}

// ExitCode is a row of the table of exit codes.
type ExitCode struct {
	Code    int
	Meaning string
}

// Manual is what the pages are made of.
type Manual struct {
	App          *cli.App
	Groups       []Group
	Exits        []ExitCode
	Version, Day string // of the program; the day is that of its commit
}

// Page is one manual page.
type Page struct {
	Name    string // as man is asked for it
	About   string
	section int
	body    string // Markdown
	of      Manual
}

// written are the pages that are texts: gitplan-NAME.SECTION.md, whose first heading is "NAME - what
// it is about"; and git-plan.1.md, the examples of git-plan(1).
//
//go:embed *.md
var written embed.FS

const examples = "git-plan.1.md"

func writtenPages() (out []Page) {
	files, _ := written.ReadDir(".")
	for _, f := range files {
		if f.Name() == examples {
			continue
		}
		title, body := writtenText(f.Name())
		name, about, _ := strings.Cut(title, " - ")
		section := 7
		fmt.Sscanf(strings.TrimPrefix(f.Name(), name), ".%d.md", &section)
		out = append(out, Page{Name: name, About: about, section: section, body: body})
	}
	return out
}

// writtenText returns a written page's title and what is below it.
func writtenText(name string) (title, body string) {
	source, _ := written.ReadFile(name)
	title, body, _ = strings.Cut(strings.TrimPrefix(string(source), "# "), "\n")
	return title, strings.TrimSpace(body) + "\n"
}

// Topics returns the written pages by the names that git plan man takes.
func Topics() (out []string) {
	for _, p := range writtenPages() {
		out = append(out, strings.TrimPrefix(p.Name, "gitplan-"))
	}
	return out
}

// Pages returns every page: first those that are written, which take precedence over those of a
// command with the same name, then that of the program, and those of the commands.
func (m Manual) Pages() []Page {
	pages := append(writtenPages(), Page{Name: "git-plan", About: m.App.Usage, section: 1, body: m.programPage()})
	for _, c := range m.App.Commands {
		if !c.Hidden {
			pages = append(pages, Page{Name: "git-plan-" + c.Name, About: c.Usage, section: 1, body: m.commandPage(c)})
		}
	}
	for i := range pages {
		pages[i].of = m
	}
	return pages
}

// Page returns the page of a name, or of the part of a name that comes after git-plan- or
// gitplan-; without a name that of the program.
func (m Manual) Page(asked string) (Page, bool) {
	for _, p := range m.Pages() {
		if asked == p.Name || "git-plan-"+asked == p.Name || "gitplan-"+asked == p.Name || asked == "" && p.Name == "git-plan" {
			return p, true
		}
	}
	return Page{}, false
}

// markdown returns the page as people read it without man.
func (p Page) markdown() string {
	return fmt.Sprintf("## NAME\n\n%s - %s\n\n%s", p.Name, p.About, p.body)
}

// roff returns the page as man reads it. Only a build with the tag manual can: what renders it takes longer
// to initialise than all of git plan.
var roff func(Page) []byte

// Install writes all pages, to manN/NAME.N below dir.
func (m Manual) Install(dir string) error {
	if roff == nil {
		return errors.New("this build has no pages for man: make install writes them, and packages have them")
	}
	for _, p := range m.Pages() {
		folder := filepath.Join(dir, fmt.Sprintf("man%d", p.section))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%s.%d", p.Name, p.section)), roff(p), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Show shows a page on a terminal by man, as git does, if it is installed; else it prints the Markdown.
func (p Page) Show(ctx context.Context, w io.Writer) error {
	if man, inTree, ok := proc.FindOutside("man"); ok && !inTree && terminal.Is(os.Stdout) {
		there, err := proc.Run(ctx, proc.Cmd{Name: man, Args: []string{"-w", p.Name}, Env: terminal.PagerEnvironment(), Stdout: io.Discard, Stderr: io.Discard})
		if err == nil && there.OK() {
			signal.Ignore(os.Interrupt) // it is for the pager
			_, err := proc.Run(context.WithoutCancel(ctx), proc.Cmd{Name: man, Args: []string{p.Name}, Env: terminal.PagerEnvironment(), Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr})
			return err
		}
	}
	_, err := io.WriteString(w, p.markdown())
	return err
}
