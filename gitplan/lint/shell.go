package lint

import (
	"slices"
	"strings"
)

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
