package lint

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/markdown"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// unknownCommands looks for the programs that the commands of a step need. What a shell makes of
// a line is not guessed: only plain first words count, and a path only at the beginning, since
// what comes later may be made by what comes before.
func unknownCommands(s *plan.Step, around Surroundings) []markdown.Problem {
	return unknownIn(append(slices.Clone(s.Checks), plan.Check{Command: s.Run, Line: s.Line}), func(file string) bool {
		return around.Exists(file) || around.earlier.before(s, file) || plan.MatchesAny(s.Files, file)
	}, around)
}

// unknownPlanWide is unknownCommands for the checks of the whole plan. Those that run before the
// first step find nothing that a step makes.
func unknownPlanWide(p *plan.Plan, around Surroundings) []markdown.Problem {
	made := func(file string) bool {
		return around.Exists(file) || around.earlier.named(file)
	}
	return slices.Concat(unknownIn(p.Prerequisites, around.Exists, around), unknownIn(p.Checks, made, around), unknownIn(p.Verification, made, around))
}

func unknownIn(checks []plan.Check, there func(file string) bool, around Surroundings) []markdown.Problem {
	var out []markdown.Problem
	for _, c := range checks {
		for n, part := range commandsOf(c.Command) {
			program := plan.ProgramOf(part)
			switch {
			case program == "" || slices.Contains(plan.ShellWords, program):
			case strings.Contains(program, "/"):
				if file := path.Clean(program); n == 0 && !path.IsAbs(file) && !there(file) {
					out = append(out, markdown.Wrong(c.Line, "unknown-command", fmt.Sprintf("%s does not exist, and no step makes it", visible.OneLine(program, 100))))
				}
			case !around.Finds(program):
				out = append(out, markdown.Wrong(c.Line, "unknown-command", fmt.Sprintf("there is no program %s here", visible.OneLine(program, 100))))
			}
		}
	}
	return out
}

// commandsOf returns the simple commands of a command line: what &&, ||, ;, | and & separate
// outside of quotes, as far as nothing before them may change which programs there are. What a
// shell makes of the rest is not guessed.
func commandsOf(line string) []string {
	var out []string
	for _, part := range separated(line) {
		out = append(out, part)
		switch first := firstWord(part); {
		case slices.Contains([]string{".", "source", "eval", "export", "set", "alias", "exec"}, first), strings.Contains(part, "()"):
			return out
		}
	}
	return out
}

func firstWord(s string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	return word
}

// separated cuts a command line at its operators. It stops at a here document, and at a comment.
func separated(line string) []string {
	var out []string
	from, quote := 0, byte(0)
	cut := func(at, to int) {
		out = append(out, line[from:at])
		from = to
	}
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote == '\'':
			if c == '\'' {
				quote = 0
			}
		case c == '\\':
			i++
		case c == '"' && quote == '"':
			quote = 0
		case quote == '"':
		case c == '"' || c == '\'':
			quote = c
		case c == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t'):
			cut(i, len(line))
			return out
		case strings.HasPrefix(line[i:], "<<"):
			return append(out, line[from:i])
		case c == '&' && (i > 0 && (line[i-1] == '>' || line[i-1] == '<') || i+1 < len(line) && line[i+1] == '>'): // a redirection
		case c == '|' && i > 0 && line[i-1] == '>':
		case c == ';' || c == '|' || c == '&' || c == '\n':
			cut(i, i+1)
		}
	}
	return append(out, line[from:])
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
func provesNothing(s *plan.Step) []markdown.Problem {
	var out []markdown.Problem
	for _, c := range s.Checks {
		if c.Command != "" && cannotFail(c.Command) {
			out = append(out, markdown.Wrong(c.Line, "proves-nothing", "`"+visible.OneLine(c.Command, 100)+"` cannot fail, so it proves nothing"))
		}
	}
	return out
}
