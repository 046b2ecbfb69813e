package builtin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

func runEditFile(ctx context.Context, w *workspace, v values) (string, error) {
	file, content, info, err := w.open(ctx, v.text("path"))
	if err != nil {
		return "", err
	}
	if changed, _ := w.changedSince(file, content); changed {
		return "", fmt.Errorf("%s changed on disk since you read it; read it again", file)
	}
	e, err := edit(string(content), v.text("old"), v.text("new"), v.flag("replace_all"))
	if err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	if err := w.replaceFile(file, []byte(e.text), info); err != nil {
		return "", err
	}
	return fmt.Sprintf("edited %s (%s)\n%s", file, e.note, around(e.text, e)), nil
}

// around returns what changed in a text, with three lines before and after it; of a long change both ends.
func around(text string, e edited) string {
	const margin, end = 3, 9
	if text == "" {
		return "the file is empty"
	}
	lines := linesIn([]byte(text))
	from, to := max(1, e.line-margin), min(e.line+e.lines+margin, len(lines)+1)
	if to-from <= 2*end+2 {
		all, _ := numberedLines(lines, from, to, readBytes)
		return all
	}
	head, next := numberedLines(lines, from, from+end, readBytes/2)
	tail, _ := numberedLines(lines, to-end, to, readBytes/2)
	return fmt.Sprintf("%s[lines %d to %d are not shown]\n%s", head, next, to-end-1, tail)
}

func runWriteFile(_ context.Context, w *workspace, v values) (string, error) {
	file, err := w.locate(v.text("path"))
	if err != nil {
		return "", err
	}
	content := v.text("content")
	if len(content) > maxFile {
		return "", fmt.Errorf("the content is too large (%d bytes; at most %d)", len(content), maxFile)
	}
	old, info, err := w.readFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	changed, known := w.changedSince(file, old)
	switch {
	case len(old) > 0 && string(old) == content:
		return file + " is so already", nil
	case len(old) > 0 && !known:
		return "", fmt.Errorf("%s exists, and you have not read it; read it first", file)
	case len(old) > 0 && changed:
		return "", fmt.Errorf("%s changed on disk since you read it; read it again", file)
	}
	if err := w.replaceFile(file, []byte(content), info); err != nil {
		return "", err
	}
	return fmt.Sprintf("wrote %s: %d lines, %d bytes", file, strings.Count(content, "\n"), len(content)), nil
}
