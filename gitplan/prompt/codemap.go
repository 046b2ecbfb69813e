package prompt

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// CodeMap is the part of a prompt that shows the repository.
type CodeMap struct {
	Folders string              // the list of folders, and of the files in the top folder
	Files   string              // the framed files that the step names, and a line about each one that is not shown
	Sums    map[string][32]byte // the SHA-256 of each shown file
}

// The maximum sizes of the parts of a prompt, in bytes, for a large context.
const (
	maxFolders = 3 << 10
	maxTexts   = 24 << 10
)

// MapFor returns the map for a step in a clean work tree of r, or its clone at top, in at most room bytes: of the files
// under its Files, and the tracked ones that its words name by their whole path.
func MapFor(ctx context.Context, r *git.Repo, top string, step *plan.Step, room int) CodeMap {
	share := func(most int) int { return min(most, room*most/(maxFolders+maxTexts)) }
	root, err := os.OpenRoot(top)
	if err != nil {
		return CodeMap{}
	}
	defer root.Close()
	files := slices.DeleteFunc(worktree.Tracked(ctx, r),
		func(name string) bool { return len(name) > maxName || !utf8.ValidString(name) })
	names := slices.DeleteFunc(plan.Unique(plan.Literals(step.Files)), func(f string) bool { return !filepath.IsLocal(f) })
	for _, w := range strings.FieldsFunc(step.Approved(), func(r rune) bool { return strings.ContainsRune(" \t\n`'\"(),;", r) }) {
		w = strings.TrimRight(w, ".:")
		if _, is := slices.BinarySearch(files, w); is && !slices.Contains(names, w) {
			names = append(names, w)
		}
	}
	m := CodeMap{Folders: Folders(files, share(maxFolders)), Sums: map[string][32]byte{}}
	m.addTexts(root, names, files, share(maxTexts))
	return m
}

// Folders lists folders, as deep as there is room for, and the files at the top, without counts that would change.
func Folders(files []string, room int) string {
	var at []string // the files at the top
	depth := 0
	below := map[string]bool{}
	for _, f := range files {
		dir := path.Dir(f)
		if dir == "." {
			at = append(at, visible.OneLine(f, maxName))
			continue
		}
		for ; dir != "." && !below[dir]; dir = path.Dir(dir) {
			below[dir], depth = true, max(depth, 1+strings.Count(dir, "/"))
		}
	}
	for ; depth >= 0; depth-- {
		var lines []string
		for dir := range below {
			if strings.Count(dir, "/") < depth {
				lines = append(lines, visible.OneLine(dir, maxName)+"/")
			}
		}
		slices.Sort(lines)
		for _, list := range [][]string{append(slices.Clip(lines), at...), lines} {
			if text := strings.Join(list, "\n"); FramedSize(text)+1 <= room && (depth == 0 || text != "") {
				return text
			}
		}
	}
	return fmt.Sprintf("(%d files in %d folders: too many to list)", len(files), len(below))
}

// maxName bounds a path, in bytes; longer ones are left out.
const maxName = 400

// addTexts adds whole files, of at most room bytes, and a line about each other tracked one; others stay unmentioned.
func (m *CodeMap) addTexts(root *os.Root, names, tracked []string, room int) {
	var left []string
	for _, name := range names {
		content, err := readTracked(root, name)
		if _, known := slices.BinarySearch(tracked, name); !known && !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		line := visible.OneLine(name, maxName)
		text := strings.ReplaceAll(string(content), "\r\n", "\n")
		switch need := FramedSize(text) + 1 + 2*len(line) + 100; {
		case errors.Is(err, fs.ErrNotExist):
			left = append(left, line+" is not there yet")
		case err != nil:
			left = append(left, line+" is not shown: "+err.Error())
		case need > room:
			left = append(left, fmt.Sprintf("%s is not shown: it has %d lines, %d bytes",
				line, strings.Count(text, "\n"), len(content)))
		default:
			room -= need
			m.Files += frame(data, line+` (each line stands behind "| ", which is not in the file)`, text) + "\n"
			m.Sums[name] = sha256.Sum256(content)
		}
	}
	if len(left) > 0 {
		m.Files += frame(data, "other files that the step names", strings.Join(left, "\n"))
	}
}

// readTracked reads a text without following links: a session could have linked to what it must not be shown.
func readTracked(root *os.Root, name string) ([]byte, error) {
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err != nil || !disk.Direct(root.Name(), filepath.FromSlash(name)) || !info.Mode().IsRegular() || info.Size() > maxSmall:
		return nil, fmt.Errorf("it is not a file of up to %d bytes", maxSmall)
	}
	content, err := root.ReadFile(name)
	if err != nil || bytes.IndexByte(content, 0) >= 0 || !utf8.Valid(content) {
		return nil, errors.New("it is not text")
	}
	return content, nil
}
