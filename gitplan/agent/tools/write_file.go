package tools

import (
	"context"
	_ "embed" // the descriptions of tools
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed write_file.md
var aboutWriteFile string

func writeFile() Tool {
	return Tool{Name: "write_file", About: aboutWriteFile, Run: runWriteFile, Changes: true, Writes: true, args: []arg{
		text("path", "file, relative to the top of the work tree", "file_path", "file", "filename").must(),
		text("content", "the whole new content", "contents", "text").must(),
	}}
}

func runWriteFile(_ context.Context, w *Workspace, v Values) (string, error) {
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
