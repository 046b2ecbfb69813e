package hooks

import (
	"context"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/reviewers"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/rules"
)

// rules applies the built-in rules to the pushed commits. Certain findings stop the push, unless a person dismissed
// them; commits that a review has passed are judged by the rules about history alone.
func (p *pushCheck) rules(ctx context.Context, r *pushRange, j judging, d *Decision) error {
	certain, err := p.find(ctx, r, rules.Gate())
	if err != nil {
		return err
	}
	lost, err := p.history.Secrets(ctx, r.commits, certain)
	if err != nil {
		return err
	}
	if j.passed {
		certain = nil
	}
	var stop, report []string
	bar, _ := reviewers.BlockOn(p.Checkout) // PrePush reports the problem
	for _, h := range append(certain, lost...) {
		f := finding.FromHit(h)
		switch {
		case h.Key != "" && j.dismissed.Settle(&f, rules.FilesOf(ctx, p.Checkout.Repo, r.head.OID)):
		case finding.Severity(h.Severity).AtLeast(bar) && !h.NonBlocking:
			stop = append(stop, h.String())
			d.secret = d.secret || f.Category == "secret"
		default:
			report = append(report, h.String())
		}
	}
	if j.isWork {
		others, err := p.find(ctx, r, rules.Those(func(r rules.Rule) bool { return !r.Gate && (!j.passed || r.Name == "fixup-commit") }))
		if err != nil {
			return err
		}
		report = append(report, inLines(others)...)
	}
	d.Stop = d.Stop || len(stop) > 0
	d.list(j.name, stop)
	d.list(j.name, report)
	return nil
}

func (p *pushCheck) find(ctx context.Context, r *pushRange, judged []rules.Rule) ([]rules.Hit, error) {
	c := rules.Change{Diff: r.diff, Commits: r.commits}
	if r.base == "" {
		return rules.Between(ctx, p.Checkout.Repo, "", r.head.OID, c, judged)
	}
	hits, err := rules.FindIn(ctx, p.Checkout.Repo, r.base, r.head.OID, c, judged)
	return slices.DeleteFunc(hits, func(h rules.Hit) bool {
		return h.Path != "" && !slices.ContainsFunc(r.diff.Files, func(f git.FileDiff) bool { return f.Path == h.Path })
	}), err
}

func (p *pushCheck) tags(ctx context.Context, oid, name string, d *Decision) {
	for {
		o, err := p.Checkout.Repo.ReadIf(ctx, "tag", oid)
		if err != nil || o.Type != "tag" { // what cannot be read is reported with its files
			return
		}
		if o.Data == nil {
			d.Stop = true // it may hold a secret
			d.say("%s: its tag message is too large to be checked", name)
			return
		}
		head, _, _ := strings.Cut(string(o.Data), "\n\n")
		lines := inLines(rules.InTag(o.OID, string(o.Data)))
		d.Stop = d.Stop || len(lines) > 0
		d.list(name, lines)
		of, _, _ := strings.Cut(head, "\n")
		oid = strings.TrimPrefix(of, "object ")
	}
}

func inLines(hits []rules.Hit) (lines []string) {
	for _, h := range hits {
		lines = append(lines, h.String())
	}
	return lines
}
