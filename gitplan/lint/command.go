package lint

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// unknownCommands looks for the programs that commands need: only plain first words, and a path only at the
// beginning, since what comes later may be made by what comes before. step is nil for the whole plan's checks.
func unknownCommands(step *plan.Step, checks []plan.Check, made func(file string) bool, around Surroundings) (out []plan.Weakness) {
	for _, c := range checks {
		for n, program := range programsOf(c.Command) {
			text := ""
			switch {
			case program == "" || slices.Contains(plan.ShellWords, program):
			case strings.Contains(program, "/"):
				if file := path.Clean(program); n == 0 && !path.IsAbs(file) && !around.Exists(file) && !made(file) {
					text = program + " does not exist, and no step makes it"
				}
			case !around.Finds(program):
				text = "there is no program " + program + " here"
			}
			if text != "" {
				out = append(out, weakCheck(step, c, "unknown-command", text, "correct the command, or install the program"))
			}
		}
	}
	return out
}

// weakCheck returns a weakness of a check.
func weakCheck(step *plan.Step, c plan.Check, rule, text, fix string) plan.Weakness {
	w := plan.Weakness{Rule: rule, Line: c.Line, Text: text, Fix: fix}
	if step != nil {
		w.Step = step.ID
	}
	return w
}

// changesPrograms are words after which a shell may find other programs, or run other words.
var changesPrograms = []string{".", "source", "eval", "export", "set", "alias", "exec"}

// programsOf returns the programs of a command line, "" for no plain word, up to one after which others may be found.
func programsOf(line string) (out []string) {
	file, err := syntax.NewParser().Parse(strings.NewReader(line), "")
	if err != nil {
		return nil
	}
	over := false
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.FuncDecl:
			over = true
		case *syntax.CallExpr:
			if len(n.Args) > 0 && !over {
				name := n.Args[0].Lit()
				out = append(out, name)
				over = slices.Contains(changesPrograms, name)
			}
		}
		return !over
	})
	return out
}

var (
	// succeeds matches a command line that exits with 0 whatever comes before its last command.
	succeeds = visible.NewPattern(`(?:^|[;|\n])\s*(?:true|:|exit 0|(?:echo|printf)(?:\s[^;&|\n]*)?)\s*$`)
	// givesUp matches what may end a command line before that.
	givesUp = visible.NewPattern(`\bset -\w*e|\bexit [1-9$]|\bfalse\b`)
)

// cannotFail reports whether a command exits with 0 whatever the repository holds.
func cannotFail(command string) bool {
	command = strings.TrimSpace(command)
	return succeeds.MatchString(command) && !givesUp.MatchString(command)
}

// provesNothing names the commands of a step that cannot fail.
func provesNothing(s *plan.Step) (out []plan.Weakness) {
	for _, c := range s.Checks {
		if c.Command != "" && cannotFail(c.Command) {
			out = append(out, weakCheck(s, c, "proves-nothing", "`"+c.Command+"` cannot fail, so it proves nothing", "write one that fails before the step and passes after it"))
		}
	}
	return out
}
