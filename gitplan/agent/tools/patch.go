package tools

import (
	"errors"
	"fmt"
	"strings"
)

// filePatch is what a patch does to one file.
type filePatch struct {
	kind  byte // A added, D deleted, M modified, as git has them
	path  string
	to    string // where it is moved; "" if it is not
	text  string // of an added file
	hunks []hunk
}

// hunk is one change of a file: the lines that must be there, and what takes their place.
type hunk struct {
	under    string // a line above it, which may stand anywhere before; "" if none is named
	old, new []string
	last     bool // it ends with the file
}

const (
	patchBegins = "*** Begin Patch"
	patchEnds   = "*** End Patch"
)

// parsePatch reads a patch in the form that GPT models are trained on. The error names the line,
// from 1.
func parsePatch(text string) (files []filePatch, err error) {
	lines := strings.Split(unixLines(text), "\n")
	at := 0
	for at < len(lines) && strings.TrimSpace(lines[at]) != patchBegins {
		at++ // a shell's here document, or a fence
	}
	if at == len(lines) {
		return nil, fmt.Errorf("the patch does not begin with %q", patchBegins)
	}
	for at++; at < len(lines) && strings.TrimSpace(lines[at]) != patchEnds; at++ {
		line := lines[at]
		if f, ok := fileHeader(line); ok {
			if f.path == "" {
				return nil, fmt.Errorf("line %d of the patch names no file", at+1)
			}
			files = append(files, f)
			continue
		}
		if len(files) == 0 {
			if strings.TrimSpace(line) == "" {
				continue
			}
			return nil, fmt.Errorf("line %d of the patch is in no file: begin with *** Update File: PATH, *** Add File: PATH or *** Delete File: PATH", at+1)
		}
		if err := files[len(files)-1].add(line); err != nil {
			return nil, fmt.Errorf("line %d of the patch: %w", at+1, err)
		}
	}
	if len(files) == 0 {
		return nil, errors.New("the patch changes no file")
	}
	for _, f := range files {
		for i := range f.hunks {
			f.hunks[i].trim()
		}
		if f.kind == 'M' && len(f.hunks) == 0 && f.to == "" {
			return nil, fmt.Errorf("the patch does not say what changes in %s", f.path)
		}
	}
	return files, nil
}

func fileHeader(line string) (filePatch, bool) {
	for kind, header := range map[byte]string{'A': "*** Add File:", 'D': "*** Delete File:", 'M': "*** Update File:"} {
		if path, ok := strings.CutPrefix(line, header); ok {
			return filePatch{kind: kind, path: strings.TrimSpace(path)}, true
		}
	}
	return filePatch{}, false
}

// add adds a line below a file's header.
func (f *filePatch) add(line string) error {
	kind, rest := byte(' '), ""
	if line != "" {
		kind, rest = line[0], line[1:]
	}
	if f.kind == 'A' && kind == '+' {
		f.text += rest + "\n"
		return nil
	}
	if f.kind != 'M' {
		if strings.TrimSpace(line) == "" {
			return nil
		}
		return errors.New("only lines with + may follow Add File, and none may follow Delete File")
	}
	if to, ok := strings.CutPrefix(line, "*** Move to:"); ok && len(f.hunks) == 0 {
		f.to = strings.TrimSpace(to)
		return nil
	}
	if under, ok := strings.CutPrefix(line, "@@"); ok {
		f.hunks = append(f.hunks, hunk{under: strings.TrimSpace(strings.TrimSuffix(under, "@@"))})
		return nil
	}
	if len(f.hunks) == 0 {
		f.hunks = append(f.hunks, hunk{})
	}
	h := &f.hunks[len(f.hunks)-1]
	switch {
	case strings.TrimSpace(line) == "*** End of File":
		h.last = true
	case kind == ' ':
		h.old, h.new = append(h.old, rest), append(h.new, rest)
	case kind == '-':
		h.old = append(h.old, rest)
	case kind == '+':
		h.new = append(h.new, rest)
	default:
		return errors.New("it begins with none of +, - and a blank")
	}
	return nil
}

// trim drops empty lines at the end: models put them between the parts of a patch.
func (h *hunk) trim() {
	for len(h.old) > 0 && len(h.new) > 0 && h.old[len(h.old)-1] == "" && h.new[len(h.new)-1] == "" {
		h.old, h.new = h.old[:len(h.old)-1], h.new[:len(h.new)-1]
	}
}

// apply makes the changes of a file in its text, from top to bottom, each below the one before.
// Line ends and a byte order mark stay as they are.
func (f filePatch) apply(content string) (string, error) {
	body, mark := strings.CutPrefix(content, "\uFEFF")
	crlf := strings.Count(body, "\r\n")
	windows := crlf > 0 && crlf == strings.Count(body, "\n")
	if windows {
		body = unixLines(body)
	}
	lines, ended := strings.Split(body, "\n"), strings.HasSuffix(body, "\n")
	if ended {
		lines = lines[:len(lines)-1]
	}
	at := 0
	for n, h := range f.hunks {
		from, err := h.place(lines, at)
		if err != nil {
			return "", fmt.Errorf("change %d of %d: %w", n+1, len(f.hunks), err)
		}
		lines = append(append(append([]string{}, lines[:from]...), h.new...), lines[from+len(h.old):]...)
		at = from + len(h.new)
	}
	body = strings.Join(lines, "\n")
	if ended || content == "" {
		body += "\n"
	}
	if windows {
		body = windowsLines(body)
	}
	if mark {
		body = "\uFEFF" + body
	}
	return body, nil
}

// place returns the index of the line at which a hunk begins, at or after a line. It takes the
// lines as they are, or else but for blanks at their ends. If the hunk names no line above it,
// there must be one place only.
func (h hunk) place(lines []string, at int) (int, error) {
	if h.under != "" {
		below := -1
		for i := at; i < len(lines) && below < 0; i++ {
			if strings.TrimSpace(lines[i]) == h.under {
				below = i + 1
			}
		}
		if below < 0 {
			return 0, fmt.Errorf("the line %q of its @@ is not below the previous change", h.under)
		}
		at = below
	}
	if len(h.old) == 0 {
		if h.under != "" {
			return at, nil
		}
		return len(lines), nil // nothing says where: at the end
	}
	for _, same := range []func(a, b string) bool{
		func(a, b string) bool { return a == b },
		func(a, b string) bool { return strings.TrimRight(a, " \t") == strings.TrimRight(b, " \t") },
	} {
		var found []int
		for i := at; i+len(h.old) <= len(lines); i++ {
			if sameLines(lines[i:i+len(h.old)], h.old, same) && (!h.last || i+len(h.old) == len(lines)) {
				found = append(found, i)
			}
		}
		switch {
		case len(found) == 1 || len(found) > 1 && h.under != "":
			return found[0], nil
		case len(found) > 1:
			return 0, fmt.Errorf("its lines are in %d places, first in line %d and %d; give more lines around it, or @@ with a line above it", len(found), found[0]+1, found[1]+1)
		}
	}
	return 0, errors.New("its lines are not in the file below the previous change" + closest(lines, h.old))
}

func sameLines(a, b []string, same func(a, b string) bool) bool {
	for i := range b {
		if !same(a[i], b[i]) {
			return false
		}
	}
	return true
}
