package progress_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
)

// What Derive makes of commits, each written as "name parents: contents"; + is a step that its message names,
// - a commit that it reverts (and the parent to which), ~ one by the beginning of its name; ? and ! are the
// revert and the reapplying of a missing commit, of which only the subject says what it was. Those after a
// blank line are not on the branch. Commits are written oldest first.
func TestDerive(t *testing.T) {
	for _, c := range []struct{ name, commits, want string }{
		{"nothing", "a:", "open open"},
		{"a step", "a: +s1", "done reopened"},
		{"reverted", "a: +s1\nb a: -a", "reopened reopened"},
		{"reverted twice", "a: +s1\nb a: -a\nc b: -b", "done reopened"},
		{"a step of another plan", "a: +other/s1", "open open"},
		{"done twice, the second reverted", "a: +s1\nb a: +s1\nc b: -b", "reopened reopened"},
		{"reverted on one side", "a: +s1\nb a: -a\nc a:\nd c b:", "reopened reopened"},
		{"reverted here, and there reverted twice", "a: +s1\nb a: -a\nc a: -a\nd c: -c\ne b d:", "reopened reopened"},
		{"the same, merged from the other side", "a: +s1\nb a: -a\nc a: -a\nd c: -c\ne d b:", "reopened reopened"},
		{"reverted on both, the merge reverted", "a: +s1\nb a: -a\nc a: -a\nd b c:\ne d: -d/b", "reopened reopened"},
		{"a merge reverted", "a: +s1\nb a: +s2\nc a:\nd c b:\ne d: -d/c", "done reopened"},
		{"a merge reverted to its second parent", "a:\nb a: +s2\nc a: +s1\nd c b:\ne d: -d/b", "reopened done"},
		{"a merge reverted, and that reverted", "a: +s1\nb a: +s2\nc a:\nd c b:\ne d: -d/c\nf e: -e", "done done"},
		{"criss-cross", "a: +s1\nb a: +s2\nc a: -a\nd b c:\ne c b:\nf d e:", "reopened done"},
		{"a revert of a missing commit", "a: +s1\nb a: -x\n\nx: +s1", "reopened reopened"},
		{"a revert of a missing merge", "a: +s1\nb a: +s2\nc b: -z/x\n\nx: +s1\ny: +s2\nz x y:", "done reopened"},
		{"reverts that name each other", "a: +s1 -b\nb a: -a", "reopened reopened"},
		{"two without a common commit", "a: +s1\nb: +s2\nc a b:", "done done"},
		{"reverted by a short name", "a: +s1\nb a: +s2\nc b: ~a", "reopened done"},
		{"a revert of a rewritten commit", "a: +s1\nb a: ?a", "reopened reopened"},
		{"and that reapplied, by its subject", "a: +s1\nb a: ?a\nc b: !a", "done reopened"},
		{"a revert of an unknown subject", "a: +s1\nb a: ?z", "done reopened"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &plan.Plan{ID: "p", Steps: []plan.Step{{ID: "s1"}, {ID: "s2"}}}
			branch, gone, _ := strings.Cut(c.commits, "\n\n")
			commits, lost := written(branch), written(gone)
			lost = append(lost, commits...)
			var events []journal.Event
			if strings.Contains(c.commits, "+s") {
				events = []journal.Event{{Kind: journal.Done, Steps: []string{"s1", "s2"}, Head: "forgotten"}}
			}
			got := progress.From(p, events, commits, func(oid string) (git.Commit, bool) {
				i := slices.IndexFunc(lost, func(c git.Commit) bool { return strings.HasPrefix(c.OID, oid) })
				return append(lost, git.Commit{})[max(i, 0)], i >= 0
			})
			if said := fmt.Sprint(got.Steps["s1"].State, " ", got.Steps["s2"].State); said != c.want {
				t.Errorf("the steps are %s, want %s", said, c.want)
			}
		})
	}
}

// written returns commits, newest first, with a letter for each name.
func written(text string) (commits []git.Commit) {
	name := func(letter string) string { return strings.Repeat(fmt.Sprintf("%02x", letter[0]), 20) }
	for line := range strings.Lines(text) {
		head, says, _ := strings.Cut(strings.TrimSpace(line), ":")
		names := strings.Fields(head)
		c := git.Commit{OID: name(names[0]), Message: "Commit " + names[0] + "\n\n"}
		for _, p := range names[1:] {
			c.Parents = append(c.Parents, name(p))
		}
		for _, word := range strings.Fields(says) {
			switch step, given := strings.CutPrefix(word, "+"); {
			case given && !strings.Contains(step, "/"):
				c.Message += "Plan-Step: p/" + step + "\n"
			case given:
				c.Message += "Plan-Step: " + step + "\n"
			case word[0] == '~':
				c.Message += "This reverts commit " + name(word[1:])[:9] + ".\n"
			case word[0] == '?':
				c.Message = "Revert \"Commit " + word[1:] + "\"\n\nThis reverts commit " + name("\xff") + ".\n"
			case word[0] == '!':
				c.Message = "Reapply \"Commit " + word[1:] + "\"\n\nThis reverts commit " + name("\xfe") + ".\n"
			case len(word) > 2:
				c.Message += "This reverts commit " + name(word[1:2]) + ", reversing\nchanges made to " + name(word[3:]) + ".\n"
			default:
				c.Message += "This reverts commit " + name(word[1:]) + ".\n"
			}
		}
		commits = append([]git.Commit{c}, commits...)
	}
	return commits
}
