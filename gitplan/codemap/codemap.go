package codemap

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
)

// Map is what a session is shown of a repository.
type Map struct {
	Folders string   // of the repository, and the files at its top
	Near    string   // files near the step, each with what it declares
	Files   []File   // that the step names, whole
	Left    []string // lines about other files that it names, and why they are not shown
}

// File is a file of the work tree as it is now.
type File struct {
	Path string
	Text string // with \n at the end of each line
	Sum  [32]byte
}

// The most bytes of a prompt that each part takes, where the model has room for it.
const (
	maxFolders = 3 << 10
	maxNear    = 4 << 10
	maxTexts   = 24 << 10
)

// Step is what a map is made for.
type Step struct {
	Files []string // paths that it names, without globs
	Globs []string // all its patterns
	Words string   // its text
}

// Of returns the map for a step in the work tree at top, whose commit is head. room is how many
// bytes of a prompt all of it may take; each part takes its share of less room.
func Of(ctx context.Context, r *git.Repo, head, top string, step Step, room int) Map {
	share := func(most int) int { return min(most, room*most/(maxFolders+maxNear+maxTexts)) }
	root, err := os.OpenRoot(top)
	if err != nil || head == "" {
		return Map{}
	}
	defer root.Close()
	files := tracked(ctx, r, head)
	m := Map{Folders: folders(files, share(maxFolders))}
	m.Files, m.Left = texts(root, named(step, files), files, share(maxTexts))
	m.Near = near(root, files, step, m.shown, share(maxNear))
	return m
}

// shown reports whether the text of a file is in the map.
func (m Map) shown(path string) bool {
	return slices.ContainsFunc(m.Files, func(f File) bool { return f.Path == path })
}

// Sums returns the sum of each file that is shown.
func (m Map) Sums() map[string][32]byte {
	if len(m.Files) == 0 {
		return nil
	}
	sums := map[string][32]byte{}
	for _, f := range m.Files {
		sums[f.Path] = f.Sum
	}
	return sums
}

// size is how many bytes a text takes in a frame, where each line has a mark before it.
func size(text string) int { return len(text) + len("| \n") + len("| ")*strings.Count(text, "\n") }
