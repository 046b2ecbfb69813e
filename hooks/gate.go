package hooks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers"
	"github.com/git-plan/git-plan/reviewers/rules"
)

// EnvHooks switches the hooks off for one command: GIT_PLAN_HOOKS=0 git push.
const EnvHooks = "GIT_PLAN_HOOKS"

// limit is how long the gate may take. The connection to the remote is open
// meanwhile, and hosts drop silent ones after some minutes.
const limit = 60 * time.Second

// The modes of the gate, plan.prePush.
const (
	off      = "off"
	warn     = "warn"
	mustPass = "block"
)

// Gate decides whether a push goes through. It reads; it starts no model, no
// network and no command of a plan.
type Gate struct {
	Checkout *gitplan.Checkout // need not be loaded
	Limit    time.Duration     // 0: a minute
	Commits  int               // that are held at once; 0: some thousands
}

// Decision is the gate's word: whether git must stop, and what to tell the
// person, line by line, with nothing in it that a terminal would obey.
type Decision struct {
	Stop  bool
	Lines []string
}

func (d *Decision) say(format string, a ...any) {
	d.Lines = append(d.Lines, fmt.Sprintf(format, a...))
}

// errLate is why the gate's own time limit ended it.
var errLate = errors.New("the time is up")

// PrePush judges a push of pushes to a remote, as git names it to its hook: url
// stands for the name where the remote has none. What goes wrong in the gate
// itself stops a push only in block; an error is the context's.
func (g *Gate) PrePush(ctx context.Context, remote, url string, pushes []Push) (Decision, error) {
	var d Decision
	mode, wrong := g.Checkout.Config.Word("plan.prePush")
	switch {
	case os.Getenv(EnvHooks) == "0":
		return d, nil
	case os.Getenv(proc.EnvDepth) != "":
		d.Stop = true
		d.say("sessions do not push: this is one (%s is set)", proc.EnvDepth)
		return d, nil
	case mode == off:
		return d, nil
	}
	if wrong != nil {
		d.say("%s, so %s is taken", printable(wrong.Error()), mode)
	}
	if bar, wrong := reviewers.BlockOn(g.Checkout); wrong != nil {
		d.say("%s, so %s is taken", printable(wrong.Error()), bar)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, cmp.Or(g.Limit, limit), errLate)
	defer cancel()
	p := &pushing{Checkout: g.Checkout, remote: remote, mode: mode, all: pushes, most: cmp.Or(g.Commits, maxCommits)}
	if p.named = p.isFetched(ctx, url); p.named {
		p.others = p.foreign()
	}
	p.refuseAttempts(&d)
	p.tracks, p.past = p.tracking(), reviewers.NewPast(p.Repo)
	return p.judgeAll(ctx, d)
}

// pushing is one push under way.
type pushing struct {
	*gitplan.Checkout
	remote string
	named  bool     // remote is the name of what is pushed to, so that refs of ours say what it has
	others []string // those below its name that are another remote's
	mode   string
	all    []Push
	tracks map[string]Push // by the names below refs/remotes that stand for them
	most   int             // commits that are held at once

	lacks *lacking        // nil: not read yet
	past  *reviewers.Past // what was looked at for an earlier ref
}

// judgeAll judges one ref after the other. What was found before the time was
// up counts.
func (p *pushing) judgeAll(ctx context.Context, d Decision) (Decision, error) {
	judged := make(chan Decision, len(p.all))
	go func() {
		for _, one := range p.all {
			judged <- p.judge(ctx, one)
		}
	}()
	for at := range p.all {
		var one Decision
		select {
		case <-ctx.Done():
		case one = <-judged:
		}
		switch cause := context.Cause(ctx); {
		case cause == errLate: // what git said when it was stopped is of no use
			// A secret stops a push in every mode, so what may hold one does not pass.
			d.say("not looked at, since the time was up: %s; git plan review --no-fix looks at it, however long that takes", p.names(at))
			d.Stop = true
			return p.closed(d), nil
		case cause != nil:
			return Decision{Stop: true}, cause
		}
		d.Stop, d.Lines = d.Stop || one.Stop, append(d.Lines, one.Lines...)
	}
	return p.closed(d), nil
}

// names are the refs from the given one on.
func (p *pushing) names(from int) string {
	var names []string
	for _, one := range p.all[from:] {
		names = append(names, strings.TrimPrefix(rules.Mask(one.RemoteRef), "refs/heads/"))
	}
	return printable(strings.Join(names, ", "))
}

// closed says how to go on where the push is stopped.
func (p *pushing) closed(d Decision) Decision {
	if d.Stop {
		d.say("the push is stopped; git push --no-verify goes past this")
	}
	return d
}

// judge judges one ref.
func (p *pushing) judge(ctx context.Context, one Push) Decision {
	var d Decision
	if one.Deletes() {
		return d
	}
	name := nameOf(one.RemoteRef, &d)
	if err := p.judgeRef(ctx, one, name, &d); err != nil {
		d.say("%s: could not be looked at: %s", name, printable(err.Error()))
		d.Stop = d.Stop || p.mode == mustPass
	}
	return d
}

func (p *pushing) judgeRef(ctx context.Context, one Push, name string, d *Decision) error {
	var doc *journal.Document
	var last *reviewers.Ledger
	if one.Work() {
		if branch, all, ok := p.localBranch(ctx, one); ok {
			doc = p.plan(ctx, one, branch, all, name, d)
			last = p.lastReview(ctx, doc, branch, one.LocalOID)
		}
	}
	p.tags(ctx, one.LocalOID, name, d)
	base, err := p.workBase(ctx, doc)
	if err != nil {
		return err
	}
	p.tellDoubted(ctx, one, name, d)
	if one.Work() && blocking(last) == "" && p.clean(ctx, one, doc, base) {
		return nil
	}
	r, err := p.reach(ctx, one, base)
	if errors.Is(err, git.ErrMissing) {
		return p.object(ctx, one.LocalOID, name, d)
	}
	if err != nil {
		return err
	}
	for _, n := range r.notes {
		d.say("%s: %s", name, n)
	}
	if !r.huge && len(r.diff.Files) == 0 && len(r.commits) == 0 {
		p.tellUnseen(ctx, one, r, name, d)
		return nil
	}
	isWork := p.isWork(ctx, one, r)
	passed := isWork && p.reviewed(ctx, doc, last, r, name, d)
	return p.rules(ctx, r, name, passed, isWork, d)
}

// reviewed looks for a verdict that passes exactly these trees: of the branch
// against its base, where the remote has that, or of exactly what is pushed. What
// the branch's own last review of that found still blocks, whatever another branch's
// review said of the same trees since.
func (p *pushing) reviewed(ctx context.Context, doc *journal.Document, last *reviewers.Ledger, r *reach, name string, d *Decision) bool {
	var pl *plan.Plan
	if doc != nil {
		pl = doc.Plan
	}
	var other *reviewers.Verdict
	var unset error // who judges cannot be told, so there is no verdict
	able := false   // where work is compared with another commit it can
	known := func(base string) *reviewers.Verdict {
		v, err := reviewers.Known(ctx, p.Checkout, pl, cmp.Or(base, p.Repo.EmptyTree()), r.head.OID)
		unset, able = cmp.Or(unset, err), able || err == nil
		return v
	}
	from := []string{r.base}
	if r.known && r.work != r.base {
		from = []string{r.work, r.base}
	}
	if doc != nil && doc.Start() == journal.None { // its review is of all there is
		from = append(from, "")
	}
	for _, b := range from {
		v := known(b)
		switch {
		case !v.Passes():
			other = cmp.Or(other, v)
		case blocking(last) == "":
			return true
		}
	}
	if r.first && pl == nil && p.mode == mustPass {
		d.Stop = true
		d.say("%s: it has no base to be compared with, so no review has passed it, and plan.prePush is block: git config plan.base REF, then git plan review", name)
		return false
	}
	if r.first && pl == nil { // git plan review has nothing to compare it with, either
		d.say("%s: what is pushed was not reviewed: a first push has no base to compare it with, so only the rules look at it", name)
		return false
	}
	isBase := pl == nil && strings.TrimPrefix(r.of, "origin/") == name
	mends := unset != nil && p.mends(ctx, r.head.OID)
	if mends && isBase { // there is no other way to bring in a reviewer, or to mend one
		d.say("%s: what is pushed was not reviewed: it brings what its review lacks (%s), so only the rules look at it", name, printable(unset.Error()))
		return false
	}
	d.Stop = d.Stop || p.mode == mustPass
	// Where its review passed, that was of less than what is pushed.
	more := !r.known && r.work != "" && r.base != "" && r.work != r.base && known(r.work).Passes()
	if able {
		unset, mends = nil, false
	}
	switch {
	case more:
		d.say("%s: its review passed, but commits of %s that the remote lacks would be pushed too: push %s first, or git plan review --base %.10s",
			name, printable(r.of), printable(r.of), r.base)
	case mends:
		d.say("%s: whether a review passed it cannot be known: %s. What is pushed would mend that, but the reviewers are as %s has them: bring it there first",
			name, printable(unset.Error()), printable(r.of))
	case unset != nil:
		d.say("%s: whether a review passed it cannot be known: %s: git plan doctor", name, printable(unset.Error()))
	case p.mode == mustPass:
		d.say("%s: no review has passed what is pushed%s, and plan.prePush is block: git plan review", name, blocking(last))
	case other != nil:
		d.say("%s: its review ended with %s%s, and plan.prePush is warn: this is only told; see git plan show --review",
			name, printable(string(other.End)), blocking(last))
	case blocking(last) != "":
		d.say("%s: no review has passed what is pushed%s: git plan show --review", name, blocking(last))
	case doc != nil && passedBefore(last):
		d.say("%s: its plan says that a review passed; none did here, with the plan and the reviewers as they are: git plan review", name)
	case isBase:
		// Once this is pushed, a review has nothing to compare it with.
	default:
		d.say("%s: what is pushed was not reviewed: git plan review", name)
	}
	return false
}

// mends reports that the reviewers are well set up once head is their base.
func (p *pushing) mends(ctx context.Context, head string) bool {
	_, err := reviewers.Configured(ctx, p.Checkout, head, nil, nil)
	return err == nil
}

// blocking tells how many findings block, empty where none does.
func blocking(l *reviewers.Ledger) string {
	if l == nil || len(l.Blocking()) == 0 {
		return ""
	}
	return fmt.Sprintf(" (blocking findings: %d)", len(l.Blocking()))
}

// lastReview is the last one that the plan tells of, in whatever clone it was, or
// without a plan the branch's in this one; nil where that is not of head's files.
func (p *pushing) lastReview(ctx context.Context, doc *journal.Document, branch, head string) *reviewers.Ledger {
	at := *p.Checkout
	at.Doc, at.Branch = doc, branch
	l, err := reviewers.LastLedger(ctx, &at)
	if err != nil || l == nil {
		return nil
	}
	if c, err := p.Repo.ReadCommit(ctx, head); err != nil || l.HeadTree != c.Tree {
		return nil
	}
	return l
}

// passedBefore reports a review by all reviewers that passed.
func passedBefore(l *reviewers.Ledger) bool {
	return l != nil && l.End.Passes() && len(l.Only) == 0
}

// printable makes one line of a text that others wrote, of at most 200
// characters.
func printable(s string) string {
	if runes := []rune(s); len(runes) > 200 {
		s = string(runes[:200]) + "…"
	}
	return visible.Line(s)
}
