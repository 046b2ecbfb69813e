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

// unknownCommands looks for the program that each command of a step begins with.
// What a shell makes of a line is not guessed: only a plain first word counts.
func unknownCommands(s *plan.Step, around Surroundings) []markdown.Problem {
	var out []markdown.Problem
	for _, c := range append(slices.Clone(s.Checks), plan.Check{Command: s.Run, Line: s.Line}) {
		program := ProgramOf(c.Command)
		switch {
		case program == "" || slices.Contains(ShellWords, program):
		case strings.Contains(program, "/"):
			file := path.Clean(program)
			if !path.IsAbs(file) && !around.Exists(file) && !around.earlier.before(s, file) && !plan.MatchesAny(s.Files, file) {
				out = append(out, markdown.Wrong(c.Line, "unknown-command", fmt.Sprintf("%s does not exist, and no step makes it", visible.OneLine(program, 100))))
			}
		case !around.Finds(program):
			out = append(out, markdown.Wrong(c.Line, "unknown-command", fmt.Sprintf("there is no program %s here", visible.OneLine(program, 100))))
		}
	}
	return out
}

// ProgramOf returns the first word of a command line after assignments and "!";
// "" if that is not a plain word.
func ProgramOf(line string) string {
	for _, word := range strings.Fields(line) {
		name, _, assigns := strings.Cut(word, "=")
		switch {
		case word == "!":
		case assigns && name != "" && !strings.ContainsAny(name, `"'$/`):
			if strings.ContainsAny(word, "\"'$`(") {
				return "" // its value may go on in the next word
			}
		case strings.ContainsAny(word, "\"'$`(){}<>|&;*?[\\~#"):
			return ""
		default:
			return word
		}
	}
	return ""
}

// ShellWords are what sh itself knows.
var ShellWords = []string{".", ":", "[", "alias", "bg", "break", "case", "cd", "command", "continue", "echo", "eval", "exec", "exit",
	"export", "false", "for", "getopts", "hash", "if", "kill", "printf", "pwd", "read", "readonly", "return", "set", "shift", "test",
	"times", "trap", "true", "type", "ulimit", "umask", "unalias", "unset", "until", "wait", "while"}
