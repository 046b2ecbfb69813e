package hooks

import (
	"context"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/reviewers"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/rules"
)

// stopByRules applies the built-in rules to the pushed commits. Hits of the gate's rules stop the push, unless a person
// dismissed them. After a review that passed, only the rules about history apply.
func (p *pushCheck) stopByRules(ctx context.Context, r *pushRange, name string, dismissed ledger.Dismissals,
	d *Decision) error {
	certain, err := p.find(ctx, r, rules.Gate())
	if err != nil {
		return err
	}
	lost, err := p.history.Secrets(ctx, r.commits, certain)
	if err != nil {
		return err
	}
	if r.passed {
		certain = nil
	}
	var stop, report []rules.Hit
	bar, _ := reviewers.BlockOn(p.Checkout) // PrePush reports the problem
	for _, h := range append(certain, lost...) {
		f := finding.FromHit(h)
		switch {
		case h.Key != "" && dismissed.Settle(&f, rules.FilesOf(ctx, p.Checkout.Repo, r.head.OID)):
		case finding.Severity(h.Severity).AtLeast(bar) && !h.NonBlocking:
			stop = append(stop, h)
			d.secret = d.secret || f.Category == "secret"
		default:
			report = append(report, h)
		}
	}
	if r.isWork {
		others, err := p.find(ctx, r,
			rules.Those(func(rule rules.Rule) bool { return !rule.Gate && (!r.passed || rule.Name == "fixup-commit") }))
		if err != nil {
			return err
		}
		report = append(report, others...)
	}
	d.Stop = d.Stop || len(stop) > 0
	d.list(name, stop)
	d.list(name, report)
	return nil
}

func (p *pushCheck) find(ctx context.Context, r *pushRange, judged []rules.Rule) ([]rules.Hit, error) {
	c := rules.Change{Diff: r.diff, Commits: r.commits}
	hits, err := rules.FindIn(ctx, p.Checkout.Repo, r.base, r.head.OID, c, judged)
	if r.diff == nil {
		return hits, err
	}
	return slices.DeleteFunc(hits, func(h rules.Hit) bool {
		return h.Path != "" && !slices.ContainsFunc(r.diff.Files, func(f git.FileDiff) bool { return f.Path == h.Path })
	}), err
}

func (p *pushCheck) stopByTags(ctx context.Context, oid, name string, d *Decision) {
	for {
		o, err := p.Checkout.Repo.ReadIf(ctx, "tag", oid)
		if err != nil || o.Type != "tag" { // rangeOf reports an unreadable object
			return
		}
		if o.Data == nil {
			d.Stop = true // it may hold a secret
			d.say("%s: its tag message is too large to be checked", name)
			return
		}
		found := rules.InObject("tag", o.OID, string(o.Data))
		d.Stop = d.Stop || len(found) > 0
		d.list(name, found)
		of, _, _ := strings.Cut(string(o.Data), "\n")
		oid = strings.TrimPrefix(of, "object ")
	}
}
