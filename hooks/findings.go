package hooks

import (
	"context"
	"fmt"
	"sync"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/reviewers"
	"github.com/git-plan/git-plan/reviewers/rules"
)

const (
	maxTold = 10  // findings of a kind that are told one by one for each ref
	maxEach = 200 // commits that are looked at one by one, the newest
	atOnce  = 8   // of them side by side: each costs two processes
)

// rules applies the built-in rules to what is pushed. Those that are certain
// (conflict markers, secrets) stop the push, in warn too. What a review has
// passed is judged by the rules about history alone, which no verdict covers.
func (p *pushing) rules(ctx context.Context, r *reach, name string, passed, isBranch bool, d *Decision) error {
	c := p.change(ctx, r.diff)
	c.Commits = r.commits
	certain := rules.Find(c, rules.Gate)
	lost, err := p.lostSecrets(ctx, r, certain)
	if err != nil {
		return err
	}
	if passed {
		certain = nil
	}
	var stop, tell []string
	bar := reviewers.Severity(p.Config.String("plan.blockOn"))
	for _, h := range append(certain, lost...) {
		if reviewers.Severity(h.Severity).AtLeast(bar) && !h.Advice {
			stop = append(stop, told(h))
		} else {
			tell = append(tell, told(h))
		}
	}
	if isBranch {
		for _, h := range rules.Find(c, func(r rules.Rule) bool { return !r.Gate && (!passed || r.Name == "fixup-commit") }) {
			tell = append(tell, told(h))
		}
	}
	d.Stop = d.Stop || len(stop) > 0
	d.list(name, stop)
	d.list(name, tell)
	return nil
}

// list tells the first of lines, and how many more there are.
func (d *Decision) list(name string, lines []string) {
	for i, l := range lines {
		if i == maxTold {
			d.say("%s: and %d more: git plan review --no-fix", name, len(lines)-i)
			return
		}
		d.say("%s: %s", name, l)
	}
}

// told is one finding in one line. Secrets come redacted from the rules.
func told(h rules.Hit) string {
	switch {
	case h.Path == "":
		return printable(h.Title)
	case h.Line == 0:
		return printable(h.Path) + ": " + printable(h.Title)
	}
	return fmt.Sprintf("%s:%d: %s", printable(h.Path), h.Line, printable(h.Title))
}

func (p *pushing) change(ctx context.Context, d *git.Diff) rules.Change {
	return rules.Change{Diff: d, Read: func(oid string) ([]byte, error) {
		o, err := p.Repo.Read(ctx, oid)
		return o.Data, err
	}}
}

// lostSecrets finds secrets that one of the pushed commits adds and a later one
// takes away again: the difference does not show them, the remote gets them all
// the same. now are the hits in the difference itself.
func (p *pushing) lostSecrets(ctx context.Context, r *reach, now []rules.Hit) ([]rules.Hit, error) {
	if len(r.commits) < 2 {
		return nil, nil
	}
	seen := map[string]bool{}
	for _, h := range now {
		seen[identity(h)] = true
	}
	commits := r.commits[:min(len(r.commits), maxEach)]
	found, err := p.each(ctx, commits)
	var lost []rules.Hit
	for i, hits := range found {
		for _, h := range hits {
			if id := identity(h); !seen[id] {
				seen[id] = true
				h.Line = 0 // of a file that looks different now
				h.Title += fmt.Sprintf(", in commit %.10s: a later commit does not take it out of the history", commits[i].OID)
				lost = append(lost, h)
			}
		}
	}
	return lost, err
}

func isSecret(r rules.Rule) bool { return r.Gate && r.Category == "secret" }

// identity tells secrets apart, wherever they were moved.
func identity(h rules.Hit) string {
	if h.Key != "" {
		return h.Rule + " " + h.Key
	}
	return h.Rule + " " + h.Path
}

// each looks for secrets in each commit against its parent. A merge brings
// nothing of its own that the difference does not show.
func (p *pushing) each(ctx context.Context, commits []git.Commit) ([][]rules.Hit, error) {
	found := make([][]rules.Hit, len(commits))
	errs := make(chan error, len(commits))
	places := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	for i, c := range commits {
		if len(c.Parents) > 1 {
			continue
		}
		parent := ""
		if len(c.Parents) == 1 {
			parent = c.Parents[0]
		}
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			diff, err := p.Repo.Diff(ctx, parent, c.OID)
			if err != nil {
				errs <- err
				return
			}
			found[i] = rules.Find(p.change(ctx, diff), isSecret)
		})
	}
	all.Wait()
	close(errs)
	return found, <-errs
}
