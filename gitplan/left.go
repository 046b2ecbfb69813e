package gitplan

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Tell passes a notice on to whoever shows it.
func (p *Place) Tell(n journal.Notice) {
	if p.On == nil {
		return
	}
	p.telling.Lock() // reviewers' sessions run side by side
	defer p.telling.Unlock()
	n.Time, n.Branch = time.Now(), p.Branch
	if p.Doc != nil {
		n.Plan = p.Doc.ID
	}
	p.On(n)
}

func (p *Place) tellLeft(name, text string) {
	p.Tell(journal.About(name, agent.Executor, 0).Of(journal.StepNote, text))
}

func (p *Place) tellKept(name, kept string, paths []string) {
	if kept != "" {
		p.tellLeft(name, fmt.Sprintf("%skept as %s: %s", p.leftBy(name), kept, visible.OneLine(strings.Join(paths, ", "), 300)))
	}
}

// leftBy begins what is told of the session of an earlier command.
func (p *Place) leftBy(name string) string {
	at, how := "the last session", "was interrupted"
	if step := journal.About(name, agent.Executor, 0).Step; step != "" {
		at += " at step " + step
	}
	if len(p.own.Changed) > 0 {
		how = "failed (tampering)"
	}
	return at + " " + how + ": what it left is "
}

// keepLeft keeps what a session left that began at a commit (or None), and puts
// the tree back. Commits that the session itself made are kept with it and taken
// off the branch; those that the person made since stay.
func (p *Place) keepLeft(ctx context.Context, name, began string) (kept string, err error) {
	p.recall(p.before)
	p.byproducts = map[string]bool{}
	if p.own.elsewhere(p.Repo.Top) { // what is in this one is the person's
		p.tellLeft(name, p.leftBy(name)+"in "+visible.OneLine(p.own.Top, 200))
		p.forgetProgress()
		return "", nil
	}
	if p.own.Clone {
		return p.keepClone(ctx, name)
	}
	p.tellTouched(ctx, name)
	at := p.before.Head
	if began = strings.TrimSuffix(began, journal.None); at != began {
		own, known, err := p.madeBySession(ctx, began)
		if err != nil {
			return "", err
		}
		if own && known {
			p.before.Head = began
		}
	}
	if err := p.unignore(ctx, p.before); err != nil {
		return "", err
	}
	left := append(p.before.Paths(), p.added(p.before)...)
	if len(left) == 0 {
		left = []string{"its commits"}
	}
	before := p.own.Halfway // it was being taken out of the tree, and all of it is kept
	if kept, err = p.keep(ctx, name, p.own.ended()); err != nil {
		return "", err
	}
	kept = cmp.Or(before, kept)
	p.tellKept(name, kept, left)
	if began == "" && p.before.Head == "" && at != "" {
		if err := p.Repo.DeleteRef(ctx, "refs/heads/"+p.Branch, at, "plan: kept as an attempt"); err != nil {
			return kept, err
		}
	}
	p.before, err = p.Repo.StatusIgnored(ctx)
	return kept, err
}

// keepPassed keeps what passed its checks in a clone.
func (p *Place) keepPassed(ctx context.Context, name string) (kept string, err error) {
	var parents []string
	if p.own.Head != journal.None {
		parents = []string{p.own.Head}
	}
	if kept, err = p.keepTree(ctx, p.own.Tree, parents, name, passedReason+"\n\n"+p.own.Message); err == nil {
		p.forgetProgress()
	}
	return kept, err
}
