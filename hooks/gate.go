package hooks

import (
	"cmp"
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/reviewers"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/rules"
	"github.com/git-plan/git-plan/reviewers/secret"
)

// EnvHooks switches the hooks off for one command: GIT_PLAN_HOOKS=0 git push.
const EnvHooks = "GIT_PLAN_HOOKS"

// limit is how long the gate may take. The connection to the remote stays open
// meanwhile, and hosts drop silent ones after some minutes.
const limit = 60 * time.Second

// Gate decides whether a push goes through. git runs its pre-push hook once it has asked
// the remote which refs that has, and before it sends any object. The hook's arguments are
// the name of the remote and its URL (the URL twice if the remote has no name), and its
// standard input has a line for each ref that is about to be pushed, as githooks(5) says:
//
//	<local-ref> SP <local-object-name> SP <remote-ref> SP <remote-object-name> LF
//
// The remote's object name is all zeros if the ref does not exist there yet. For a ref that
// is to be deleted the local ref is "(delete)" and its object name all zeros. What was not
// given by a name that can be expanded, such as HEAD~ or an object name, is there as it
// was typed. If the hook exits with anything but 0, git pushes nothing at all.
//
// A Gate only reads: it starts no model, no network and no command of a plan. Facts are
// gathered first (facts.go); what those of a review mean is decided purely (decide.go).
type Gate struct {
	Checkout *checkout.Checkout // need not be loaded
	Limit    time.Duration      // 0: a minute
	Commits  int                // how many are kept in memory at once; 0: some thousands
}

// errLate is why the gate's own time limit ended it.
var errLate = errors.New("the time is up")

// PrePush judges a push of pushes to a remote, with the hook's two arguments. An error in the
// gate itself stops a push only if plan.prePush is block; running out of time stops it in every
// mode, since what was not searched for secrets may hold one. The only error is the context's.
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
		d.say("%s; using %s instead", printable(wrong.Error()), mode)
	}
	if bar, wrong := reviewers.BlockOn(g.Checkout); wrong != nil {
		d.say("%s; using %s instead", printable(wrong.Error()), bar)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, cmp.Or(g.Limit, limit), errLate)
	defer cancel()
	p := &pushing{Checkout: g.Checkout, remote: remote, mode: mode, all: pushes, most: cmp.Or(g.Commits, maxCommits)}
	p.named = p.isFetched(ctx, url) && !p.shared()
	if len(pushes) == 0 {
		d.add(p.nothing(ctx))
		return p.closed(d), nil
	}
	p.refuseAttempts(&d)
	p.tracks, p.past = p.tracking(), rules.NewPast(p.Checkout.Repo)
	return p.judgeAll(ctx, d)
}

// nothing decides about a push for which git named no ref: everything is up to date, or a hook that ran
// before this one read what git wrote. Unless the remote is known to have HEAD, that is not taken for a
// push of nothing.
func (p *pushing) nothing(ctx context.Context) (d Decision) {
	known, err := p.tracked(ctx)
	if err == nil {
		l, lacks := readLacking(ctx, p.Checkout.Repo, []string{"HEAD"}, known, "--max-count=1")
		if err = lacks; err == nil && len(l.parents) == 0 {
			return d
		}
	}
	d.Stop = p.mode == block
	d.say("git named nothing to push here, so nothing was checked: either all of it is up to date, or another hook read its standard input before; have that one pass it on (gitplan-hooks(7))")
	return d
}

// judgeAll judges one ref after another. What was found before the time was up counts.
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
		case cause == errLate: // an error of the git that was stopped says nothing
			// A secret stops a push in every mode, so what was not searched does not pass.
			d.say("not checked, because time ran out: %s; git plan review --no-fix checks it, however long that takes", p.names(at))
			d.Stop = true
			return p.closed(d), nil
		case cause != nil:
			return Decision{Stop: true}, cause
		}
		d.add(one)
	}
	return p.closed(d), nil
}

// names returns the names of the refs from the given one on.
func (p *pushing) names(from int) string {
	var names []string
	for _, one := range p.all[from:] {
		names = append(names, strings.TrimPrefix(secret.Mask(one.RemoteRef), "refs/heads/"))
	}
	return printable(strings.Join(names, ", "))
}

// closed adds how to go on if the push is stopped.
func (p *pushing) closed(d Decision) Decision {
	if d.Stop {
		d.say("the push is stopped; git push --no-verify bypasses this")
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
		d.say("%s: could not be checked: %s", name, printable(err.Error()))
		d.Stop = d.Stop || p.mode == block
	}
	return d
}

func (p *pushing) judgeRef(ctx context.Context, one Push, name string, d *Decision) error {
	var doc *journal.Document
	var last *ledger.Ledger
	var dismissed ledger.Dismissals
	if one.Work() {
		if branch, all, ok := p.localBranch(ctx, one); ok {
			doc = p.planOf(ctx, branch, name, d)
			dismissed = reviewers.Dismissed(p.Checkout, doc, branch)
			last = p.lastReview(ctx, doc, branch, one.LocalOID)
			if all && doc != nil { // who pushes less than the branch has knows that more is to come
				d.add(afterPlan(p.planFacts(ctx, one, doc, last, name)))
			}
		}
	}
	p.tags(ctx, one.LocalOID, name, d)
	base, err := p.workBase(ctx, doc)
	if err != nil {
		return err
	}
	p.reportDoubted(ctx, one, name, d)
	r, err := p.brought(ctx, one, base, name, d)
	if r == nil {
		return err
	}
	if r.empty() {
		p.reportUnseen(ctx, one, r.head.OID, name, d)
		return nil
	}
	isWork, passed := p.isWork(ctx, one, r), false
	if isWork {
		facts := p.reviewFacts(ctx, doc, last, r, name)
		passed = facts.passes()
		d.add(afterReview(facts))
	}
	return p.rules(ctx, r, dismissed, name, passed, isWork, d)
}

// The modes of the gate, plan.prePush.
const (
	off   = "off"
	warn  = "warn"
	block = "block"
)

// pushing is one push under way.
type pushing struct {
	Checkout *checkout.Checkout
	remote   string
	named    bool // remote is the name of where we push to, so refs/remotes says what it has
	mode     string
	all      []Push
	tracks   map[string]Push // by the name below refs/remotes that tracks each
	most     int             // how many commits are kept in memory at once

	lacks *lacking    // nil: not read yet
	past  *rules.Past // what was searched for an earlier ref
}
