package plan

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/visible"
)

var fieldNames = map[string]string{
	"files": "files", "file": "files", "files to modify": "files", "files to create": "files",
	"do": "do", "description": "do",
	"run": "run", "command": "run",
	"check": "check", "checks": "check", "success criteria": "check", "done when": "check", "verify": "check",
	"needs": "needs", "dependencies": "needs", "depends on": "needs",
	"action": "action", "agent": "agent", "model": "model", "effort": "effort", "timeout": "timeout",
	"attempts": "attempts", "estimate": "estimate", "for": "for", "ask": "ask", "status": "status",
}

// FieldName returns the name of a field by a key as people write it, or "".
func FieldName(key string) string { return fieldNames[Normalize(key)] }

// misspelt returns the name that a key of more than three letters misses by one letter, or "".
func misspelt(key string, names map[string]string) string {
	key = Normalize(key)
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(names))) { // files before file
		if len(key) > 3 && key[0] == name[0] && distance(key, name) == 1 {
			return name
		}
	}
	return ""
}

var sectionNames = map[string]string{
	"steps": "steps", "tasks": "steps", "implementation steps": "steps", "execution order": "steps",
	"tasks / subtasks": "steps",
	"requirements":     "requirements",
	"rules":            "rules", "guardrails": "rules", "constraints": "rules",
	"checks": "checks", "validation": "checks", "validation commands": "checks",
	"verification": "verification", "done when": "verification", "test criteria": "verification",
	"acceptance": "verification",
	"goal":       "goal", "bounds": "bounds", "learned": "learned", "decisions": "decisions",
	"prerequisites": "prerequisites",
}

// IsAim reports whether a section by its title says what the branch is for, as the summary does.
func IsAim(title string) bool {
	return slices.Contains([]string{"overview", "objective", "goal"}, Normalize(strings.TrimSuffix(title, ":")))
}

// SectionMeaning returns what a section is for by its title as it looks, such as "steps"; "" if it is context.
func SectionMeaning(title string) string {
	looks := strings.Map(func(r rune) rune { return cmp.Or(visible.LatinOf(r), r) }, title) // lookalikes are Latin
	return sectionNames[Normalize(strings.TrimSuffix(looks, ":"))]
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
var ShellWords = []string{".", ":", "[", "alias", "bg", "break", "case", "cd", "command", "continue", "done", "echo",
	"esac", "eval", "exec", "exit", "export", "false", "fi", "for", "getopts", "hash", "kill", "local", "printf", "pwd",
	"read", "readonly", "return", "set", "shift", "source", "test", "times", "trap", "true", "type", "ulimit", "umask",
	"unalias", "unset", "wait"}

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

// SlugLength bounds the slug in an id, in bytes; with a number the id stays below its limit of 63.
const SlugLength = 40

// Slug turns a title into lower-case ASCII words with hyphens, at most max bytes, cut at a word if half remains.
// Other alphabets are dropped; if nothing remains it is made of the title's SHA-256.
func Slug(title string, max int) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(title) {
		letters := string(r)
		for i := 0; i < len(latin) && r > unicode.MaxASCII && r <= lastLatin; i += 2 {
			if strings.Contains(latin[i], letters) {
				letters = latin[i+1]
			}
		}
		if strings.Trim(letters, lowerCase) != "" {
			gap = gap || !unicode.IsMark(r) && r != '\'' && r != '’'
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		gap = false
		b.WriteString(letters)
		if b.Len() > max {
			break
		}
	}
	slug := cmp.Or(b.String(), fmt.Sprintf("title-%x", sha256.Sum256([]byte(title)))[:12])
	if len(slug) > max {
		slug = slug[:max]
		if cut := strings.LastIndexByte(slug, '-'); cut > max/2 {
			slug = slug[:cut]
		}
	}
	return strings.Trim(slug, "-")
}

const (
	lowerCase = "abcdefghijklmnopqrstuvwxyz0123456789" // and digits
	lastLatin = 'ž'                                    // the end of Latin Extended-A
)

// latin are letters, and what each of them is written as in ASCII.
var latin = []string{"àáâãåāăą", "a", "äæ", "ae", "çćč", "c", "ďđð", "d", "èéêëēęěė", "e", "ğ", "g", "ìíîïīįı", "i",
	"ł", "l", "ñńň", "n", "òóôõøōő", "o", "öœ", "oe", "ř", "r", "śšş", "s", "ß", "ss", "ťţ", "t", "þ", "th",
	"ùúûūůűų", "u", "ü", "ue", "ýÿ", "y", "źżž", "z"}

// NewID returns the id of a new plan: a slug of its title and four hex digits.
func NewID(title string, random [2]byte) string {
	return fmt.Sprintf("%s-%x", Slug(title, SlugLength), random)
}

// ValidID reports whether a text is [a-z0-9][a-z0-9-]{0,62}, and not "none", which means something in Needs.
func ValidID(id string) bool {
	return id != "" && len(id) <= 63 && id[0] != '-' && id != "none" && strings.Trim(id, lowerCase+"-") == ""
}

// Stable returns a title in one line, without emphasis around the whole of it.
func Stable(title string) string {
	title = strings.Join(strings.Fields(title), " ")
	bare := strings.Trim(title, "*_")
	if marks := title[:len(title)-len(strings.TrimLeft(title, "*_"))]; marks != "" && title == marks+bare+marks && PlainText(title) == bare {
		return bare
	}
	return title
}

// Nearest returns the name at most two edits away, fewer for a short word, without regard to case, or "".
func Nearest(word string, names []string) string {
	const longest = 200 // time is the product of the lengths
	best, at := "", min(3, (utf8.RuneCountInString(word)+1)/2)
	if len(word) > longest {
		return best
	}
	for _, name := range names {
		if d := distance(strings.ToLower(name), strings.ToLower(word)); d < at {
			best, at = name, d
		} else if best == "" && len(word) > 2 && strings.HasPrefix(name, word) {
			best = name
		}
	}
	return best
}

// DidYouMean is the end of an error about a word, if one of the names is Nearest to it.
func DidYouMean(word string, names []string) string {
	if near := Nearest(word, names); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// distance counts insertions, deletions, replacements and swaps of neighbours.
func distance(from, to string) int {
	a, b := []rune(from), []rune(to)
	of := make([][]int, len(a)+1) // prefixes
	for i := range of {
		of[i] = make([]int, len(b)+1)
		for j := range of[i] {
			switch {
			case i == 0 || j == 0:
				of[i][j] = i + j
			case a[i-1] == b[j-1]:
				of[i][j] = of[i-1][j-1]
			default:
				of[i][j] = 1 + min(of[i-1][j], of[i][j-1], of[i-1][j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				of[i][j] = min(of[i][j], of[i-2][j-2]+1)
			}
		}
	}
	return of[len(a)][len(b)]
}
