package checkout

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
)

// Listed is a plan as its text and its newest event describe it.
type Listed struct {
	ID, Branch  string
	Done, Total int    // as the plan's text counts them
	State       string // open, done, running, unapproved or blocked
	NoBranch    bool   // its branch is not here, or has another plan
	Title       string // "" if its text cannot be read
	Remote      string // the one that has its branch, if no branch here has the plan
	Subject     string // of the event
	Time        time.Time
}

// UnknownBranch is the branch of a plan whose text cannot be read.
const UnknownBranch = "?"

// Plans returns the plans of the repository, and what this clone knows of each.
func (c *Checkout) Plans(ctx context.Context) (out []Listed, err error) {
	refs, err := c.Repo.Refs(ctx, journal.RefPrefix, "refs/heads/")
	if err != nil {
		return nil, err
	}
	branches, attached := map[string]string{}, map[string]string{} // plans by branch, branches by plan
	if own, ok := c.PlanID(ctx); ok {                              // its branch may have no commit yet
		branches[c.Branch], attached[own] = own, c.Branch
	}
	for _, r := range refs {
		if name, ok := strings.CutPrefix(r.Name, "refs/heads/"); ok {
			id, _ := c.Config.Get(integrity.PlanKey(name))
			branches[name] = id
			if id != "" {
				attached[id] = cmp.Or(attached[id], name)
			}
		}
	}
	var remotes map[string]string
	for _, r := range refs {
		id, ok := strings.CutPrefix(r.Name, journal.RefPrefix)
		if !ok {
			continue
		}
		l := Listed{ID: id, Branch: UnknownBranch, State: "open", Subject: r.Subject, Time: r.Time}
		c.readListed(ctx, &l)
		other, there := branches[l.Branch]
		if has := attached[l.ID]; has != "" && other != l.ID {
			l.Branch, there = has, true // renamed since the event
		}
		l.NoBranch = attached[l.ID] == "" && (!there || other != "")
		if l.NoBranch && !there {
			if remotes == nil {
				remotes = c.AtRemotes(ctx)
			}
			l.Remote = remotes[l.Branch]
		}
		out = append(out, l)
	}
	return out, nil
}

// readListed reads what the text of a plan says of it.
func (c *Checkout) readListed(ctx context.Context, l *Listed) {
	_, working := journal.Working(c.Repo, l.ID)
	p, ok := c.text(ctx, l.ID)
	if ok {
		l.Branch, l.Title = cmp.Or(p.Branch, UnknownBranch), p.Title
		l.Done, l.Total = journal.Boxes(p)
	}
	switch {
	case working:
		l.State = "running"
	case !ok:
	case l.Total > 0 && l.Done == l.Total:
		l.State = "done"
	case stuck(p):
		l.State = "blocked"
	}
	if ok && !working {
		if approved, err := integrity.IsApproved(c.Repo, l.ID, p); err == nil && !approved {
			l.State = "unapproved"
		}
	}
}

// AtRemotes returns the branches that remotes have, as far as this repository knows, each with its remote.
func (c *Checkout) AtRemotes(ctx context.Context) map[string]string {
	out := map[string]string{}
	refs, err := c.Repo.Refs(ctx, "refs/remotes/")
	if err != nil {
		return out
	}
	for _, remote := range c.Config.Names("remote", "url") {
		for _, r := range refs {
			if name, ok := strings.CutPrefix(r.Name, "refs/remotes/"+remote+"/"); ok {
				out[name] = remote
			}
		}
	}
	return out
}

// stuck reports whether no step of a plan can run, by its text alone.
func stuck(pl *plan.Plan) bool {
	p := progress.From(pl, nil, nil, nil)
	for _, s := range pl.Steps {
		if s.Box {
			p.Mark(s.ID, progress.StateDone)
		}
	}
	_, next := p.Next(pl)
	return !next
}
