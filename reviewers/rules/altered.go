package rules

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git/diffs"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers/checked"
	"github.com/git-plan/git-plan/reviewers/rules/scan"
)

// CheckAltered is the rule about what checks run.
const CheckAltered = "check-altered"

// maxRead is how much of a file is followed: what people write by hand is smaller.
const maxRead = 1 << 20

// checksAltered finds changes of what the plan's checks run, in files that no step names: a
// session that cannot make a check pass could empty it instead. What is only new, and what a step
// announces, is worth a look.
func checksAltered() scan.Rule {
	return scan.Rule{
		Name: CheckAltered, Category: "suppression", Severity: "high", Confidence: scan.Likely, Blocks: true, Guard: true,
		Why: "A check proves what its command does. Take the change back; if it is meant, name the file in the step's Files, and dismiss this once you have seen what the check runs now.",
		End: func(c *scan.Change) []scan.Hit {
			if len(c.Checks) == 0 || c.Read == nil {
				return nil
			}
			changed, old, now := trees(c)
			byFile := map[string][]checked.Found{}
			var files []string
			for _, f := range checked.Changed(c.Checks, changed, old, now) {
				if byFile[f.File] == nil {
					files = append(files, f.File)
				}
				byFile[f.File] = append(byFile[f.File], f)
			}
			var hits []scan.Hit
			for _, file := range files {
				if h, ok := alteredHit(c, file, byFile[file]); ok {
					hits = append(hits, h)
				}
			}
			return hits
		},
	}
}

// alteredHit returns the hit about one file. A program that a step names is its work, even if a
// check runs it. What a check's own words mean, such as a target of make or a script of npm, is
// another matter: a step that names the file may change it, but a person approved the check as it
// was, and so has to see that. Until then the review does not pass.
func alteredHit(c *scan.Change, file string, found []checked.Found) (h scan.Hit, ok bool) {
	counts := func(f checked.Found) bool { return !f.Adds && (!f.Script || checked.ForChecks(file) || listsTests(c)) }
	named := namesFile(c, file)
	i := slices.IndexFunc(found, func(f checked.Found) bool { return counts(f) && meantBy(f) })
	if i < 0 {
		i = max(slices.IndexFunc(found, counts), 0)
	}
	f := found[i]
	h = scan.Hit{Path: file, Key: file + "\n" + f.What, Ask: true}
	also := ""
	if n := len(found) - 1; n > 0 {
		also = " and " + others(n)
	}
	switch line := shortened(f.Check); {
	case named && (!counts(f) || f.Script && !checked.ForChecks(file)):
		return h, false
	case !counts(f):
		h.Severity, h.Title = "low", fmt.Sprintf("the check `%s` now runs more than it did: %s%s", line, f.What, also)
	case named && !f.Script && meantBy(f) && !c.OfStep:
		h.Title = fmt.Sprintf("the check `%s` no longer runs what it did: %s%s; a step names %s, so see whether the check still proves the same", line, f.What, also, visible.OneLine(file, 200))
	case named:
		h.Severity, h.Title = "low", fmt.Sprintf("the check `%s` no longer runs what it did: %s%s, in a file that a step names", line, f.What, also)
	default:
		h.Title = fmt.Sprintf("the check `%s` no longer runs what it did: %s%s; put it back (only a step whose Files name %s may change it)", line, f.What, also, visible.OneLine(file, 200))
	}
	return h, true
}

// meantBy reports whether the check names what was found, as npm test does the script test.
func meantBy(f checked.Found) bool {
	words := strings.Fields(f.What)
	return len(words) > 0 && slices.Contains(strings.Fields(f.Check), words[len(words)-1])
}

// shortened returns as much of a command line as fits in a title.
func shortened(check string) string {
	check = strings.Join(strings.Fields(check), " ")
	if r := []rune(check); len(r) > 60 {
		return string(r[:57]) + "..."
	}
	return check
}

// namesFile reports whether a step names the file.
func namesFile(c *scan.Change, file string) bool {
	return c.Plan != nil && slices.ContainsFunc(c.Plan.Steps, func(s scan.Step) bool { return Names(s.Files, file) })
}

// listsTests reports whether each step names the files it is about: then a program of the tree that
// none of them names is not what the plan works on.
func listsTests(c *scan.Change) bool {
	return c.Plan != nil && len(c.Plan.Steps) > 0 && !slices.ContainsFunc(c.Plan.Steps, func(s scan.Step) bool { return len(s.Files) == 0 })
}

// trees returns both sides of a change, and the paths that differ.
func trees(c *scan.Change) (changed []string, old, now checked.Tree) {
	before, after := map[string]*diffs.FileDiff{}, map[string]*diffs.FileDiff{}
	for i := range c.Diff.Files {
		f := &c.Diff.Files[i]
		if f.Status != 'A' && f.Status != 'C' {
			before[f.OldPath] = f
		}
		if f.Status != 'D' {
			after[f.Path] = f
		}
		changed = append(changed, slices.Compact([]string{f.OldPath, f.Path})...)
	}
	unchanged := map[string][]byte{} // nil: there is none
	same := func(p string) ([]byte, bool) {
		if data, known := unchanged[p]; known {
			return data, data != nil
		}
		data, ok := []byte(nil), false
		if c.File != nil && p != "" && !path.IsAbs(p) && !strings.HasPrefix(p, "../") && !strings.ContainsAny(p, "\n\x00") {
			data, ok = c.File(p)
		}
		if !ok || len(data) > maxRead {
			data = nil
		} else if data == nil {
			data = []byte{}
		}
		unchanged[p] = data
		return data, data != nil
	}
	below := [2]map[string]bool{foldersOf(before), foldersOf(after)}
	folder := func(i int, p string) bool { // asked about only if something in it changed
		return below[i][p] || below[1-i][p] && c.Folder != nil && c.Folder(p)
	}
	side := func(i int, mine, others map[string]*diffs.FileDiff, oid func(*diffs.FileDiff) string) checked.Tree {
		return func(p string) ([]byte, bool) {
			if f := mine[p]; f != nil {
				data, ok := c.Blob(oid(f))
				if data == nil {
					data = []byte{}
				}
				return data, ok && len(data) <= maxRead
			}
			if others[p] != nil {
				return nil, false // it was added or removed
			}
			if text, ok := same(p); ok {
				return text, true
			}
			return nil, folder(i, p)
		}
	}
	return changed, side(0, before, after, func(f *diffs.FileDiff) string { return f.OldOID }),
		side(1, after, before, func(f *diffs.FileDiff) string { return f.NewOID })
}

// foldersOf returns the folders of some files.
func foldersOf(files map[string]*diffs.FileDiff) map[string]bool {
	out := map[string]bool{}
	for p := range files {
		for p = path.Dir(p); p != "." && p != "/" && !out[p]; p = path.Dir(p) {
			out[p] = true
		}
	}
	return out
}
