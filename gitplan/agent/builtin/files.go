package builtin

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// What one call of read_file and of list_files returns at most.
const (
	readLines      = 400
	readBytes      = 32 << 10
	readLinesLarge = 1500
	readBytesLarge = 52 << 10
	readLineSize   = 2000 // bytes of one line
	maxOutline     = 60   // lines that are not shown

	listEntries = 300
	listFilesIn = 200_000 // looked at in a tree
	listDepth   = 2
)

func runReadFile(ctx context.Context, w *workspace, v values) (string, error) {
	most, size := w.limit(readLines), w.limit(readBytes)
	if w.window >= largeWindow {
		most, size = readLinesLarge, readBytesLarge
	}
	limit := v.integer("limit", most)
	if limit <= 0 || limit > most {
		limit = most
	}
	file, content, _, err := w.open(ctx, v.text("path"))
	if err != nil {
		return "", err
	}
	w.remember(file, content)
	if name := v.text("symbol"); name != "" {
		return definitions(content, name, size)
	}
	lines, from := linesIn(content), max(1, v.integer("offset", 1))
	switch {
	case len(content) == 0:
		return "the file is empty", nil
	case from > len(lines):
		return fmt.Sprintf("the file has only %d lines", len(lines)), nil
	}
	text, next := numberedLines(lines, from, from+limit, size)
	if next <= len(lines) {
		text += fmt.Sprintf("[%d of %d lines; go on with offset %d]\n", next-from, len(lines), next)
		if more := outline(lines, next, maxOutline); more != "" {
			text += "[what is defined further on, to be read by symbol]\n" + more
		}
	}
	return text, nil
}

func linesIn(content []byte) [][]byte {
	return bytes.Split(bytes.TrimSuffix(content, []byte("\n")), []byte("\n"))
}

// numberedLines returns the lines [from, to) with their numbers, of about most bytes, and the next line.
func numberedLines(lines [][]byte, from, to, most int) (text string, next int) {
	var b strings.Builder
	for next = from; next < min(to, len(lines)+1) && b.Len() < most; next++ {
		fmt.Fprintf(&b, "%d|%s\n", next, shown(lines[next-1], readLineSize))
	}
	return b.String(), next
}

// shown returns a line for the model, of about most bytes.
func shown(line []byte, most int) string {
	text := strings.ToValidUTF8(string(bytes.TrimSuffix(line, []byte("\r"))), "\uFFFD")
	if len(text) > most {
		text = fmt.Sprintf("%s [... %d bytes more]", visible.Cut(text, most), len(text)-most)
	}
	return text
}

func runListFiles(ctx context.Context, w *workspace, v values) (string, error) {
	dir, files, err := w.filesIn(ctx, v.text("path"), v.text("glob"))
	if err != nil {
		return "", err
	}
	if v.text("glob") == "" {
		files = folded(files, dir, max(1, v.integer("depth", listDepth)))
	}
	if len(files) == 0 {
		return "no files", nil
	}
	more := ""
	if n := len(files) - w.limit(listEntries); n > 0 {
		files, more = files[:w.limit(listEntries)], fmt.Sprintf("\n[%d more; name a folder or a glob]", n)
	}
	for i, f := range files {
		files[i] = agent.OneLine(f, 500)
	}
	return strings.Join(files, "\n") + more, nil
}

// filesIn lists the files under a folder (or the one file) that a model named, sorted, as git does, since git knows
// what is ignored; with a glob, only those that match, relative to dir or to the top.
func (w *workspace) filesIn(ctx context.Context, name, glob string) (dir string, files []string, err error) {
	name = cmp.Or(name, ".")
	if dir, err = w.locate(name); err != nil {
		return "", nil, err
	}
	if _, err = w.root.Stat(dir); err != nil {
		return "", nil, plainError(name, err)
	}
	out := proc.Head{Max: 64 << 20}
	exit, err := proc.Run(ctx, proc.Cmd{
		Name: "git", Outside: true, Dir: w.dir, Env: append(slices.Clip(w.env), "GIT_ALLOW_PROTOCOL=none",
			"GIT_NO_LAZY_FETCH=1"), Stdout: &out, Group: true, Timeout: time.Minute,
		Args: []string{"-c", "core.fsmonitor=false", "--literal-pathspecs", "ls-files", "-z",
			"--cached", "--others", "--exclude-standard", "--", dir},
	})
	if err != nil || !exit.OK() {
		return dir, nil, cmp.Or(err, fmt.Errorf("git cannot list the files (exit code %d)", exit.Code))
	}
	if _, err := disk.Match(glob, ""); err != nil || len(glob) > 500 {
		return dir, nil, fmt.Errorf("%q is not a valid glob", agent.OneLine(glob, 80))
	}
	if glob != "" && !strings.Contains(glob, "/") {
		glob = "**/" + glob
	}
	matches := func(path string) bool { ok, _ := disk.Match(glob, path); return ok }
	for f := range strings.SplitSeq(string(out.Text), "\x00") {
		if f == "" || !utf8.ValidString(f) || len(files) >= listFilesIn {
			continue
		}
		f = strings.TrimSuffix(f, "/")
		if _, err := w.root.Lstat(f); err != nil { // the index also holds deleted files
			continue
		}
		if glob == "" || matches(f) || matches(strings.TrimPrefix(f, dir+"/")) {
			files = append(files, f)
		}
	}
	slices.Sort(files)
	return dir, slices.Compact(files), nil
}

// folded replaces the files more than depth folders below dir with one line for each folder.
func folded(files []string, dir string, depth int) []string {
	var out []string
	count := map[string]int{}
	if dir != "." {
		depth += strings.Count(dir, "/") + 1
	}
	for _, f := range files {
		if parts := strings.Split(f, "/"); len(parts) > depth {
			f = strings.Join(parts[:depth], "/") + "/"
		}
		if count[f]++; count[f] == 1 {
			out = append(out, f)
		}
	}
	for i, f := range out {
		if strings.HasSuffix(f, "/") {
			out[i] = fmt.Sprintf("%s (%d files)", f, count[f])
		}
	}
	return out
}
