package plan

import (
	"slices"
	"strings"
)

// ProgramOf returns the first word of a command line after assignments and words of the shell
// such as "!"; "" if that is not a plain word.
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
