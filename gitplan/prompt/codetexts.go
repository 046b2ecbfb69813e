package prompt

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// maxText bounds a file that is read for a map, in bytes.
const maxText = 1 << 20

// namedIn returns the files under a step's Files, and the tracked ones that its words name by their whole path.
func namedIn(step *plan.Step, files []string) (names []string) {
	names = slices.DeleteFunc(plan.Unique(plan.Literals(step.Files)), func(f string) bool { return !filepath.IsLocal(f) })
	for _, w := range strings.FieldsFunc(step.Approved(), func(r rune) bool { return strings.ContainsRune(" \t\n`'\"(),;", r) }) {
		w = strings.TrimRight(w, ".:")
		if _, is := slices.BinarySearch(files, w); is && !slices.Contains(names, w) {
			names = append(names, w)
		}
	}
	return names
}

// codeTexts returns the files that are shown whole, in at most room bytes, and a line about each other. What is not
// tracked is not even mentioned: git may ignore it for a reason.
func codeTexts(root *os.Root, names, tracked []string, room int) (shown []CodeFile, left []string) {
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
		case errors.Is(err, errFolder):
		case err != nil:
			left = append(left, line+" is not shown: "+err.Error())
		case need > room:
			left = append(left, fmt.Sprintf("%s is not shown: it has %d lines, %d bytes", line, strings.Count(text, "\n"), len(content)))
		default:
			room -= need
			shown = append(shown, CodeFile{Path: name, Text: text, Sum: sha256.Sum256(content)})
		}
	}
	return shown, left
}

var errFolder = errors.New("it is a folder")

// readTracked reads a text without following links: a session could have linked to something that it must not be
// shown.
func readTracked(root *os.Root, name string) ([]byte, error) {
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fs.ErrNotExist
	case err != nil || !disk.Direct(root.Name(), filepath.FromSlash(name)):
		return nil, errors.New("it cannot be read")
	case info.IsDir():
		return nil, errFolder
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case info.Size() > maxText:
		return nil, fmt.Errorf("it has %d bytes", info.Size())
	}
	content, err := root.ReadFile(name)
	switch {
	case err != nil:
		return nil, errors.New("it cannot be read")
	case bytes.IndexByte(content, 0) >= 0 || !utf8.Valid(content):
		return nil, errors.New("it is not text")
	}
	return content, nil
}
