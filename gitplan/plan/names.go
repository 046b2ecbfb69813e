package plan

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/visible"
)

var fieldNames = [][2]string{
	{"files", "files"}, {"file", "files"}, {"files to modify", "files"}, {"files to create", "files"},
	{"do", "do"}, {"description", "do"},
	{"run", "run"}, {"command", "run"},
	{"check", "check"}, {"checks", "check"}, {"success criteria", "check"}, {"done when", "check"}, {"verify", "check"},
	{"needs", "needs"}, {"dependencies", "needs"}, {"depends on", "needs"},
	{"action", "action"}, {"agent", "agent"}, {"model", "model"}, {"effort", "effort"}, {"timeout", "timeout"},
	{"attempts", "attempts"}, {"estimate", "estimate"}, {"for", "for"}, {"ask", "ask"}, {"status", "status"},
}

// FieldName returns the name of a field by a key as people write it, or "".
func FieldName(key string) string { return called(Normalize(key), fieldNames) }

func called(name string, names [][2]string) string {
	for _, n := range names {
		if n[0] == name {
			return n[1]
		}
	}
	return ""
}

// misspelt returns the name that a key of more than three letters misses by one letter, or "".
func misspelt(key string, names [][2]string) string {
	key = Normalize(key)
	for _, n := range names {
		if len(key) > 3 && key[0] == n[0][0] && distance(key, n[0]) == 1 {
			return n[0]
		}
	}
	return ""
}

var sectionNames = [][2]string{
	{"steps", "steps"}, {"tasks", "steps"}, {"implementation steps", "steps"}, {"execution order", "steps"}, {"tasks / subtasks", "steps"},
	{"requirements", "requirements"},
	{"rules", "rules"}, {"guardrails", "rules"}, {"constraints", "rules"},
	{"checks", "checks"}, {"validation", "checks"}, {"validation commands", "checks"},
	{"verification", "verification"}, {"done when", "verification"}, {"test criteria", "verification"}, {"acceptance", "verification"},
	{"goal", "goal"}, {"bounds", "bounds"}, {"learned", "learned"}, {"decisions", "decisions"},
	{"prerequisites", "prerequisites"},
}

// IsAim reports whether a section by its title says what the branch is for, as the summary does.
func IsAim(title string) bool {
	return slices.Contains([]string{"overview", "objective", "goal"}, Normalize(strings.TrimSuffix(title, ":")))
}

// SectionMeaning returns what a section is for by its title as it looks, such as "steps"; "" if it is context.
func SectionMeaning(title string) string {
	looks := strings.Map(func(r rune) rune { return cmp.Or(visible.LatinOf(r), r) }, title) // what is drawn as one is read as it
	return called(Normalize(strings.TrimSuffix(looks, ":")), sectionNames)
}

// ProgramOf returns the first word of a command line after assignments and "!"; "" if it is not plain.
func ProgramOf(line string) string {
	for _, word := range strings.Fields(line) {
		name, _, assigns := strings.Cut(word, "=")
		switch {
		case slices.Contains(shellKeywords, word):
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
var ShellWords = []string{".", ":", "[", "alias", "bg", "break", "case", "cd", "command", "continue", "done", "echo", "esac", "eval", "exec", "exit",
	"export", "false", "fi", "for", "getopts", "hash", "kill", "local", "printf", "pwd", "read", "readonly", "return", "set", "shift", "source", "test",
	"times", "trap", "true", "type", "ulimit", "umask", "unalias", "unset", "wait"}

// shellKeywords stand before a command of their own.
var shellKeywords = []string{"!", "do", "elif", "else", "if", "then", "time", "until", "while", "{"}

// MatchesAny reports whether a path matches one of the patterns, or is below one.
func MatchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		p = strings.TrimPrefix(path.Clean(strings.Trim(p, "` ")), "/")
		ok, err := disk.Match(p, name)
		return p == "." || p == name || strings.HasPrefix(name, p+"/") || ok && err == nil
	})
}

// Literals are the names of files that are not patterns.
func Literals(files []string) (out []string) {
	for _, f := range files {
		if !strings.ContainsAny(f, "*?[{") {
			out = append(out, path.Clean(f))
		}
	}
	return out
}
