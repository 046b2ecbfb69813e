package hooks

import (
	"context"
	"fmt"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/reviewers"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/rules"
	"github.com/git-plan/git-plan/reviewers/secret"
	"slices"
	"strings"
)

// rules applies the built-in rules to what is pushed. Those that are certain
// (conflict markers, secrets) stop the push even in warn. What a review has passed
// is judged by the rules about history alone, which no verdict covers. What a person dismissed
// stops nothing.
func (p *pushing) rules(ctx context.Context, r *reach, dismissed ledger.Dismissals, name string, passed, isWork bool, d *Decision) error {
	certain, err := p.find(ctx, r, rules.Gate())
	if err != nil {
		return err
	}
	lost, err := p.past.LostSecrets(ctx, r.commits, certain)
	if err != nil {
		return err
	}
	older, err := p.older(ctx, r, name, certain, d)
	if err != nil {
		return err
	}
	lost = append(lost, older...)
	if passed {
		certain = nil
	}
	var stop, report []string
	bar, _ := reviewers.BlockOn(p.Checkout) // PrePush says what is wrong with it
	for _, h := range append(certain, lost...) {
		if f := finding.FromHit(h); h.Key != "" && dismissed.Settle(&f, reviewers.FilesOf(ctx, p.Checkout.Repo, r.head.OID)) { // as for a secret that is none
			continue
		}
		if finding.Severity(h.Severity).AtLeast(bar) && !h.Advice {
			stop = append(stop, inLine(h))
		} else {
			report = append(report, inLine(h))
		}
	}
	if isWork {
		others, err := p.find(ctx, r, rules.Those(func(r rules.Rule) bool { return !r.Gate && (!passed || r.Name == "fixup-commit") }))
		if err != nil {
			return err
		}
		for _, h := range others {
			report = append(report, inLine(h))
		}
	}
	d.Stop = d.Stop || len(stop) > 0
	d.list(name, stop)
	d.list(name, report)
	return nil
}

// older looks for secrets in the commits that r does not keep, because there are so many: under
// plan.prePush=block only. Otherwise it says what is left out.
func (p *pushing) older(ctx context.Context, r *reach, name string, certain []rules.Hit, d *Decision) (lost []rules.Hit, err error) {
	rest := r.oids[len(r.commits):]
	if len(rest) > 0 && p.mode != block {
		d.say("%s: only the newest %d of its commits were checked one by one; of older ones only what the files still contain", name, len(r.commits))
		return nil, nil
	}
	for some := range slices.Chunk(rest, p.most) {
		commits, err := p.Checkout.Repo.Commits(ctx, some)
		if err != nil {
			return nil, err
		}
		hits, err := p.past.LostSecrets(ctx, commits, certain)
		if err != nil {
			return nil, err
		}
		lost = append(lost, hits...)
	}
	return lost, nil
}

// find applies rules to all that is brought, whether r keeps it or not.
func (p *pushing) find(ctx context.Context, r *reach, judged []rules.Rule) ([]rules.Hit, error) {
	c := rules.Change{Diff: r.diff, Commits: r.commits}
	if r.huge {
		return rules.Between(ctx, p.Checkout.Repo, "", r.head.OID, c, judged)
	}
	hits, err := rules.FindIn(ctx, p.Checkout.Repo, r.base, r.head.OID, c, judged)
	return slices.DeleteFunc(hits, func(h rules.Hit) bool { return h.Path != "" && !r.touches(h.Path) }), err
}

// tags checks the message of an annotated tag, and of the tags that it may point to.
func (p *pushing) tags(ctx context.Context, oid, name string, d *Decision) {
	for {
		o, err := p.Checkout.Repo.ReadOnly(ctx, "tag", oid)
		if err != nil || o.Type != "tag" { // what cannot be read is reported with its files
			return
		}
		if o.Data == nil {
			d.Stop = d.Stop || p.mode == block
			d.say("%s: its tag message is too large to be checked", name)
			return
		}
		head, _, _ := strings.Cut(string(o.Data), "\n\n")
		var lines []string
		for _, h := range rules.InTag(o.OID, string(o.Data)) {
			lines = append(lines, inLine(h))
		}
		d.Stop = d.Stop || len(lines) > 0
		d.list(name, lines)
		of, _, _ := strings.Cut(head, "\n")
		oid = strings.TrimPrefix(of, "object ")
	}
}

// inLine returns one finding in one line. The rules have redacted secrets already.
func inLine(h rules.Hit) string {
	switch {
	case h.Path == "":
		return printable(h.Title)
	case h.Line == 0:
		return printable(secret.Mask(h.Path)) + ": " + printable(h.Title)
	}
	return fmt.Sprintf("%s:%d: %s", printable(secret.Mask(h.Path)), h.Line, printable(h.Title))
}

// object judges a ref that names no commit: the files of a tree, or a single one. They
// reach the remote as any file of a branch does, but no review covers them.
func (p *pushing) object(ctx context.Context, oid, name string, d *Decision) error {
	kind, err := p.Checkout.Repo.Output(ctx, "cat-file", "-t", "--end-of-options", oid+"^{}")
	if err != nil {
		return err
	}
	if oid, err = p.Checkout.Repo.Resolve(ctx, oid+"^{}"); err != nil {
		return err
	}
	if p.mode == block {
		d.Stop = true
		d.say("%s: it is a %s, not a commit, so no review can pass it, and plan.prePush is block", name, kind)
	}
	var hits []rules.Hit
	if kind == "tree" {
		hits, err = rules.Between(ctx, p.Checkout.Repo, "", oid, rules.Change{}, rules.Gate())
	} else {
		// The difference has none of its lines, so all of its bytes are read: once as text,
		// and once as binary.
		text := git.FileDiff{Path: fmt.Sprintf("%.10s", oid), OldPath: oid, Status: 'A', OldMode: "000000", NewMode: "100644", NewOID: oid, Cut: true}
		binary := text
		binary.Binary = true
		both := &git.Diff{Files: []git.FileDiff{text, binary}}
		hits = rules.Find(rules.Change{Diff: both, Stream: p.Checkout.Repo.Streams(ctx)}, rules.Gate())
	}
	var lines []string
	for _, h := range hits {
		lines = append(lines, inLine(h))
	}
	d.Stop = d.Stop || len(lines) > 0
	d.list(name, lines)
	return err
}

// isNotes reports whether a commit is one of git notes: each of its files is named after
// the object that it is about.
func (p *pushing) isNotes(ctx context.Context, commit string) bool {
	paths, err := p.Checkout.Repo.Paths(ctx, commit)
	for _, path := range paths {
		name := strings.ReplaceAll(path, "/", "")
		if len(name) != len(commit) || strings.Trim(name, "0123456789abcdef") != "" {
			return false
		}
	}
	return err == nil
}
