package worktree

import (
	"slices"
	"strings"
)

// What compilers, interpreters and test runners write for themselves, whenever they run, is
// nobody's work: it never belongs to a commit, and no session can help writing it. A repository
// whose .gitignore lacks a line for it, or that tracks it from of old, is common. So a status has
// it as if that line were there. The list has only what nobody can mean: build output has no
// name of its own, and node_modules is committed in some repositories.
var (
	artefactFolders = []string{"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".tox", ".nox", ".nyc_output"}
	artefactFiles   = []string{".coverage", ".DS_Store", "Thumbs.db"}
	fixtureFolders  = []string{"testdata", "fixtures", "fixture", "__fixtures__"}
)

// ArtefactLine returns the line of .gitignore for a path that only a tool writes, and the part of
// the path that it is about; "" for any other path. In a folder of fixtures it may be one.
func ArtefactLine(path string) (line, at string) {
	from := 0
	for name := range strings.SplitSeq(path, "/") {
		to := from + len(name)
		switch last := to == len(path); {
		case slices.Contains(fixtureFolders, name):
			return "", ""
		case !last && slices.Contains(artefactFolders, name):
			return name + "/", path[:to+1]
		case last && slices.Contains(artefactFiles, name):
			return name, path
		}
		from = to + 1
	}
	return "", ""
}

// ignoreArtefacts takes artefacts out of what is changed and untracked, and has them among what is
// ignored if that is asked for. Whoever stages or deletes one means it.
func (s *Status) ignoreArtefacts(ignored bool) {
	s.Changed = slices.DeleteFunc(s.Changed, func(c Change) bool {
		line, _ := ArtefactLine(c.Path)
		if line == "" || c.XY != ".M" {
			return false
		}
		s.Rewritten = append(s.Rewritten, c.Path)
		return true
	})
	s.Untracked = slices.DeleteFunc(s.Untracked, func(path string) bool {
		line, at := ArtefactLine(path)
		if line == "" {
			return false
		}
		if !slices.Contains(s.Artefacts, at) {
			s.Artefacts = append(s.Artefacts, at)
			if ignored {
				s.Ignored = append(s.Ignored, at)
			}
		}
		return true
	})
}
