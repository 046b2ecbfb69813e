package checkout

import (
	"context"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// unprotected refuses a branch on which steps must not run (ErrProtected): plan.protect, or any base if that is
// not set. A plan that makes the first commits of its branch is never refused.
func unprotected(ctx context.Context, c *Checkout, d *journal.Document) error {
	if d.Start() == journal.None && d.Plan.Base == "" {
		return nil
	}
	names := c.Config.List("plan.protect")
	if _, set := c.Config.Get("plan.protect"); !set {
		names = baseNames(ctx, c)
		names = append(names, d.Plan.Base)
	}
	for _, n := range names {
		matches, _ := path.Match(n, c.Branch) // an invalid pattern is a name
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

// Base returns the branch or commit that the work is compared with: the given one, or origin's of that name; if
// none is given, the first of baseNames that exists, or "" on an unborn branch. A revision that moves along with
// the branch becomes its commit. ErrNoBase if there is none.
func (c *Checkout) Base(ctx context.Context, given string) (name string, err error) {
	if given != "" {
		for _, n := range []string{given, "origin/" + given} {
			oid, err := c.Repo.Resolve(ctx, n+"^{commit}")
			switch {
			case err == nil && movesAlong(n):
				return oid, nil
			case err == nil:
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

// movesAlong reports whether a revision is named from HEAD, as HEAD~2 and @{u} are.
func movesAlong(revision string) bool {
	for _, head := range []string{"HEAD", "@"} {
		if rest, ok := strings.CutPrefix(revision, head); ok && (rest == "" || strings.ContainsRune("~^@{", rune(rest[0]))) {
			return true
		}
	}
	return false
}

// OwnBase returns what a branch that is the base itself is compared with: "" if its plan made the first commits,
// else its upstream, else origin's branch of its name, else itself.
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
	if p, ok := c.Text(ctx); ok {
		return p.Base
	}
	base, _ := c.Base(ctx, "")
	return base
}

// Text returns the plan of this branch without its events, by two reads of an open repository.
func (c *Checkout) Text(ctx context.Context) (*plan.Plan, bool) {
	id, ok := c.PlanID(ctx)
	if !ok {
		return nil, false
	}
	return c.text(ctx, id)
}

// text returns the text of a plan; ok is false if it cannot be read.
func (c *Checkout) text(ctx context.Context, id string) (p *plan.Plan, ok bool) {
	o, err := c.Repo.Read(ctx, journal.RefPrefix+id+":"+journal.PlanFile)
	if err != nil {
		return nil, false
	}
	p, err = plan.Parse(o.Data)
	return p, err == nil
}

// Remote returns the remote that plans are fetched from or pushed to: the named one, else the one that git would
// take for this branch, else origin, else the only one. ErrNoRemote otherwise.
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
	slices.Sort(all)
	return "", fault.New(fault.ErrNoRemote, "which remote do you mean: %s?", visible.OneLine(strings.Join(all, ", "), 400))
}

// Version returns the text of the plan at a commit of its chain, named by at least four digits, or as ~N, N events
// ago. ErrUnknownVersion if there is none.
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
