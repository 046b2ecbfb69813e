package main

import (
	"bytes"
	_ "embed" // for texts
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
)

// appHelp is the template of git plan -h: the commands by their purpose, as in git help.
//
//go:embed help.txt
var appHelp string

// descriptions has a section for each command: what its help and its page say below its usage.
//
//go:embed descriptions.md
var descriptions string

func descriptionOf(command string) string {
	_, text, _ := strings.Cut(descriptions, "\n## "+command+"\n")
	text, _, _ = strings.Cut(text, "\n## ")
	return strings.TrimSpace(text)
}

// helpPrinter returns the printer of -h, which folds lines at 80 columns or less.
func helpPrinter(groups func() []group) func(io.Writer, string, any) {
	return func(w io.Writer, template string, data any) {
		if c, ok := data.(*cli.Command); ok {
			c.Description = strings.Join(paragraphs(descriptionOf(strings.TrimPrefix(c.HelpName, "git plan "))), "\n\n")
		}
		var help bytes.Buffer
		cli.HelpPrinterCustom(&help, template, data, map[string]any{"groups": func() (out []map[string]any) {
			for _, g := range groups() {
				out = append(out, map[string]any{"title": g.title, "commands": g.commands})
			}
			return out
		}})
		term, again := regexp.MustCompile(`^   (\S.*?  +)?`), regexp.MustCompile(` \[ .* \]$`)
		width := min(80, terminal.Width(os.Stdout))
		for line := range strings.Lines(help.String()) {
			line = strings.TrimRight(line, " \n")
			indent := len(term.FindString(line))
			if indent > width/2 {
				terminal.Fold(w, width, indent, "%s", again.ReplaceAllString(strings.TrimRight(line[:indent], " "), ""))
				line, indent = strings.Repeat(" ", 8)+line[indent:], 8
			}
			terminal.Fold(w, width, indent, "%s", line)
		}
	}
}

func paragraphs(text string) []string {
	return strings.Split(strings.NewReplacer("\n\n", "\n\n", "\n", " ").Replace(text), "\n\n")
}

func synopsis(name string, c *cli.Command) string {
	var out []string
	if standsAlone(c) {
		out = append(out, strings.TrimSpace(name+" [<options>] "+c.ArgsUsage))
	}
	if len(c.Subcommands) > 0 {
		out = append(out, name+" <command> [<options>]")
	}
	return strings.Join(out, "\n")
}

func standsAlone(c *cli.Command) bool { return len(c.Subcommands) == 0 || c.ArgsUsage != "" }

// flagText returns the names of a flag, its placeholder (in back quotes in its usage), and its usage.
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

// dashed returns -n for a letter, and --name.
func dashed(name string) string { return "--"[:min(len(name), 2)] + name }

// flagOf returns the flag that a word names; nil for --name=value.
func flagOf(flags []cli.Flag, word string) cli.Flag {
	i := slices.IndexFunc(flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), strings.TrimLeft(word, "-")) })
	if i < 0 {
		return nil
	}
	return flags[i]
}

func takesValue(flags []cli.Flag, word string) bool {
	f := flagOf(flags, word)
	_, isBool := f.(*cli.BoolFlag)
	return f != nil && !isBool
}
