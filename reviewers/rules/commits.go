package rules

import (
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/pattern"
	"github.com/git-plan/git-plan/reviewers/rules/scan"
)

// fixupCommits finds commits that were meant to be folded into others. Only a
// rebase fixes that, so no fixer is asked.
func fixupCommits() scan.Rule {
	return scan.Rule{
		Name: "fixup-commit", Category: "hygiene", Severity: "medium", Confidence: scan.Certain, Blocks: true,
		Why: "The commit was made to be folded into another: git rebase -i --autosquash.",
		End: eachCommit(func(k git.Commit) string {
			for _, p := range []string{"fixup!", "squash!", "amend!"} {
				if strings.HasPrefix(k.Subject(), p+" ") {
					return "is a " + p + " commit"
				}
			}
			return ""
		}),
	}
}

var unfinishedSubject = pattern.Of(`^(?:(?i:wip|work in progress|checkpoint|do not merge|dnm|temp(?:orary)? commit|save ?point)(?:$|[\s:!\])./-])|\[(?i:wip)\]|\((?i:wip)\)|(?i:(?:feat|fix|chore|refactor|test|docs)(?:\([^)]*\))?: ?wip)\b|(?i:wip|tmp|temp|asdf+|xxx+|\.+|save|-)$)`)

// wipCommits finds commits whose subject says that they were not meant to stay.
// Projects' histories have some, so it only advises.
func wipCommits() scan.Rule {
	return scan.Rule{
		Name: "wip-commit", Category: "hygiene", Severity: "low", Confidence: scan.Hint,
		Why: "The subject says that the commit is not finished: reword it, or fold it into another.",
		End: eachCommit(func(k git.Commit) string {
			if len(k.Parents) < 2 && unfinishedSubject.MatchString(strings.TrimSpace(k.Subject())) {
				return "says that it is work in progress"
			}
			return ""
		}),
	}
}

var editorLeftover = pattern.Of(`(?m)^(?:# Please enter the commit message|# ------------------------ >8|# (?:Your branch is|On branch|Changes to be committed)|<{7} |>{7} |# This is a combination of \d+ commits|# This is the (?:1st|commit) )`)

// messageLeftovers finds what an editor's template, or a conflict, left in a
// message: it was committed with --cleanup=verbatim or by a program.
func messageLeftovers() scan.Rule {
	return scan.Rule{
		Name: "commit-message", Category: "hygiene", Severity: "low", Confidence: scan.Certain,
		Why: "The message holds what git wrote for whoever edits it, or is empty: git commit --amend.",
		End: eachCommit(func(k git.Commit) string {
			switch {
			case strings.TrimSpace(k.Message) == "":
				return "has no message"
			case editorLeftover.MatchString(k.Message):
				return "has git's template in its message"
			}
			return ""
		}),
	}
}

// eachCommit returns a hit for each commit with which something is wrong.
func eachCommit(wrong func(git.Commit) string) func(*scan.Change) []scan.Hit {
	return func(c *scan.Change) []scan.Hit {
		var hits []scan.Hit
		for _, k := range c.Commits {
			if w := wrong(k); w != "" {
				hits = append(hits, scan.Hit{Title: fmt.Sprintf("commit %.10s %s", k.OID, w), Quote: k.Subject(), Key: k.Subject(), Ask: true})
			}
		}
		return hits
	}
}
