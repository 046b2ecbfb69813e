package builtin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// edited is a text after an edit, with the place of the change.
type edited struct {
	text  string
	note  string
	line  int // the first changed line, from 1
	lines int // the number of new lines
}

// edit replaces old with new in content: the exact text if it occurs once (or all are meant), else the only whole lines
// that differ from it in trailing blanks or one indentation throughout. Line ends stay.
func edit(content, old, new string, all bool) (edited, error) {
	switch {
	case old == "":
		return edited{}, errors.New("old is empty; use write_file for a new file")
	case old == new:
		return edited{}, errors.New("old and new are the same")
	}
	body, crlf := content, strings.Count(content, "\r\n")
	windows := crlf > 0 && crlf == strings.Count(content, "\n")
	if windows {
		body, old, new = unixLines(body), unixLines(old), unixLines(new)
	}
	plain := linePrefixes().ReplaceAllString(old, "")
	if plain != old && !strings.Contains(body, old) && strings.Contains(body, plain) {
		old, new = plain, linePrefixes().ReplaceAllString(new, "")
	}
	e, err := replace(body, old, new, all)
	if err != nil {
		return edited{}, err
	}
	if windows {
		e.text = strings.ReplaceAll(e.text, "\n", "\r\n")
	}
	return e, nil
}

// linePrefixes matches prefixes of shown lines, which a session may copy: "12|" of read_file, "| " of its prompt.
var linePrefixes = visible.NewPattern(`(?m)^(?:\d+\||\| ?)`)

func unixLines(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

func replace(content, old, new string, all bool) (edited, error) {
	if n := strings.Count(content, old); n == 1 || n > 1 && all {
		return edited{text: strings.ReplaceAll(content, old, new), note: fmt.Sprintf("%d replaced", n),
			line: linesOf(content, old, 1)[0], lines: strings.Count(strings.TrimSuffix(new, "\n"), "\n") + 1}, nil
	} else if n > 1 {
		return edited{},
			fmt.Errorf("old occurs %d times, in lines %s; add lines around it until it is the only one, or set replace_all",
				n, strings.Trim(strings.ReplaceAll(fmt.Sprint(linesOf(content, old, 6)), " ", ", "), "[]"))
	}
	const telling = 40 // bytes of a line that is not in a file anyway, such as a bracket
	lines, wanted := strings.Split(content, "\n"), strings.Split(strings.TrimSuffix(old, "\n"), "\n")
	var found []int
	var by shift
	for i := 0; i+len(wanted) <= len(lines); i++ {
		if s, ok := shifted(lines[i:i+len(wanted)], wanted); ok {
			found, by = append(found, i), s
		}
	}
	switch {
	case len(found) == 1:
		return by.replace(lines, found[0], len(wanted), new), nil
	case len(found) > 1:
		return edited{},
			fmt.Errorf("old does not occur exactly, and with other blanks in %d places; copy it from the file", len(found))
	case (len(new) >= telling || strings.Contains(strings.TrimSpace(new), "\n")) && strings.Count(content, new) == 1:
		return edited{}, errors.New("old does not occur, and new is there already: this edit seems to be made")
	}
	if at := visible.Closest(lines, wanted); at >= 0 {
		text, _ := numberedLines(linesIn([]byte(content)), at+1, at+1+min(len(wanted), 40), readBytes)
		return edited{}, errors.New("old does not occur; the closest lines are\n" + text)
	}
	return edited{}, errors.New("old does not occur; read the file again and copy the text exactly")
}

// shift is the difference of indentation between a model's lines and those of the file.
type shift struct{ add, drop string }

// shifted reports whether lines equal wanted, apart from trailing blanks and one shift, which the first words decide.
func shifted(lines, wanted []string) (s shift, ok bool) {
	const blanks = " \t\r"
	indent := func(line string) string { return line[:len(line)-len(strings.TrimLeft(line, blanks))] }
	for i, w := range wanted {
		if strings.TrimSpace(w) == "" && strings.TrimSpace(lines[i]) == "" {
			continue
		}
		if has, given := indent(lines[i]), indent(w); !ok {
			s, ok = shift{strings.TrimSuffix(has, given), strings.TrimSuffix(given, has)}, true
		}
		rest, found := strings.CutPrefix(lines[i], s.add)
		if !found || s.add != "" && s.drop != "" || strings.TrimRight(s.drop+rest, blanks) != strings.TrimRight(w, blanks) {
			return s, false
		}
	}
	return s, ok
}

// replace puts new, shifted like the text that was found, instead of n lines.
func (s shift) replace(lines []string, at, n int, new string) edited {
	var with []string
	if new != "" {
		with = strings.Split(strings.TrimSuffix(new, "\n"), "\n")
	}
	ending := ""
	if strings.HasSuffix(lines[at], "\r") {
		ending = "\r"
	}
	for i, l := range with {
		if l = strings.TrimSuffix(l, "\r"); strings.TrimSpace(l) != "" {
			l = s.add + strings.TrimPrefix(l, s.drop)
		}
		with[i] = l + ending
	}
	out := slices.Concat(lines[:at], with, lines[at+n:])
	note := "1 replaced; it was found only without regard to blanks at line ends"
	if s != (shift{}) {
		note = "1 replaced; its indentation differed from the file's, so the new text was indented like the old: check it"
	}
	return edited{text: strings.Join(out, "\n"), note: note, line: at + 1, lines: len(with)}
}

// linesOf returns the line numbers of the first most occurrences of part.
func linesOf(s, part string, most int) (out []int) {
	for at := 0; len(out) < most && strings.Contains(s[at:], part); at += len(part) {
		at += strings.Index(s[at:], part)
		out = append(out, 1+strings.Count(s[:at], "\n"))
	}
	return out
}

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

// around returns what changed in a text, with three lines before and after it; of a long change the beginning.
func around(text string, e edited) string {
	const margin, most = 3, 20
	lines := linesIn([]byte(text))
	from, to := max(1, e.line-margin), min(e.line+e.lines+margin, len(lines)+1)
	out, next := numberedLines(lines, from, min(to, from+most), readBytes)
	if next < to {
		out += fmt.Sprintf("[lines %d to %d are not shown]\n", next, to-1)
	}
	return out
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
