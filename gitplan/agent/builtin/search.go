package builtin

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/visible"
)

const (
	searchHits = 100
	searchLine = 300     // bytes of one line shown
	searchFile = 2 << 20 // bytes; larger files are data
)

func runSearch(ctx context.Context, w *workspace, v values) (string, error) {
	re, err := expression(v.text("pattern"), v.flag("literal"))
	if err != nil {
		return "", err
	}
	_, files, err := w.filesIn(ctx, v.text("path"), v.text("glob"))
	if err != nil {
		return "", err
	}
	most := w.most(searchHits)
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
			out = append(out, fmt.Sprintf("%s:%d: %s", agent.OneLine(name, 500), i+1, shownLine(line)))
		}
	}
	return out
}

func shownLine(line []byte) string {
	text := strings.ToValidUTF8(string(line), "\uFFFD")
	if len(text) > searchLine {
		text = visible.Cut(text, searchLine) + " ..."
	}
	return text
}
