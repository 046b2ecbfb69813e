package commandline

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/pages"
	"github.com/git-plan/git-plan/gitplan/markdown"
	"github.com/git-plan/git-plan/gitplan/pattern"
)

// badValue matches what the flag package says about a value that is not a number, or about one
// for an option that takes none.
var badValue = pattern.Of(`^invalid (boolean )?value (".*") for (?:flag )?-([\w-]+): `)

// Reworded returns what the flag package says of a command's options, as a person types them.
func Reworded(command string, flags []cli.Flag, err error) *exit.Wrong {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag needs an argument: -"); ok {
		text = "option " + pages.Dashed(name) + " needs a value"
	}
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		text = "unknown option " + pages.Dashed(name)
		if command == "new" && name == "run" {
			text += "; to run the plan, too: && git plan run"
		} else if near := nearestOption(flags, name); near != "" {
			text += "; did you mean " + pages.Dashed(near) + "?"
		}
	}
	if m := badValue.FindStringSubmatch(text); m != nil {
		text = pages.Dashed(m[3]) + " is a number, not " + m[2]
		if m[1] != "" {
			text = pages.Dashed(m[3]) + " takes no value"
		}
	}
	return &exit.Wrong{Text: text, Command: command}
}

// nearestOption returns the option that a misspelt one may have been meant to be.
func nearestOption(flags []cli.Flag, name string) string {
	var names []string
	for _, f := range flags {
		names = append(names, f.Names()...)
	}
	return markdown.Nearest(name, names)
}
