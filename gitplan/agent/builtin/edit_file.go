package builtin

import (
	"context"
	_ "embed" // the descriptions of tools
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed edit_file.md
var aboutEditFile string

// failedEdits is how many edits of a file may fail before the model is asked to write the whole
// file (others measured that weak models fail at a third of such edits).
const failedEdits = 3

func editFile() tool {
	args := []arg{text("path", "file, relative to the top of the work tree", "file_path", "file", "filename").must()}
	for _, field := range editFields() {
		field.needed = false
		args = append(args, field)
	}
	args = append(args, list("edits", "in place of old and new: several edits, made in this order, all or none", editFields()...))
	return tool{Name: "edit_file", About: aboutEditFile, Run: runEditFile, check: checkEditFile, Changes: true, Writes: true, args: args}
}

// editFields returns what one edit is given.
func editFields() []arg {
	return []arg{
		text("old", "exact text to replace", "old_string", "old_text", "old_str", "search").must(),
		text("new", "its replacement; empty deletes", "new_string", "new_text", "new_str", "replace").must(),
		flag("replace_all", "replace every occurrence", "all"),
	}
}

// change is one edit that a call asks for.
type change struct {
	old, new string
	all      bool
}

// changes returns the edits that a call asks for, in their order; nil if it names none.
func changes(v values) ([]change, error) {
	_, hasOld := v["old"]
	_, hasNew := v["new"]
	var items []json.RawMessage
	if raw, ok := v["edits"].(json.RawMessage); ok {
		_ = json.Unmarshal(raw, &items)
	}
	if len(items) == 0 {
		if !hasOld || !hasNew {
			return nil, errors.New(`edit_file needs the arguments "old" and "new" (string), or "edits" (array)`)
		}
		return []change{{v.text("old"), v.text("new"), v.flag("replace_all")}}, nil
	}
	if v.text("old") != "" || v.text("new") != "" {
		return nil, errors.New("give old and new, or edits, and not both")
	}
	var out []change
	edits := tool{Name: "each of the edits", args: editFields()}
	for i, item := range items {
		e, err := edits.read(string(item))
		if err != nil {
			return nil, fmt.Errorf("edit %d: %w", i+1, err)
		}
		out = append(out, change{e.text("old"), e.text("new"), e.flag("replace_all")})
	}
	return out, nil
}

func checkEditFile(v values) error {
	_, err := changes(v)
	return err
}

func runEditFile(_ context.Context, w *workspace, v values) (string, error) {
	wanted, err := changes(v)
	if err != nil {
		return "", err
	}
	file, err := w.locate(v.text("path"))
	if err != nil {
		return "", err
	}
	content, info, err := w.textToEdit(file)
	if err != nil {
		return "", err
	}
	text, done, err := editAll(content, wanted)
	if err != nil {
		if n := w.failedEdit(file); n >= failedEdits {
			err = fmt.Errorf("%w\n[%d edits of this file failed. Read it and write it whole with write_file.]", err, n)
		}
		return "", fmt.Errorf("%s: %w", file, err)
	}
	if err := w.replaceFile(file, []byte(text), info); err != nil {
		return "", err
	}
	if len(done) == 1 {
		return fmt.Sprintf("edited %s (%s)\n%s", file, done[0].note, around(text, done[0])), nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "edited %s (%d edits)\n", file, len(done))
	for i, e := range done {
		fmt.Fprintf(&b, "edit %d (%s)\n%s", i+1, e.note, around(text, e))
	}
	return b.String(), nil
}

// editAll makes each edit in the text that those before it left. The lines of all that were
// made are those of the last text. The error names each edit that failed; then none is made.
func editAll(text string, wanted []change) (string, []edited, error) {
	var done []edited
	var failed []string
	for i, c := range wanted {
		e, err := edit(text, c.old, c.new, c.all)
		if err != nil {
			failed = append(failed, fmt.Sprintf("edit %d of %d: %v", i+1, len(wanted), err))
			if len(wanted) == 1 {
				return "", nil, err
			}
			continue
		}
		for k := range done {
			done[k].line += e.grew * e.before(done[k].line)
		}
		text, done = e.text, append(done, e)
	}
	if failed != nil {
		return "", nil, errors.New(strings.Join(failed, "\n") + "\n[none of the edits was made]")
	}
	return text, done, nil
}

// around returns a changed place of a text, with three lines before and after it. Of a long
// one both ends are enough to see that it fits: the model wrote what is between them.
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

//go:embed write_file.md
var aboutWriteFile string

func writeFile() tool {
	return tool{Name: "write_file", About: aboutWriteFile, Run: runWriteFile, Changes: true, Writes: true, args: []arg{
		text("path", "file, relative to the top of the work tree", "file_path", "file", "filename").must(),
		text("content", "the whole new content", "contents", "text").must(),
	}}
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
