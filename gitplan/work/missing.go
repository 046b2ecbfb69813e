package work

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// The shell's exit codes for a program that cannot be run, and for one that is not found.
const (
	notRunnable = 126
	notFound    = 127
)

// MissingProgram returns the program that a command line begins with, if it is looked up on PATH
// and is not there. It is "" if a session could put it there: in the tree, or by the line itself.
func MissingProgram(line, top string) string { return missingProgram(line, os.Getenv("PATH"), top) }

func missingProgram(line, path, top string) string {
	program := plan.ProgramOf(line)
	if program == "" || strings.ContainsAny(program, `/\`) || slices.Contains(plan.ShellWords, program) || strings.Contains(line, "PATH=") {
		return ""
	}
	for _, dir := range filepath.SplitList(path) {
		if in, err := filepath.Rel(top, dir); !filepath.IsAbs(dir) || err == nil && filepath.IsLocal(in) {
			return ""
		}
	}
	if _, there := proc.Find(program); there {
		return ""
	}
	return program
}
