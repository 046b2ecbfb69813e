package builtin

import (
	"bytes"
	"context"
	_ "embed" // the descriptions of tools
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/visible"
)

//go:embed read_file.md
var aboutReadFile string

// What one call of read_file returns at most: so many lines of each file, and so many bytes
// of all together. With a large context it is what one turn is answered with at 64k tokens.
const (
	readLines      = 400
	readBytes      = 32 << 10
	readLinesLarge = 1500
	readBytesLarge = 52 << 10
	readLineSize   = 2000 // bytes of one line
	readFiles      = 20
)

func readFile() tool {
	return tool{Name: "read_file", About: aboutReadFile, Run: runReadFile, check: checkReadFile, args: []arg{
		text("path", "the file, relative to the top of the work tree", "file_path", "file", "filename"),
		list("paths", fmt.Sprintf("several files at once, in place of path; at most %d", readFiles)),
		whole("offset", "first line, from 1; default 1", "start_line", "start", "line"),
		whole("limit", "number of lines of each file; default: as many as fit", "lines", "max_lines"),
	}}
}

func checkReadFile(v values) error {
	switch n := len(v.paths()); {
	case n == 0:
		return errors.New(`read_file needs the argument "path" (string), or "paths" (array)`)
	case n > readFiles:
		return fmt.Errorf("%d files are too many for one call; at most %d", n, readFiles)
	}
	return nil
}

// runReadFile reads each file that a call names. Of several, each has a heading and an equal
// share of the bytes; what a short one leaves, those after it have.
func runReadFile(_ context.Context, w *workspace, v values) (string, error) {
	names := v.paths()
	lines, bytes := w.reads()
	from, limit := v.whole("offset", 1), v.whole("limit", lines)
	if limit <= 0 || limit > lines {
		limit = lines
	}
	if len(names) == 1 {
		return w.read(names[0], from, limit, bytes)
	}
	var b strings.Builder
	failed := 0
	for i, name := range names {
		part, err := w.read(name, from, limit, (bytes-b.Len())/(len(names)-i))
		if err != nil {
			failed++
			part = "error: " + err.Error() + "\n"
		}
		fmt.Fprintf(&b, "==> %s <==\n%s\n", agent.OneLine(name, 500), strings.TrimSuffix(part, "\n"))
	}
	if failed == len(names) {
		return "", errors.New("none of them can be read\n" + b.String())
	}
	return b.String(), nil
}

// paths returns the files that a call names, each once.
func (v values) paths() []string {
	var names []string
	for _, name := range append(v.texts("paths"), v.text("path")) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// reads returns how many lines of a file, and bytes of all files, one call returns at most.
func (w *workspace) reads() (lines, bytes int) {
	if w.window >= largeWindow {
		return readLinesLarge, readBytesLarge
	}
	return w.most(readLines), w.most(readBytes)
}

// read returns a window of lines of a file.
func (w *workspace) read(name string, from, limit, most int) (string, error) {
	file, err := w.locate(name)
	if err != nil {
		return "", err
	}
	content, _, err := w.readFile(file)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w%s", err, w.similar(file))
		}
		return "", err
	}
	if isBinary(content) {
		return fmt.Sprintf("%s is binary, %d bytes", file, len(content)), nil
	}
	w.know(file, content)
	return numbered(content, from, limit, most), nil
}

// numbered returns a window of lines of a file, of at most limit lines and about most
// bytes, with what is missing named.
func numbered(content []byte, from, limit, most int) string {
	if len(content) == 0 {
		return "the file is empty"
	}
	lines := linesIn(content)
	from = max(1, from)
	if from > len(lines) {
		return fmt.Sprintf("the file has only %d lines", len(lines))
	}
	text, next := numberedLines(lines, from, from+limit, most)
	if next <= len(lines) {
		text += fmt.Sprintf("[%d of %d lines; go on with offset %d]\n", next-from, len(lines), next)
	}
	return text
}

func linesIn(content []byte) [][]byte {
	return bytes.Split(bytes.TrimSuffix(content, []byte("\n")), []byte("\n"))
}

// numberedLines returns the lines from one to before another, with their numbers, of about most
// bytes, and which line comes next.
func numberedLines(lines [][]byte, from, to, most int) (text string, next int) {
	var b strings.Builder
	for next = from; next < min(to, len(lines)+1) && b.Len() < most; next++ {
		line := strings.ToValidUTF8(string(bytes.TrimSuffix(lines[next-1], []byte("\r"))), "\uFFFD")
		if len(line) > readLineSize {
			line = fmt.Sprintf("%s [... %d bytes more]", visible.Cut(line, readLineSize), len(line)-readLineSize)
		}
		fmt.Fprintf(&b, "%d|%s\n", next, line)
	}
	return b.String(), next
}

// similar names files beside a missing one that it may have meant.
func (w *workspace) similar(file string) string {
	dir, err := w.root.Open(path.Dir(file))
	if err != nil {
		return ""
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(2000)
	sort.Strings(names)
	stem := strings.ToLower(strings.TrimSuffix(path.Base(file), path.Ext(file)))
	var found []string
	for _, n := range names {
		if l := strings.ToLower(n); len(found) < 5 && !isGit(n) && stem != "" &&
			(strings.Contains(l, stem) || strings.Contains(stem, strings.TrimSuffix(l, path.Ext(l)))) {
			found = append(found, path.Join(path.Dir(file), n))
		}
	}
	if found == nil {
		return ""
	}
	return "; did you mean " + strings.Join(found, ", ") + "?"
}
