package builtin

import (
	"bytes"
	"context"
	_ "embed" // the descriptions of tools
	"fmt"
	"regexp"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/visible"
)

//go:embed search.md
var aboutSearch string

const (
	searchHits = 100
	searchLine = 300     // bytes of one line shown
	searchFile = 2 << 20 // bytes; larger files are data

	searchContext = 5 // lines before and after each that matches
)

func search() tool {
	return tool{Name: "search", About: aboutSearch, Run: runSearch, args: []arg{
		text("pattern", "regular expression", "query", "regex").must(),
		text("path", "file or folder; default: all", "dir", "directory", "folder"),
		text("glob", "only files whose path matches", "include"),
		flag("literal", "take the pattern as plain text", "fixed"),
		whole("context", fmt.Sprintf("lines before and after each match, 0 to %d; default 0", searchContext), "context_lines"),
	}}
}

func runSearch(ctx context.Context, w *workspace, v values) (string, error) {
	re, err := expression(v.text("pattern"), v.flag("literal"))
	if err != nil {
		return "", err
	}
	dir, files, err := w.filesIn(ctx, v.text("path"))
	if err != nil {
		return "", err
	}
	if glob := v.text("glob"); glob != "" {
		if files, err = matching(files, dir, glob); err != nil {
			return "", err
		}
	}
	most := w.most(searchHits)
	margin := min(max(0, v.whole("context", 0)), searchContext)
	var hits []string
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if hits = append(hits, w.hits(re, f, margin)...); len(hits) > most {
			return strings.Join(hits[:most], "\n") + "\n[there are more; search for something narrower]", nil
		}
	}
	if hits == nil {
		return fmt.Sprintf("nothing found in %d files", len(files)), nil
	}
	return strings.Join(hits, "\n"), nil
}

func expression(pattern string, literal bool) (*regexp.Regexp, error) {
	if len(pattern) > 1000 || pattern == "" {
		return nil, fmt.Errorf("the pattern must have 1 to 1000 bytes")
	}
	if literal {
		pattern = regexp.QuoteMeta(pattern)
	}
	re, err := regexp.Compile("(?m)" + pattern)
	if err != nil {
		return nil, fmt.Errorf("the pattern is not a regular expression: %w (set literal for plain text)", err)
	}
	return re, nil
}

// hits returns the lines of one file that match, each with margin lines before and after it, as grep does.
func (w *workspace) hits(re *regexp.Regexp, name string, margin int) (out []string) {
	lines := w.searched(re, name)
	shown := 0 // lines of the file, up to the last one returned
	name = agent.OneLine(name, 500)
	for i, line := range lines {
		if !re.Match(line) || len(out) > searchHits {
			continue
		}
		from := max(shown, i-margin)
		if margin > 0 && from > shown && shown > 0 {
			out = append(out, "--")
		}
		for shown = from; shown < min(len(lines), i+margin+1); shown++ {
			mark := "-"
			if re.Match(lines[shown]) {
				mark = ":"
			}
			out = append(out, fmt.Sprintf("%s%s%d%s %s", name, mark, shown+1, mark, shownLine(lines[shown])))
		}
	}
	return out
}

// searched returns the lines of a file, nil if it cannot be read or nothing in it matches.
func (w *workspace) searched(re *regexp.Regexp, name string) [][]byte {
	// A link is left out: what it points to is listed itself, or not to be read.
	if info, err := w.root.Lstat(name); err != nil || !info.Mode().IsRegular() || info.Size() > searchFile {
		return nil
	}
	content, _, err := w.readFile(name)
	if err != nil || isBinary(content) || !re.Match(content) {
		return nil
	}
	lines := linesIn(content)
	for i := range lines {
		lines[i] = bytes.TrimSuffix(lines[i], []byte("\r"))
	}
	return lines
}

func shownLine(line []byte) string {
	text := strings.ToValidUTF8(string(line), "\uFFFD")
	if len(text) > searchLine {
		text = visible.Cut(text, searchLine) + " ..."
	}
	return text
}
