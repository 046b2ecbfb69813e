package main

import (
	"slices"
	"strings"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// origin is where a plan's text came from.
type origin struct {
	text  []byte
	typed bool            // by this person in the editor, just now: typing approves it
	event journal.Event   // how it came about, and by whom
	file  string          // that it was read from; "" if it was not
	weak  []plan.Weakness // by the lines of that file
	goal  string          // that a planner was given; "" if nobody planned
}

// store stores the plan, says what became of it, and has it approved if it may be.
func store(c *newOptions, co *checkout.Checkout, base string, o origin) error {
	p, err := plan.Parse(o.text)
	if err != nil {
		return err
	}
	if err := p.Approvable(); err != nil && c.yes { // before anything is made of it
		return o.hides(c.command, err)
	}
	stored, err := newPlan(c).Store(c.Context, co, p, base, o.event)
	if stored.NoBase != "" {
		say(c.Err, "its base %s is not a commit here, so its base is now %s; another one: --base REF", visible.Line(stored.NoBase), visible.Line(stored.Base))
	}
	if err != nil {
		return err
	}
	if o.event.By == journal.ByPerson {
		printGiven(c.command, "plan", p.ID, co.Doc.ID)
		printGiven(c.command, "branch", p.Branch, co.Branch)
	}
	say(c.Err, "plan %s of %s is on branch %s", co.Doc.ID, terminal.Count(len(co.Doc.Plan.Steps), "step"), visible.Line(co.Branch))
	if len(stored.Ticked) > 0 {
		say(c.Err, "already ticked: %s", strings.Join(stored.Ticked, ", "))
	}
	if path := o.event.Imported; checkout.IsTracked(c.Context, co, path) { // agents may go on ticking boxes there, which nothing reads
		say(c.Err, "%s stays as it is, and boxes ticked there count for nothing; to remove it: git rm -- %s", visible.Line(path), visible.Shell(c.file))
	}
	if o.goal != "" && co.Config.HasCritic() {
		err := locked(c.command, co, func(lock *journal.Lock) error { return criticised(c.command, co, lock, o.goal) })
		if err != nil {
			return err
		}
	}
	if o.file != "" {
		return settle(c.command, co, "the plan, by the lines of "+visible.Line(o.file), o.weak, c.yes)
	}
	return settleApproval(c.command, co, o.typed || c.yes)
}

// printGiven says what a key of the front matter became, if git plan set it and not the text.
func printGiven(c *command, key, written, given string) {
	if written != "" && written != given {
		say(c.Err, "`%s: %s` of its front matter is now %s: git plan gives that", key, visible.Line(written), visible.Line(given))
	}
}

// hides returns the error for a text that cannot be approved, by the lines of its file.
func (o origin) hides(c *command, err error) error {
	if o.file == "" {
		return err
	}
	views.Weaknesses(c.Err, slices.DeleteFunc(o.weak, func(w plan.Weakness) bool { return w.Rule != "hidden" }))
	return &fault.Fault{Kind: fault.ErrHidden, Text: visible.Line(o.file) + " hides something, so it cannot be approved",
		Next: "take it out of " + visible.Line(o.file)}
}

// newPlan returns what the flags say about a new plan.
func newPlan(c *newOptions) checkout.NewPlan {
	return checkout.NewPlan{Branch: c.branch, Base: c.base, Force: c.force}
}
