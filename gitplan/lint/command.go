package lint

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// unknownCommands looks for the programs that the commands of a step need. What a shell makes of
// a line is not guessed: only plain first words count, and a path only at the beginning, since
// what comes later may be made by what comes before.
func unknownCommands(s *plan.Step, around Surroundings) []plan.Problem {
	return unknownIn(append(slices.Clone(s.Checks), plan.Check{Command: s.Run, Line: s.Line}), func(file string) bool {
		return around.Exists(file) || around.earlier.before(s, file) || plan.MatchesAny(s.Files, file)
	}, around)
}

// unknownPlanWide is unknownCommands for the checks of the whole plan. Those that run before the
// first step find nothing that a step makes.
func unknownPlanWide(p *plan.Plan, around Surroundings) []plan.Problem {
	made := func(file string) bool {
		return around.Exists(file) || around.earlier.named(file)
	}
	return slices.Concat(unknownIn(p.Prerequisites, around.Exists, around), unknownIn(p.Checks, made, around), unknownIn(p.Verification, made, around))
}

func unknownIn(checks []plan.Check, there func(file string) bool, around Surroundings) []plan.Problem {
	var out []plan.Problem
	for _, c := range checks {
		for n, program := range programsOf(c.Command) {
			switch {
			case program == "" || slices.Contains(plan.ShellWords, program):
			case strings.Contains(program, "/"):
				if file := path.Clean(program); n == 0 && !path.IsAbs(file) && !there(file) {
					out = append(out, plan.Wrong(c.Line, "unknown-command", fmt.Sprintf("%s does not exist, and no step makes it", program)))
				}
			case !around.Finds(program):
				out = append(out, plan.Wrong(c.Line, "unknown-command", fmt.Sprintf("there is no program %s here", program)))
			}
		}
	}
	return out
}

// changesPrograms are words after which a shell may find other programs, or run other words.
var changesPrograms = []string{".", "source", "eval", "export", "set", "alias", "exec"}

// programsOf returns the programs that a command line starts, up to a command after which there may be
// others; "" stands for one that is not a plain word.
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
func provesNothing(s *plan.Step) []plan.Problem {
	var out []plan.Problem
	for _, c := range s.Checks {
		if c.Command != "" && cannotFail(c.Command) {
			out = append(out, plan.Wrong(c.Line, "proves-nothing", "`"+c.Command+"` cannot fail, so it proves nothing"))
		}
	}
	return out
}
