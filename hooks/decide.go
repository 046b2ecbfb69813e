package hooks

import (
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/rules"
)

// planFacts is the facts about the plan of a branch that is pushed as a whole.
type planFacts struct {
	name     string // the ref's name, safe to show
	block    bool   // plan.prePush is block
	unknown  string // why it is unknown which steps are done; else ""
	notDone  string // the open steps, in words; "" if there are none, or if it is unknown
	next     string // the command to continue with the open steps
	approved bool   // the present plan is approved in this clone
	reviewed bool   // the last review judged these files, by all reviewers, and passed
	unpushed bool   // the remote has an older plan, and this push does not bring the current one
	remote   string // the remote's name
}

// adviseByPlan returns a line for each open task, with its command. A plan never stops a push.
func adviseByPlan(f planFacts) Decision {
	var d Decision
	if f.unknown != "" {
		d.say("%s: cannot tell which steps of its plan are done: %s", f.name, printable(f.unknown))
	}
	if f.notDone != "" {
		d.say("%s: %s: %s", f.name, f.notDone, f.next)
	}
	if settled := f.unknown == "" && f.notDone == "" && f.reviewed && !f.block; !f.approved && !settled {
		d.say("%s: its plan is not approved: git plan approve", f.name)
	}
	if f.unpushed {
		d.say("%s: its plan has changed since it was pushed: git plan push %s", f.name, visible.Shell(f.remote))
	}
	return d
}

// reviewFacts is the facts about the review of the commits that one ref brings.
type reviewFacts struct {
	name    string // the ref's name, safe to show
	remote  string // the remote's name
	block   bool   // plan.prePush is block
	planned bool   // the branch has a plan
	first   bool   // the remote has no ancestor of the commits, and they are not based on another branch
	isBase  bool   // the branch is the base of other branches, and has no plan

	base       string // the name of the base branch; "" without one
	pushedFrom string // the commit with which the push is compared; "" for the empty tree

	verdict      bool       // a verdict passes exactly these trees
	ended        ledger.End // the end of a verdict for these trees that does not pass; "" without one
	partPassed   bool       // a verdict passes the branch's own work, but the push also brings commits of its base
	blocking     int        // the number of blocking findings in the branch's last review, if it judged these files
	passedBefore bool       // that review passed, with the plan and the reviewers of that time

	unknown    string // why the reviewers of a compared commit cannot be read; else ""
	comparable bool   // the reviewers of at least one compared commit can be read
}

// passes reports whether the review lets the push through. Findings of the branch's last review block it.
func (f reviewFacts) passes() bool { return f.verdict && f.blocking == 0 }

// decideByReview decides on the push of a ref by its review. The cases of what cannot be reviewed come first, and of
// several reasons the one that names the next step.
func decideByReview(f reviewFacts) Decision {
	var d Decision
	if f.passes() {
		return d
	}
	d.Stop = f.block
	found := ""
	if f.blocking > 0 {
		found = fmt.Sprintf(" (blocking findings: %d)", f.blocking)
	}
	switch {
	case f.first && !f.planned && f.block:
		d.say("%s: it has no base to compare it with, so no review has passed it, and plan.prePush is block: git config plan.base REF, then git plan review; or, if you answer for it: git -c plan.prePush=warn push", f.name)
	case f.first && !f.planned: // git plan review has nothing to compare it with, either
		d.say("%s: this push was not reviewed: a first push has no base to compare it with, so only the rules check it", f.name)
	case f.partPassed:
		next := "git push " + visible.Shell(f.remote) + " " + visible.Shell(f.base)
		if f.pushedFrom != "" {
			next += fmt.Sprintf(", or git plan review --base %.10s", f.pushedFrom)
		} else if f.block { // the gate has nothing to compare it with, either
			next = strings.Replace(next, "git", "git -c plan.prePush=warn", 1)
		}
		d.say("%s: its review passed, but commits of %s that the remote lacks would be pushed too; first: %s",
			f.name, printable(f.base), next)
	case !f.comparable:
		d.say("%s: cannot tell whether a review passed it: %s: git plan doctor", f.name, printable(f.unknown))
	case f.block:
		d.say("%s: no review has passed these commits%s, and plan.prePush is block: git plan review", f.name, found)
	case f.ended != "":
		d.say("%s: its review ended with %q%s, which alone does not stop the push (plan.prePush is warn): git plan show --review",
			f.name, f.ended.Words(), found)
	case f.blocking > 0:
		d.say("%s: no review has passed these commits%s: git plan show --review", f.name, found)
	case f.planned && f.passedBefore:
		d.say("%s: its plan records a review that passed; none has passed here with the plan and the reviewers as they are now: git plan review", f.name)
	case f.isBase: // git plan review would have nothing to compare it with
	default:
		d.say("%s: this push was not reviewed: git plan review", f.name)
	}
	return d
}

// Decision is the result of the gate.
type Decision struct {
	Stop   bool     // git must not push
	secret bool     // Stop is set because of a secret
	Lines  []string // lines for the person, safe to show
}

func (d *Decision) say(format string, a ...any) {
	d.Lines = append(d.Lines, fmt.Sprintf(format, a...))
}

func (d *Decision) add(other Decision) {
	d.Stop, d.secret, d.Lines = d.Stop || other.Stop, d.secret || other.secret, append(d.Lines, other.Lines...)
}

const maxListed = 10 // the maximum number of hits that are listed for one ref

func (d *Decision) list(name string, found []rules.Hit) {
	for i, h := range found {
		if i == maxListed {
			d.say("%s: and %d more: git plan review --no-fix", name, len(found)-i)
			return
		}
		d.say("%s: %s", name, h)
	}
}

func printable(s string) string { return visible.OneLine(s, 200) }
