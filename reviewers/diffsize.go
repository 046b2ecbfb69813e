package reviewers

import (
	"fmt"

	"github.com/git-plan/git-plan/gitplan/git/diffs"
	"github.com/git-plan/git-plan/reviewers/rules/scan"
)

// tooLarge returns a note about a change of more than most lines, which few read well; most is
// plan.maxDiffLines, and 0 says that any is fine. Lock files, which programs write, do not count.
func tooLarge(d *diffs.Diff, most int) []string {
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
	if most == 0 || lines <= most {
		return nil
	}
	return []string{fmt.Sprintf("it changed %d lines, more than the %d of plan.maxDiffLines", lines, most)}
}
