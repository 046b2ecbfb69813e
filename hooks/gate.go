package hooks

import (
	"cmp"
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/reviewers"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/rules"
	"github.com/git-plan/git-plan/reviewers/secret"
)

// EnvHooks switches the hooks off for one command: GIT_PLAN_HOOKS=0 git push.
const EnvHooks = "GIT_PLAN_HOOKS"

// limit is how long the gate may take: hosts drop connections that are silent for some minutes.
const limit = 60 * time.Second

// Gate decides whether a push goes through (pre-push in githooks(5)). It only reads.
type Gate struct {
	Checkout *checkout.Checkout // need not be loaded
	Limit    time.Duration      // 0: a minute
	Commits  int                // how many of a ref are checked one by one; 0: some thousands
	First    bool               // nothing has read standard input before, so no line of git's is a push of nothing
}

// errLate is why the gate's own time limit ended it.
var errLate = errors.New("the time is up")

// PrePush judges a push to a remote, with the hook's two arguments. An error in the gate itself stops a push only if
// plan.prePush is block; a timeout stops it in every mode, since unsearched commits may hold a secret. The only
// error is the context's.
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
	p := &pushCheck{Checkout: g.Checkout, remote: remote, mode: mode, all: pushes, most: cmp.Or(g.Commits, maxCommits)}
	p.named = p.isFetched(ctx, url) && !p.shared() && len(pushes) <= maxTracked
	if len(pushes) == 0 {
		if !g.First {
			d.add(p.nothing(ctx))
		}
		return p.closed(d), nil
	}
	p.refuseAttempts(&d)
	p.tracks, p.history = p.tracking(), rules.NewHistory(p.Checkout.Repo)
	return p.judgeAll(ctx, d)
}

// nothing decides about a push for which git named no ref: all is up to date, or another hook read git's lines.
// Unless the remote is known to have HEAD, all branches and tags, that does not pass for a push of nothing.
func (p *pushCheck) nothing(ctx context.Context) (d Decision) {
	if m, err := p.readMissing(ctx, []string{"HEAD"}, nil, append([]string{"--max-count=1", "--branches", "--tags"}, p.tracked()...)...); err == nil && len(m.parents) == 0 {
		return d
	}
	d.Stop = p.mode == block
	d.say("git named nothing to push here, so nothing was checked: either all of it is up to date, or another hook read its standard input before; have that one pass it on (gitplan-hooks(7))")
	return d
}

// judgeAll judges one ref after another. What was found before the time was up counts.
func (p *pushCheck) judgeAll(ctx context.Context, d Decision) (Decision, error) {
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
			// A secret stops a push in every mode, so unsearched content does not pass.
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

func (p *pushCheck) names(from int) string {
	var names []string
	for _, one := range p.all[from:] {
		names = append(names, strings.TrimPrefix(secret.Mask(one.RemoteRef), "refs/heads/"))
	}
	return printable(strings.Join(names, ", "))
}

func (p *pushCheck) closed(d Decision) Decision {
	if d.Stop {
		d.say("the push is stopped; git push --no-verify bypasses this")
	}
	return d
}

func (p *pushCheck) judge(ctx context.Context, one Push) Decision {
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

type judging struct {
	name      string // of the ref, safe to show
	dismissed ledger.Dismissals
	isWork    bool // it needs a review
	passed    bool // a review has passed it
}

func (p *pushCheck) judgeRef(ctx context.Context, one Push, name string, d *Decision) error {
	var doc *journal.Document
	var last *ledger.Ledger
	j := judging{name: name}
	if one.Work() {
		if branch, all, ok := p.localBranch(ctx, one); ok {
			doc = p.planOf(ctx, branch, name, d)
			j.dismissed = reviewers.Dismissed(p.Checkout, doc, branch)
			last = p.lastReview(ctx, doc, branch, one.LocalOID)
			if all && doc != nil { // a partial push says nothing of the plan
				d.add(afterPlan(p.planFacts(ctx, one, doc, last, name)))
			}
		}
	}
	p.tags(ctx, one.LocalOID, name, d)
	base, err := p.workBase(ctx, doc)
	if err != nil {
		return err
	}
	r, err := p.rangeOf(ctx, one, base)
	if errors.Is(err, git.ErrMissing) {
		d.Stop = true
		d.say("%s: it names no commit, so nothing here can check what it brings", name)
		return nil
	}
	if err != nil {
		return err
	}
	for _, n := range r.notes {
		d.say("%s: %s", name, n)
	}
	if r.base != "" && len(r.diff.Files) == 0 && len(r.commits) == 0 { // nothing is pushed
		p.reportUnseen(ctx, one, r.head.OID, name, d)
		return nil
	}
	if j.isWork = p.isWork(ctx, one, r); j.isWork {
		facts := p.reviewFacts(ctx, doc, last, r, name)
		j.passed = facts.passes()
		d.add(afterReview(facts))
	}
	return p.rules(ctx, r, j, d)
}

const off, block = "off", "block"

// maxTracked is how many refs a push may have for refs/remotes to be believed of the others.
const maxTracked = 500

type pushCheck struct {
	Checkout *checkout.Checkout
	remote   string
	named    bool // remote is the name of the remote that is pushed to, so refs/remotes says what it has
	mode     string
	all      []Push
	tracks   map[string]Push // by the name below refs/remotes that tracks each
	most     int             // how many commits of a ref are checked one by one

	lacks   *missingCommits // nil: not read yet
	history *rules.History
}
