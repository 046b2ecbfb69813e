package builtin

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/visible"
)

const (
	searchHits = 100     // the maximum number of lines in an answer
	searchLine = 300     // the maximum size of a line in an answer, in bytes
	searchFile = 2 << 20 // the maximum size of a searched file, in bytes
)

func runSearch(ctx context.Context, w *workspace, v values) (string, error) {
	pattern := v.text("pattern")
	if len(pattern) > 1000 || pattern == "" {
		return "", fmt.Errorf("the pattern must have 1 to 1000 bytes")
	}
	if v.flag("literal") {
		pattern = regexp.QuoteMeta(pattern)
	}
	re, err := regexp.Compile("(?m)" + pattern)
	if err != nil {
		return "", fmt.Errorf("the pattern is not a regular expression: %w (set literal for plain text)", err)
	}
	_, files, err := w.filesIn(ctx, v.text("path"), v.text("glob"))
	if err != nil {
		return "", err
	}
	most := w.limit(searchHits)
	var hits []string
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if hits = append(hits, w.hits(re, f)...); len(hits) > most {
			return strings.Join(hits[:most], "\n") + "\n[there are more; search for something narrower]", nil
		}
	}
	if hits == nil {
		return fmt.Sprintf("nothing found in %d files", len(files)), nil
	}
	return strings.Join(hits, "\n"), nil
}

// hits returns the lines of one file that match; none if it cannot be read.
func (w *workspace) hits(re *regexp.Regexp, name string) (out []string) {
	// Links are left out: their target is either listed itself or must not be read.
	if info, err := w.root.Lstat(name); err != nil || !info.Mode().IsRegular() || info.Size() > searchFile {
		return nil
	}
	content, _, err := w.readFile(name)
	if err != nil || isBinary(content) || !re.Match(content) {
		return nil
	}
	for i, line := range linesIn(content) {
		if line = bytes.TrimSuffix(line, []byte("\r")); re.Match(line) && len(out) <= searchHits {
			out = append(out, fmt.Sprintf("%s:%d: %s", agent.OneLine(name, 500), i+1, shown(line, searchLine)))
		}
	}
	return out
}

// definition matches a line that defines a name, in most languages; the expression of the name takes %s's place.
const definition = `^[ \t]*(?:[\w@]+[ \t]+)*(?:func|fn|def|fun|function|class|struct|interface|type|enum|trait|impl|` +
	`const|let|var|val|object|module|namespace|macro_rules!|#define)\b[^=;]*?\b%[1]s\b|^[ \t]*(?:[\w<>\[\],.*&:]+[ \t]+)*[*&]?%[1]s[ \t]*\([^;]*\{[ \t]*$`

var (
	anyDefinition = visible.NewPattern(fmt.Sprintf(definition, `[A-Za-z_]\w*`))
	annotation    = visible.NewPattern(`^[ \t]*(?://|/?\*|#|@|--)`)
	control       = visible.NewPattern(`^[ \t}]*(?:if|else|for|while|switch|catch|return|case)\b`)
	closing       = visible.NewPattern(`^[ \t]*(?:[})\]]|end\b)`)
	// continues is the rest of a signature of several lines, or a brace on a line of its own.
	continues = visible.NewPattern(`^[ \t]*(?:[})\]].*[:{(]|\{|where\b.*)$`)
)

// signature returns a line, with the brace that follows it on a line of its own; nothing if that is a statement.
func signature(lines [][]byte, i int) []byte {
	switch {
	case control().Match(lines[i]):
		return nil
	case i+1 < len(lines) && string(bytes.TrimSpace(lines[i+1])) == "{":
		return append(slices.Clip(lines[i]), " {"...)
	}
	return lines[i]
}

// definitions returns the lines of a file that define a name, with the comments above them; an error if none do.
func definitions(content []byte, name string, most int) (string, error) {
	lines := linesIn(content)
	last := name[strings.LastIndexAny(name, ".:#")+1:]
	defines, err := regexp.Compile(fmt.Sprintf(definition, regexp.QuoteMeta(last)))
	if err != nil || last == "" {
		return "", fmt.Errorf("%q is not a name", name)
	}
	var b strings.Builder
	for i := 0; i < len(lines) && b.Len() < most; i++ {
		if !defines.Match(signature(lines, i)) {
			continue
		}
		from, to := i, bodyEnd(lines, i)
		for from > 0 && annotation().Match(lines[from-1]) {
			from--
		}
		text, next := numberedLines(lines, from+1, to+1, most-b.Len())
		b.WriteString(text)
		i = max(i, next-2)
	}
	if b.Len() == 0 {
		return "", fmt.Errorf("no line here defines %s; search for it", last)
	}
	return b.String(), nil
}

// bodyEnd returns the line behind what begins at a line: the next that is not indented deeper, and closes nothing.
func bodyEnd(lines [][]byte, at int) int {
	indent := func(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " \t")) }
	for i := at + 1; i < len(lines); i++ {
		line := bytes.TrimRight(lines[i], " \t\r")
		switch {
		case len(line) == 0 || indent(line) > indent(lines[at]) || continues().Match(line):
		case closing().Match(line):
			return i + 1
		default:
			return i
		}
	}
	return len(lines)
}

// outline returns at most most lines, from a line on, that define something.
func outline(lines [][]byte, from, most int) string {
	var b strings.Builder
	for i := from - 1; i < len(lines) && most > 0; i++ {
		if anyDefinition().Match(signature(lines, i)) {
			fmt.Fprintf(&b, "%d|%s\n", i+1, shown(lines[i], searchLine))
			most--
		}
	}
	return b.String()
}
