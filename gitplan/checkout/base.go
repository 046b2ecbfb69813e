package checkout

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// unprotected refuses a branch of plan.protect, by default any base (ErrProtected), unless its plan begins it.
func unprotected(ctx context.Context, c *Checkout, d *journal.Document) error {
	if d.Start() == journal.None && d.Plan.Base == "" {
		return nil
	}
	names := c.Config.List("plan.protect")
	if _, set := c.Config.Get("plan.protect"); !set {
		names = append(baseNames(ctx, c), d.Plan.Base)
	}
	for _, n := range names {
		matches, err := disk.Match(n, c.Branch)
		if err != nil {
			return fault.New(fault.ErrProtected, "steps never run on %s: plan.protect has the invalid pattern %s",
				c.Branch, visible.OneLine(n, 200))
		}
		if matches || n == c.Branch || strings.TrimPrefix(n, "origin/") == c.Branch {
			return fault.New(fault.ErrProtected, "steps never run on %s", c.Branch)
		}
	}
	return nil
}

// baseNames returns the branches that may be the base, the likeliest first.
func baseNames(ctx context.Context, c *Checkout) []string {
	if b, ok := c.Config.Get("plan.base"); ok && b != "" {
		return []string{b}
	}
	var names []string
	if _, err := c.Repo.Resolve(ctx, "refs/remotes/origin/HEAD"); err == nil {
		if full, err := c.Repo.Output(ctx, "symbolic-ref", "--quiet", "refs/remotes/origin/HEAD"); err == nil {
			names = append(names, strings.TrimPrefix(full, "refs/remotes/"))
		}
	}
	if b, ok := c.Config.Get("init.defaultBranch"); ok && b != "" {
		names = append(names, b)
	}
	return append(names, "main", "master")
}

// Base returns what the work is compared with: what is given, else the first of baseNames, or "" if unborn. ErrNoBase.
func (c *Checkout) Base(ctx context.Context, given string) (name string, err error) {
	if given != "" {
		for _, n := range []string{given, "origin/" + given} {
			if oid, err := c.Repo.Resolve(ctx, n+"^{commit}"); err == nil && movesAlong().MatchString(n) {
				return oid, nil
			} else if err == nil {
				return n, nil
			}
		}
		return "", fault.New(fault.ErrNoBase, "%s is not a commit here", given)
	}
	for _, n := range baseNames(ctx, c) {
		if _, err := c.Repo.Resolve(ctx, n+"^{commit}"); err == nil {
			return n, nil
		}
	}
	if _, err := c.Repo.Resolve(ctx, "HEAD^{commit}"); err != nil {
		return "", nil
	}
	return "", fault.New(fault.ErrNoBase, "no base branch was found")
}

// movesAlong matches a revision that is named from HEAD, as HEAD~2 and @{u} are.
var movesAlong = visible.NewPattern(`^(HEAD|@)($|[~^@{])`)

// OwnBase returns what the base itself is compared with: nothing ("") if its plan began it, else its upstream.
func (c *Checkout) OwnBase(ctx context.Context) (name string, err error) {
	if c.Doc != nil && c.Doc.Start() == journal.None {
		return "", nil
	}
	upstream, err := c.Repo.Output(ctx, "for-each-ref", "--format=%(upstream)", "refs/heads/"+c.Branch)
	if err != nil {
		return "", err
	}
	for _, n := range []string{upstream, "refs/remotes/origin/" + c.Branch} {
		if _, err := c.Repo.Resolve(ctx, n+"^{commit}"); n != "" && err == nil {
			return strings.TrimPrefix(n, "refs/remotes/"), nil
		}
	}
	return c.Branch, nil
}

// OnBase reports whether the branch is the base itself, on which no plan is made.
func (c *Checkout) OnBase(base string) bool {
	return base != "" && strings.TrimPrefix(base, "origin/") == c.Branch
}

// PlanBase returns the base of the branch's plan, else the one that is found, else "".
func (c *Checkout) PlanBase(ctx context.Context) string {
	if c.Doc != nil {
		return c.Doc.Plan.Base
	}
	if p, ok := c.Text(ctx); ok {
		return p.Base
	}
	base, _ := c.Base(ctx, "")
	return base
}

// Text returns the plan of this branch without its events, by two reads of an open repository.
func (c *Checkout) Text(ctx context.Context) (*plan.Plan, bool) {
	if id, ok := c.PlanID(ctx); ok {
		return c.text(ctx, id)
	}
	return nil, false
}

func (c *Checkout) text(ctx context.Context, id string) (p *plan.Plan, ok bool) {
	o, err := c.Repo.Read(ctx, journal.RefPrefix+id+":"+journal.PlanFile)
	if err != nil {
		return nil, false
	}
	p, err = plan.Parse(o.Data)
	return p, err == nil
}

// Remote returns the remote of plans: the named one, else git's for this branch, else origin or the only one.
func (c *Checkout) Remote(named string, push bool) (string, error) {
	all := c.Config.Git.Subsections("remote", "url")
	keys := []string{"branch." + c.Branch + ".remote"}
	if push {
		keys = append([]string{"branch." + c.Branch + ".pushRemote", "remote.pushDefault"}, keys...)
	}
	name, why := named, named
	for _, key := range keys {
		if v, ok := c.Config.Get(key); ok && name == "" && v != "." { // "." is this repository
			name, why = v, key+" names "+v+", which"
		}
	}
	switch {
	case name != "" && slices.Contains(all, name):
		return name, nil
	case name != "":
		return "", fault.New(fault.ErrNoRemote, "%s is not a remote of this repository", why)
	case slices.Contains(all, "origin"):
		return "origin", nil
	case len(all) == 1:
		return all[0], nil
	case len(all) == 0:
		return "", fault.New(fault.ErrNoRemote, "this repository has no remote")
	}
	return "", fault.New(fault.ErrNoRemote, "which remote do you mean: %s?", visible.OneLine(strings.Join(all, ", "), 400))
}

// Version returns the text of the plan at a commit of its chain, or N events ago (~N). ErrUnknownVersion.
func (c *Checkout) Version(ctx context.Context, name string) ([]byte, error) {
	events := c.Doc.Events
	at := slices.IndexFunc(events, func(e journal.Event) bool { return len(name) >= 4 && strings.HasPrefix(e.Commit, name) })
	if ago, ok := strings.CutPrefix(name, "~"); ok {
		if n, err := strconv.Atoi(ago); err == nil {
			at = len(events) - 1 - n
		}
	}
	if at < 0 || at >= len(events) {
		return nil, fault.New(fault.ErrUnknownVersion, "the plan has no version %s", name)
	}
	o, err := c.Repo.Read(ctx, events[at].Commit+":"+journal.PlanFile)
	return o.Data, err
}

// Listed is a plan as its text and its newest event describe it.
type Listed struct {
	ID, Branch  string
	Base        string // as its text names it
	Pursues     bool   // it has Bounds
	Done, Total int    // as the plan's text counts them
	Skipped     int    // of Done
	State       string // open, done, running, unapproved or blocked
	Here        bool   // it is that of this branch
	Title       string // "" if its text cannot be read
	Unattached  string // what its branch is or has, if no branch here has the plan: is gone
	Remote      string // the one that has its branch then
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
	remotes := sync.OnceValue(func() map[string]string { return c.AtRemotes(ctx) })
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
		switch {
		case attached[l.ID] != "":
		case there && other != "":
			l.Unattached = "has another plan"
		case !there:
			if l.Unattached, l.Remote = "is gone", remotes()[l.Branch]; l.Remote != "" {
				l.Unattached = "is at " + l.Remote
			}
		}
		out = append(out, l)
	}
	return out, nil
}

func (c *Checkout) readListed(ctx context.Context, l *Listed) {
	_, working := journal.Working(c.Repo, l.ID)
	if working {
		l.State = "running"
	}
	p, ok := c.text(ctx, l.ID)
	if !ok {
		return
	}
	l.Branch, l.Base, l.Pursues, l.Title = cmp.Or(p.Branch, UnknownBranch), p.Base, p.Bounds != nil, p.Title
	l.Done, l.Total = journal.Boxes(p)
	now := progress.From(p, nil, nil, nil) // by its text alone
	l.Skipped = now.Skipped()
	for _, s := range p.Steps {
		if s.Box {
			now.Mark(s.ID, progress.StateDone)
		}
	}
	waits, err := integrity.Waits(c.Repo, l.ID, p)
	_, next := now.Next(p)
	switch {
	case working:
	case err == nil && !(waits.None() && p.Approvable() == nil):
		l.State = "unapproved"
	case l.Total > 0 && l.Done == l.Total:
		l.State = "done"
	case !next:
		l.State = "blocked"
	}
}

// AtRemotes returns the branches that remotes have, as far as this repository knows, each with its remote.
func (c *Checkout) AtRemotes(ctx context.Context) map[string]string {
	out := map[string]string{}
	refs, _ := c.Repo.Refs(ctx, "refs/remotes/")
	for _, remote := range c.Config.Git.Subsections("remote", "url") {
		for _, r := range refs {
			if name, ok := strings.CutPrefix(r.Name, "refs/remotes/"+remote+"/"); ok {
				out[name] = remote
			}
		}
	}
	return out
}
