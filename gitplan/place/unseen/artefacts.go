package unseen

import (
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Artefacts returns notes on the files in a tree that only tools write: that no commit has them,
// and how to have git ignore them. once reports whether a line of .gitignore is new in this run.
func Artefacts(s *worktree.Status, once func(line string) bool) (notes []string) {
	if lines, paths := news(s.Rewritten, once); len(lines) > 0 {
		notes = append(notes, "not committed, although git tracks it, since only a tool writes it: "+visible.Few(paths)+
			"; to have git ignore it: git rm -r --cached "+tracked(lines, paths)+" && "+ignoring(lines))
	}
	if lines, paths := news(s.Artefacts, once); len(lines) > 0 {
		notes = append(notes, "not committed, since only a tool writes it: "+visible.Few(paths)+"; to have git ignore it: "+ignoring(lines))
	}
	return notes
}

// news returns the lines of .gitignore that were not reported yet, with what they are about.
func news(paths []string, once func(line string) bool) (lines, about []string) {
	for _, path := range paths {
		line, at := worktree.ArtefactLine(path)
		switch {
		case slices.Contains(about, at):
		case slices.Contains(lines, line):
			about = append(about, at)
		case once(line):
			lines, about = append(lines, line), append(about, at)
		}
	}
	return lines, about
}

// ignoring returns the command that adds lines to .gitignore.
func ignoring(lines []string) string {
	if len(lines) == 1 {
		return "echo " + lines[0] + " >>.gitignore"
	}
	return `printf '%s\n' ` + strings.Join(lines, " ") + " >>.gitignore"
}

// tracked returns the arguments of git rm for paths that lines are about.
func tracked(lines, paths []string) string {
	var args []string
	if len(paths) == 1 {
		return visible.Shell(paths[0])
	}
	for _, line := range lines {
		glob := ":(glob)**/" + line
		if strings.HasSuffix(line, "/") {
			glob += "**"
		}
		args = append(args, visible.Shell(glob))
	}
	return strings.Join(args, " ")
}
