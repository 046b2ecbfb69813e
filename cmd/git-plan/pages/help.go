package pages

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
)

// AppHelp returns what -h of the program prints: the commands by what they are for, as git help
// shows its own.
const AppHelp = `NAME:
   {{.HelpName}} - {{.Usage}}

USAGE:
   {{wrap .UsageText 3}}
{{range groups}}
{{.Title}}{{range .Commands}}
   {{printf "%-10s" .Name}}  {{.Usage}}{{end}}
{{end}}
OPTIONS:{{template "visibleFlagTemplate" .}}

All commands: git plan help -a. Options of one: git plan <command> -h. The manual: git plan man.
Also: completion, demo, man, mcp, skill, version.
From nothing to a pushed branch: git plan man tutorial.
`

// HelpPrinter returns what prints -h, in at most 80 columns. The text after an option or a
// command continues below its own first line. The groups are only asked for by the program's own
// -h.
func HelpPrinter(groups func() []Group) func(io.Writer, string, any) {
	return func(w io.Writer, template string, data any) {
		var help bytes.Buffer
		cli.HelpPrinterCustom(&help, template, data, map[string]any{"groups": groups})
		term := regexp.MustCompile(`^   (\S.*?  +)?`)
		width := min(80, terminal.Width(os.Stdout))
		for line := range strings.Lines(help.String()) {
			line = strings.TrimRight(line, " \n")
			indent := len(term.FindString(line))
			if indent > width/2 {
				indent = 8
			}
			terminal.Fold(w, width, indent, "%s", line)
		}
	}
}

// Paragraphs returns those of a text, each as a line.
func Paragraphs(text string) []string {
	all := strings.Split(text, "\n\n")
	for i := range all {
		all[i] = strings.ReplaceAll(all[i], "\n", " ")
	}
	return all
}

// Synopsis returns how a command is typed, as git shows it.
func Synopsis(name string, c *cli.Command) string {
	var out []string
	if bySelf(c) {
		out = append(out, strings.TrimSpace(name+" [<options>] "+c.ArgsUsage))
	}
	if len(c.Subcommands) > 0 {
		out = append(out, name+" <command> [<options>]")
	}
	return strings.Join(out, "\n")
}

// bySelf reports whether a command does something without a subcommand.
func bySelf(c *cli.Command) bool { return len(c.Subcommands) == 0 || c.ArgsUsage != "" }

// ownFlags returns those of a command itself: while it runs it has --help, too.
func ownFlags(c *cli.Command) []cli.Flag {
	return slices.DeleteFunc(c.VisibleFlags(), func(f cli.Flag) bool { return f.Names()[0] == "help" })
}

// FlagText returns a flag as -h shows it: its names, and the placeholder of its value, which its
// usage holds between back quotes.
func FlagText(f cli.Flag) (names []string, value, usage string) {
	for _, n := range f.Names() {
		names = append(names, Dashed(n))
	}
	if d, ok := f.(cli.DocGenerationFlag); ok {
		usage = d.GetUsage()
	}
	if _, after, ok := strings.Cut(usage, "`"); ok {
		value, _, _ = strings.Cut(after, "`")
	}
	return names, value, strings.ReplaceAll(usage, "`", "")
}

// Dashed returns an option as it is typed: -m, --prompt.
func Dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// TakesValue reports whether the word after an option is its value.
func TakesValue(flags []cli.Flag, word string) bool {
	name := strings.TrimLeft(word, "-")
	if strings.Contains(name, "=") {
		return false
	}
	for _, f := range flags {
		if slices.Contains(f.Names(), name) {
			_, isBool := f.(*cli.BoolFlag)
			return !isBool
		}
	}
	return false
}
