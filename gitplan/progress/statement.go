package progress

import (
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// statement is what a commit says about steps. A squash holds several messages, whose order does not count.
type statement struct {
	subject  string
	steps    []string // that it does
	reverts  []revert
	recorded map[string]bool // what the record of a rewrite says that it gives or takes
}

type revert struct {
	oid  string
	onto string // the parent to which a merge is reverted; "" for its first
}

// key is equal for the copies that a rebase makes of a commit.
func (s statement) key() string {
	key := s.subject + "\x00" + strings.Join(s.steps, "\x00")
	for _, r := range s.reverts {
		key += "\x00" + r.oid
	}
	return key
}

func (s statement) reverted() string {
	if again, ok := strings.CutPrefix(s.subject, `Reapply "`); ok {
		return `Revert "` + again
	}
	return strings.TrimSuffix(strings.TrimPrefix(s.subject, `Revert "`), `"`)
}

// changesMade begins the second line of a merge's revert: "..., reversing\nchanges made to <parent>."
const changesMade = "changes made to "

// readMessage returns what the message of a commit says about the steps of a plan.
func readMessage(c git.Commit, plan string) statement {
	s := statement{subject: c.Subject()}
	if !strings.Contains(c.Message, journal.StepTrailer+":") && !strings.Contains(c.Message, journal.RevertsCommit) {
		return s
	}
	lines := strings.Split(c.Message, "\n")
	for i, line := range lines {
		if of, step, ok := journal.NamedStep(line); ok && of == plan && !slices.Contains(s.steps, step) {
			s.steps = append(s.steps, step)
		} else if oid, ok := journal.RevertedCommit(line); ok {
			r := revert{oid: oid}
			if i+1 < len(lines) {
				parent, _ := strings.CutPrefix(strings.TrimSpace(lines[i+1]), changesMade)
				r.onto = strings.TrimSuffix(parent, ".")
			}
			s.reverts = append(s.reverts, r)
		}
	}
	return s
}
