package rules

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/git"
)

// Sizes from which a new file deserves a word: history keeps it for ever.
const (
	largeText   = 1 << 20
	largeBinary = 200 << 10
)

// largeFiles finds new files that are very large, or binary and large (0.4 %
// of ordinary commits add a binary file at all).
func largeFiles() Rule {
	return Rule{
		Name: "large-file", Category: "files", Severity: "medium",
		Why: "Every clone carries it from now on, even after it is deleted.",
		Find: func(c Change) []Hit {
			var hits []Hit
			for i := range c.Diff.Files {
				f := &c.Diff.Files[i]
				if f.Status == 'D' || f.NewMode == "160000" || f.OldOID == f.NewOID {
					continue
				}
				size, limit, kind := addedBytes(f), largeText, ""
				if f.Binary {
					data, _ := blob(c, f.NewOID)
					size, limit, kind = len(data), largeBinary, "binary "
				}
				if size > limit {
					hits = append(hits, Hit{Path: f.Path, Title: fmt.Sprintf("a %sfile of %d KiB", kind, size>>10)})
				}
			}
			return hits
		},
	}
}

func addedBytes(f *git.FileDiff) int {
	n := 0
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if l.Kind == '+' {
				n += len(l.Text) + 1
			}
		}
	}
	return n
}

// ciChanged names what runs with the rights of the project, not of its author.
func ciChanged() Rule {
	return Rule{
		Name: "ci-changed", Category: "files", Severity: "low",
		Why: "It runs with the project's rights: somebody should have looked at it.",
		Find: func(c Change) []Hit {
			var hits []Hit
			for _, f := range c.Diff.Files {
				if ClassOf(f.Path) == CI {
					hits = append(hits, Hit{Path: f.Path, Title: "the configuration of continuous integration changed"})
				}
			}
			return hits
		},
	}
}

// unplannedFiles finds files that no step named: one hit for all of them. A
// step without Files may touch anything, so then nothing can be said.
func unplannedFiles() Rule {
	return Rule{
		Name: "unplanned-file", Category: "plan", Severity: "low",
		Why: "No step of the plan names it in its Files.",
		Find: func(c Change) []Hit {
			if c.Plan == nil {
				return nil
			}
			var files []string
			for i := range c.Plan.Steps {
				s := &c.Plan.Steps[i]
				if len(s.Files) == 0 {
					return nil
				}
				files = append(files, s.Files...)
			}
			paths := Drift(c.Diff, files)
			if len(paths) == 0 {
				return nil
			}
			title := fmt.Sprintf("no step names this file and %d others", len(paths)-1)
			if len(paths) == 1 {
				title = "no step names this file"
			}
			return []Hit{{Path: paths[0], Title: title, Key: strings.Join(paths, "\n")}}
		},
	}
}

// Drift lists the changed paths that none of files (paths, folders or globs)
// names, sorted. Lock files and the test beside a named file are never drift:
// they follow from the work.
func Drift(d *git.Diff, files []string) []string {
	var out []string
	for _, f := range d.Files {
		for _, p := range slices.Compact([]string{f.OldPath, f.Path}) {
			if p == "" || p == f.OldPath && f.Status == 'C' {
				continue
			}
			if !Names(files, p) && ClassOf(p) != Lock && !besideNamed(files, p) {
				out = append(out, p)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Names reports whether one of files (paths, folders or globs as in a step's
// Files) names the path.
func Names(files []string, p string) bool {
	for _, f := range files {
		f = strings.TrimPrefix(path.Clean(strings.Trim(f, "` ")), "/")
		if f == "." || f == p || strings.HasPrefix(p, f+"/") {
			return true
		}
		if ok, err := doublestar.Match(f, p); ok && err == nil {
			return true
		}
	}
	return false
}

// besideNamed reports whether p is the test of a file that is named:
// store/user_test.go beside store/user.go.
func besideNamed(files []string, p string) bool {
	if !isTest(p) {
		return false
	}
	ext := path.Ext(p)
	stem := strings.TrimSuffix(p, ext)
	for _, suffix := range []string{"_test", ".test", ".spec", "_spec", "Test", "Tests"} {
		if s, ok := strings.CutSuffix(stem, suffix); ok && Names(files, s+ext) {
			return true
		}
	}
	dir, base := path.Split(p)
	s, ok := strings.CutPrefix(base, "test_")
	return ok && Names(files, dir+s)
}

// stepsWithoutCommit finds steps that no commit names, once any does.
func stepsWithoutCommit() Rule {
	return Rule{
		Name: "step-without-commit", Category: "plan", Severity: "low",
		Why: "No commit of the branch carries this step's Plan-Step line.",
		Find: func(c Change) []Hit {
			if c.Plan == nil || c.Plan.ID == "" || len(c.Commits) == 0 {
				return nil
			}
			named := namedSteps(c.Commits)
			var hits []Hit
			for i := range c.Plan.Steps {
				s := &c.Plan.Steps[i]
				if !needsCommit(s) || named[c.Plan.ID+"/"+s.ID] {
					continue
				}
				hits = append(hits, Hit{Title: fmt.Sprintf("step %d (%s) has no commit", s.N, s.ID), Key: s.ID})
			}
			return hits
		},
	}
}

// needsCommit leaves out steps that are skipped, and those that are a command,
// which may well change nothing.
func needsCommit(s *gitplan.Step) bool { return s.Status.Word != "skipped" && s.Run == "" }

func namedSteps(commits []git.Commit) map[string]bool {
	named := map[string]bool{}
	for _, c := range commits {
		for _, l := range strings.Split(c.Message, "\n") {
			if id, ok := strings.CutPrefix(strings.TrimSpace(l), "Plan-Step:"); ok {
				named[strings.TrimSpace(id)] = true
			}
		}
	}
	return named
}

// fixupCommits finds commits that were meant to be folded into others. Only a
// rebase mends that, so no fixer is asked.
func fixupCommits() Rule {
	return Rule{
		Name: "fixup-commit", Category: "hygiene", Severity: "medium", Blocks: true,
		Why: "The commit was made to be folded into another: git rebase -i --autosquash.",
		Find: func(c Change) []Hit {
			var hits []Hit
			for _, k := range c.Commits {
				subject := k.Subject()
				for _, p := range []string{"fixup! ", "squash! ", "amend! "} {
					if strings.HasPrefix(subject, p) {
						hits = append(hits, Hit{Title: fmt.Sprintf("commit %.10s is a %s commit", k.OID, strings.TrimSpace(p)), Quote: subject, Key: subject, Ask: true})
					}
				}
			}
			return hits
		},
	}
}
