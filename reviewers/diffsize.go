package reviewers

import (
	"fmt"

	"github.com/git-plan/git-plan/gitplan/git/diffs"
	"github.com/git-plan/git-plan/reviewers/rules/scan"
)

// tooMany is the number of changed lines that few read well.
const tooMany = 400

// tooLarge returns a note about a change of more lines than people read well. Lock files, which
// programs write, do not count.
func tooLarge(d *diffs.Diff) []string {
	lines := 0
	for _, f := range d.Files {
		if scan.ClassOf(f.Path) == scan.Lock {
			continue
		}
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				if l.Kind != ' ' {
					lines++
				}
			}
		}
	}
	if lines <= tooMany {
		return nil
	}
	return []string{fmt.Sprintf("it changed %d lines, more than %d", lines, tooMany)}
}
