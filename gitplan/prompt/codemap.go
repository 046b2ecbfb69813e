package prompt

import (
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// CodeMap is what a session is shown of a repository.
type CodeMap struct {
	Folders string     // of the repository, and the files at its top
	Files   []CodeFile // that the step names, whole
	Left    []string   // lines about other files that it names, and why they are not shown
}

// CodeFile is the current state of a file of the work tree.
type CodeFile struct {
	Path string
	Text string // with \n at the end of each line
	Sum  [32]byte
}

// The most bytes of a prompt that each part takes, where the model has room for it.
const (
	maxFolders = 3 << 10
	maxTexts   = 24 << 10
)

// MapFor returns the map for a step in a clean work tree of r, or its clone at top, in at most room bytes.
func MapFor(ctx context.Context, r *git.Repo, top string, step *plan.Step, room int) CodeMap {
	share := func(most int) int { return min(most, room*most/(maxFolders+maxTexts)) }
	root, err := os.OpenRoot(top)
	if err != nil {
		return CodeMap{}
	}
	defer root.Close()
	files := slices.DeleteFunc(worktree.Tracked(ctx, r), func(name string) bool { return len(name) > maxName || !utf8.ValidString(name) })
	m := CodeMap{Folders: Folders(files, share(maxFolders))}
	m.Files, m.Left = codeTexts(root, namedIn(step, files), files, share(maxTexts))
	return m
}

// Sums returns the sum of each file that is shown.
func (m CodeMap) Sums() map[string][32]byte {
	if len(m.Files) == 0 {
		return nil
	}
	sums := map[string][32]byte{}
	for _, f := range m.Files {
		sums[f.Path] = f.Sum
	}
	return sums
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
