package pages

import (
	"bytes"
	"context"
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
	of      Manual
	body    func(*roffWriter)
}

// Pages returns every page: first those that are written as Markdown, which take precedence over
// those of a command with the same name, then that of the program, and those of the commands.
func (m Manual) Pages() []Page {
	pages := append(writtenPages(), Page{Name: "git-plan", About: m.App.Usage, section: 1, body: m.programPage})
	for _, c := range m.App.Commands {
		if !c.Hidden {
			pages = append(pages, Page{Name: "git-plan-" + c.Name, About: c.Usage, section: 1, body: func(r *roffWriter) { m.commandPage(r, c) }})
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

func (p Page) write(w io.Writer) error {
	var b bytes.Buffer
	r := &roffWriter{&b}
	r.line(`.TH "%s" "%d" "%s" "git-plan %s" "Git Plan Manual"`, roff(strings.ToUpper(p.Name)), p.section, p.of.Day, roff(p.of.Version))
	r.line(".nh") // gitplan-hooks must not become git-plan-hooks at the end of a line
	r.macro("SH", "NAME")
	r.line("%s \\- %s", roff(p.Name), roff(p.About))
	p.body(r)
	_, err := w.Write(b.Bytes())
	return err
}

// Install writes all pages, to manN/NAME.N below dir.
func (m Manual) Install(dir string) error {
	for _, p := range m.Pages() {
		folder := filepath.Join(dir, fmt.Sprintf("man%d", p.section))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		var b bytes.Buffer
		if err := p.write(&b); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%s.%d", p.Name, p.section)), b.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Show prints a page as plain text; on a terminal man lays it out, if it reads its standard
// input.
func (p Page) Show(ctx context.Context, w io.Writer) error {
	var text bytes.Buffer
	if err := p.write(&text); err != nil {
		return err
	}
	printed := plainText(text.String())
	man, inTree, ok := proc.FindOutside("man")
	if !ok || inTree || !terminal.Is(os.Stdout) {
		_, err := io.WriteString(w, printed)
		return err
	}
	signal.Ignore(os.Interrupt) // it is for the pager
	source := bytes.NewReader(text.Bytes())
	exit, err := proc.Run(context.WithoutCancel(ctx), proc.Cmd{Name: man, Args: []string{"-l", "-"}, Env: terminal.PagerEnvironment(), Stdin: source, Stdout: os.Stdout})
	if err != nil || !exit.OK() {
		_, err = io.WriteString(w, printed)
	}
	return err
}
