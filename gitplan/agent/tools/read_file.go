package tools

import (
	"bytes"
	"context"
	_ "embed" // the descriptions of tools
	"errors"
	"fmt"
	"io/fs"
	"path"
	"sort"
	"strings"

	"github.com/git-plan/git-plan/gitplan/visible"
)

//go:embed read_file.md
var aboutReadFile string

// What one call of read_file returns at most.
const (
	readLines    = 400
	readBytes    = 32 << 10
	readLineSize = 2000 // bytes of one line
)

func readFile() Tool {
	return Tool{Name: "read_file", About: aboutReadFile, Run: runReadFile, Informs: true, args: []arg{
		text("path", "file, relative to the top of the work tree", "file_path", "file", "filename").must(),
		whole("offset", "first line, from 1", "start_line", "start", "line"),
		whole("limit", "number of lines", "lines", "max_lines"),
	}}
}

func runReadFile(_ context.Context, w *Workspace, v Values) (string, error) {
	from, limit := v.whole("offset", 1), min(v.whole("limit", readLines), w.most(readLines))
	if name, ok := strings.CutPrefix(v.text("path"), outputPrefix); ok {
		content, err := w.outputs.read(name)
		if err != nil {
			return "", err
		}
		return numbered(content, from, limit, w.most(readBytes)), nil
	}
	file, err := w.locate(v.text("path"))
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
	return numbered(content, from, limit, w.most(readBytes)), nil
}

// numbered returns a window of lines of a file, of at most limit lines and about most
// bytes, with what is missing named.
func numbered(content []byte, from, limit, most int) string {
	if len(content) == 0 {
		return "the file is empty"
	}
	lines := bytes.Split(bytes.TrimSuffix(content, []byte("\n")), []byte("\n"))
	from = max(1, from)
	if from > len(lines) {
		return fmt.Sprintf("the file has only %d lines", len(lines))
	}
	if limit <= 0 || limit > readLines {
		limit = readLines
	}
	var b strings.Builder
	n := from
	for ; n <= len(lines) && n < from+limit && b.Len() < most; n++ {
		line := strings.ToValidUTF8(string(bytes.TrimSuffix(lines[n-1], []byte("\r"))), "\uFFFD")
		if len(line) > readLineSize {
			line = fmt.Sprintf("%s [... %d bytes more]", visible.Cut(line, readLineSize), len(line)-readLineSize)
		}
		fmt.Fprintf(&b, "%d|%s\n", n, line)
	}
	if n <= len(lines) {
		fmt.Fprintf(&b, "[%d of %d lines; go on with offset %d]\n", n-from, len(lines), n)
	}
	return b.String()
}

// similar names files beside a missing one that it may have meant.
func (w *Workspace) similar(file string) string {
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
