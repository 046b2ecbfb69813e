package hooks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/git-plan/git-plan/gitplan/pattern"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/reviewers"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/rules"
)

// receiveLine is a line that git writes for pre-receive: <old oid> SP <new oid> SP <ref> LF.
var receiveLine = pattern.Of(`^([0-9a-f]{40}|[0-9a-f]{64}) ([0-9a-f]{40}|[0-9a-f]{64}) (refs/[^ ]+)$`)

// ParseReceive reads what git writes to the standard input of a pre-receive hook.
func ParseReceive(stdin io.Reader) ([]Push, error) {
	data, err := io.ReadAll(stdin)
	if err != nil {
		return nil, fmt.Errorf("standard input of pre-receive: %w", err)
	}
	var out []Push
	for line := range strings.Lines(string(data)) {
		m := receiveLine.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			return nil, fmt.Errorf("%q is not a line that git writes for pre-receive: <old oid> <new oid> <ref>", line)
		}
		out = append(out, Received(m[3], m[1], m[2]))
	}
	return out, nil
}

// Received is a ref that was pushed to this repository, as git names it to an update hook.
func Received(ref, old, new string) Push {
	return Push{LocalRef: ref, LocalOID: new, RemoteRef: ref, RemoteOID: old}
}

// Receive judges what was pushed to this repository, before any ref moves. What the client
// did or said counts for nothing: the commits are read here, from git's quarantine, by the
// rules and settings of this repository. A review counts if a verdict of it was pushed that is
// signed by a key which this repository's git trusts. Nothing that was pushed is run, and
// what cannot be judged is refused, in every mode but off.
func (g *Gate) Receive(ctx context.Context, pushes []Push) (Decision, error) {
	var d Decision
	mode, wrong := g.Checkout.Config.Word("plan.prePush")
	switch {
	case os.Getenv(proc.EnvDepth) != "":
		d.Stop = true
		d.say("sessions do not push: this is one (%s is set)", proc.EnvDepth)
		return d, nil
	case mode == off && wrong == nil:
		return d, nil
	}
	if wrong != nil {
		d.say("%s; using %s instead", printable(wrong.Error()), mode)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, cmp.Or(g.Limit, limit), errLate)
	defer cancel()
	p := &pushing{Checkout: g.Checkout, receives: true, named: true, mode: mode, all: pushes, most: cmp.Or(g.Commits, maxCommits), past: rules.NewPast(g.Checkout.Repo)}
	p.refuseAttempts(&d)
	return p.judgeAll(ctx, d)
}

// receiveRef judges one ref that was pushed to this repository.
func (p *pushing) receiveRef(ctx context.Context, one Push, name string, d *Decision) error {
	if strings.HasPrefix(one.RemoteRef, reviewers.SignedPrefix) {
		v, err := reviewers.ReadSigned(ctx, p.Checkout, one.LocalOID)
		if err == nil && one.RemoteRef != reviewers.SignedPrefix+v.HeadTree {
			err = errors.New("it is for a different tree than its name says")
		}
		if err != nil {
			d.Stop = true
			d.say("%s: is not a verdict that this repository accepts: %s", name, printable(err.Error()))
		}
		return nil
	}
	p.tags(ctx, one.LocalOID, name, d)
	base, err := p.workBase(ctx, nil)
	if err != nil {
		return err
	}
	r, err := p.brought(ctx, one, base, name, d)
	if r == nil || r.empty() {
		return err
	}
	var dismissed ledger.Dismissals
	passed, isWork := false, p.isWork(ctx, one, r)
	if isWork {
		signed, why := p.signed(ctx, r)
		if passed = signed != nil; passed {
			dismissed = signed.Dismissed
		} else if p.mode == block {
			d.Stop = true
			d.say("%s: %s, and plan.prePush is block in this repository: git plan review, then git plan push --verdict", name, why)
		}
	}
	return p.rules(ctx, r, dismissed, name, passed, isWork, d)
}

// signed returns the verdict that passes what a ref brings, which came earlier or in the same
// push; nil without one that is believed here, and why.
func (p *pushing) signed(ctx context.Context, r *reach) (v *reviewers.Signed, why string) {
	ref := reviewers.SignedPrefix + r.head.Tree
	why = "no signed verdict of a review has passed what is pushed"
	var oids []string
	for _, one := range p.all {
		if one.RemoteRef == ref && !one.Deletes() {
			oids = append(oids, one.LocalOID)
		}
	}
	if oid, err := p.Repo.Resolve(ctx, ref); err == nil {
		oids = append(oids, oid)
	}
	bar, _ := reviewers.BlockOn(p.Checkout)
	for _, oid := range oids {
		v, err := reviewers.ReadSigned(ctx, p.Checkout, oid)
		if err != nil {
			why = "its verdict is not believed here (" + printable(err.Error()) + ")"
			continue
		}
		for _, base := range verdictBases(nil, r) {
			tree, err := p.Repo.Resolve(ctx, cmp.Or(base, p.Repo.EmptyTree())+"^{tree}")
			if err == nil && v.Covers(tree, r.head.Tree, bar) {
				return v, ""
			}
		}
		why = "its verdict is of another difference, or of a review that let more pass than plan.blockOn does here"
	}
	return nil, why
}
