package checkout

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
)

// Listed is a plan as its last event and its text describe it.
type Listed struct {
	ID, Branch  string
	Done, Total int    // as the plan's text counts them
	State       string // open, done, running, unapproved or blocked
	NoBranch    bool   // its branch is not here, or has another plan
	Title       string // "" if its text cannot be read
	Remote      string // the one that has its branch, if no branch here has the plan
	Subject     string
	Time        time.Time // of the event
}

// UnknownBranch is in the place of a branch that the subject of a plan's last event does not name.
const UnknownBranch = "?"

// Plans returns the plans of the repository as this clone knows them: whether each is approved,
// whether a step of it can run, and whether a branch has it.
func (c *Checkout) Plans(ctx context.Context) ([]Listed, error) {
	refs, err := c.Repo.Refs(ctx, journal.RefPrefix, "refs/heads/")
	if err != nil {
		return nil, err
	}
	var plans []git.Ref
	branches, attached := map[string]string{}, map[string]string{} // plans by branch, branches by plan
	if own, ok := c.PlanID(ctx); ok {                              // its branch may have no commit yet
		branches[c.Branch], attached[own] = own, c.Branch
	}
	for _, r := range refs {
		name, ok := strings.CutPrefix(r.Name, "refs/heads/")
		if !ok {
			plans = append(plans, r)
			continue
		}
		id, _ := c.Config.Get(integrity.PlanKey(name))
		branches[name] = id
		if id != "" {
			attached[id] = cmp.Or(attached[id], name)
		}
	}
	out := listPlans(c.Store, plans)
	var remotes map[string]string
	for i := range out {
		l := &out[i]
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
		text, err := c.Repo.Read(ctx, journal.RefPrefix+l.ID+":"+journal.PlanFile)
		if err != nil {
			continue
		}
		p, err := plan.Parse(text.Data)
		if err != nil {
			continue
		}
		l.Title = p.Title
		if l.State == "running" {
			continue // who works on it knows best
		}
		if ok, err := integrity.IsApproved(c.Repo, l.ID, p); err == nil && !ok {
			l.State = "unapproved"
		} else if l.State == "open" && stuck(p) {
			l.State = "blocked"
		}
	}
	return out, nil
}

// AtRemotes returns the branches that remotes have, as far as this repository knows, each
// with its remote.
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

func listPlans(s *journal.Store, refs []git.Ref) (out []Listed) {
	for _, r := range refs {
		l := listed(r.Subject)
		l.ID, l.Subject, l.Time = strings.TrimPrefix(r.Name, journal.RefPrefix), r.Subject, r.Time
		if _, working := journal.Working(s.Repo, l.ID); working {
			l.State = "running"
		}
		out = append(out, l)
	}
	return out
}

// listed reads the subject of an event's commit: branch and progress, as "work 1/3 ...". A
// subject of another form says nothing.
func listed(subject string) Listed {
	l := Listed{Branch: UnknownBranch, State: "open"}
	branch, rest, _ := strings.Cut(subject, " ")
	progress, _, _ := strings.Cut(rest, " ")
	done, total, ok := strings.Cut(progress, "/")
	d, err := strconv.Atoi(done)
	t, err2 := strconv.Atoi(total)
	if !ok || err != nil || err2 != nil || d < 0 || d > t {
		return l
	}
	l.Branch, l.Done, l.Total = branch, d, t
	if t > 0 && d == t {
		l.State = "done"
	}
	return l
}
