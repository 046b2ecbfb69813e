package pages

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

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
