package tools

import (
	"context"
	_ "embed" // the descriptions of tools
	"fmt"
)

//go:embed edit_file.md
var aboutEditFile string

// failedEdits is how many edits of a file may fail before the model is told to write the whole
// file (others measured that weak models fail at a third of such edits).
const failedEdits = 3

func editFile() Tool {
	return Tool{Name: "edit_file", About: aboutEditFile, Run: runEditFile, Changes: true, Writes: true, args: []arg{
		text("path", "file, relative to the top of the work tree", "file_path", "file", "filename").must(),
		text("old", "exact text to replace", "old_string", "old_text", "old_str", "search").must(),
		text("new", "text that takes its place; empty deletes", "new_string", "new_text", "new_str", "replace").must(),
		flag("replace_all", "replace every occurrence", "all"),
	}}
}

func runEditFile(_ context.Context, w *Workspace, v Values) (string, error) {
	file, err := w.locate(v.text("path"))
	if err != nil {
		return "", err
	}
	content, info, err := w.readFile(file)
	if err != nil {
		return "", err
	}
	if isBinary(content) {
		return "", fmt.Errorf("%s is binary", file)
	}
	if changed, _ := w.changedSince(file, content); changed {
		return "", fmt.Errorf("%s changed on disk since you read it; read it again", file)
	}
	e, err := edit(string(content), v.text("old"), v.text("new"), v.flag("replace_all"))
	if err != nil {
		if n := w.failedEdit(file); n >= failedEdits {
			err = fmt.Errorf("%w\n[%d edits of this file failed. Read it and write it whole with write_file.]", err, n)
		}
		return "", fmt.Errorf("%s: %w", file, err)
	}
	if err := w.replaceFile(file, []byte(e.text), info); err != nil {
		return "", err
	}
	return fmt.Sprintf("edited %s (%s)\n%s", file, e.note, e.around()), nil
}

// around returns the changed place with three lines before and after it.
func (e edited) around() string {
	const margin, most = 3, 40
	from := max(1, e.line-margin)
	return numbered([]byte(e.text), from, min(most, e.line-from+e.lines+margin), readBytes)
}
