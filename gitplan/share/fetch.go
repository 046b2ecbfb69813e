package share

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// FetchEnd is the outcome of fetching one plan: what to tell the person about it, with {remote}.
type FetchEnd string

// The outcomes of fetching a plan.
const (
	FetchedNew     FetchEnd = "new"
	FetchedForward FetchEnd = "moved forward"
	FetchedMerged  FetchEnd = "merged with what {remote} has; next: git plan push"
	FetchedAhead   FetchEnd = "more is here than at {remote}; next: git plan push"
	FetchedSame    FetchEnd = "as it is here"
	FetchedGone    FetchEnd = "no longer at {remote}; it stays here"
	FetchedNot     FetchEnd = "not taken" // nothing was changed here; Err says why
)

// Fetched is one plan of a fetch.
type Fetched struct {
	ID        string
	End       FetchEnd
	Plan      *plan.Plan // the current plan here; nil if nothing changed
	Approved  bool       // Plan is approved in this clone
	Conflicts []Conflict // parts that both sides changed, for which a person has picked a side or must do so
	LeftOut   []string   // new events of the remote that reduce the work, each in words
	Err       error      // ErrDiverged, ErrRefused, ErrBusy
}

// maxPlan is the maximum size in bytes of a plan or a ledger from a remote: four times that of 10,000 steps.
const maxPlan = 8 << 20

// Fetch brings the plans of a remote here: it creates new ones, fast-forwards those with more commits there, and
// merges those with more commits on both sides. pick is the side that counts if both changed the same; with Neither
// such a plan stays unchanged (ErrDiverged). A plan that the remote deleted stays.
func Fetch(ctx context.Context, c *checkout.Checkout, remote string, pick Side) ([]Fetched, error) {
	before, err := sharedPlans(ctx, c, remote)
	if err != nil {
		return nil, err
	}
	if err := bringPlan(ctx, c, remote, "*", Way{}); err != nil {
		return nil, err
	}
	refs, err := sharedPlans(ctx, c, remote)
	if err != nil {
		return nil, err
	}
	f := &fetching{Checkout: c, remote: remote, pick: pick}
	var out []Fetched
	for id := range refs.seen {
		p, err := f.take(ctx, refs, id)
		if err != nil {
			return nil, err
		}
		if p.Plan != nil {
			if p.Approved, err = integrity.IsApproved(c.Repo, p.ID, p.Plan); err != nil {
				return nil, err
			}
		}
		out = append(out, p.Fetched)
	}
	for id := range before.seen {
		if refs.seen[id] == "" && refs.here[id] != "" {
			out = append(out, Fetched{ID: id, End: FetchedGone})
		}
	}
	slices.SortFunc(out, func(a, b Fetched) int { return strings.Compare(a.ID, b.ID) })
	return out, nil
}

// fetchOwn fetches the plan of the branch alone, whose lock the caller has, and reads it again.
func fetchOwn(ctx context.Context, c *checkout.Checkout, remote string, way Way) error {
	if err := bringPlan(ctx, c, remote, c.Doc.ID, way); err != nil {
		return err
	}
	refs, err := sharedPlans(ctx, c, remote)
	if err != nil {
		return err
	}
	f := &fetching{Checkout: c, remote: remote, locked: true}
	own, err := f.take(ctx, refs, c.Doc.ID)
	if err = cmp.Or(err, own.Err); err != nil {
		return err
	}
	return c.Reload(ctx)
}

// fetching is one call of Fetch.
type fetching struct {
	Checkout *checkout.Checkout
	remote   string
	pick     Side
	locked   bool // the caller has the lock of the plan
}

// incoming is a plan of the remote.
type incoming struct {
	Fetched
	here, seen string            // the tips here and at the remote; "" without one
	doc        *journal.Document // the remote's plan; nil unless it is valid and differs from the one here

	onlyHere, onlyThere []git.Commit
}

// take stores a fetched plan here.
func (f *fetching) take(ctx context.Context, refs shared, id string) (*incoming, error) {
	p := &incoming{Fetched: Fetched{ID: id, End: FetchedSame}, here: refs.here[id], seen: refs.seen[id]}
	if p.seen != p.here {
		f.look(ctx, p)
	}
	if p.doc == nil {
		return p, nil
	}
	if err := f.relate(ctx, p); err != nil || p.End == FetchedAhead {
		return p, err
	}
	// before it gets another text from the remote
	approved, err := integrity.ApprovedMeaning(f.Checkout.Repo, p.ID)
	if err == nil && !bytes.Equal(approved, p.doc.Plan.Meaning()) { // a new one may be one that was dropped
		err = integrity.Brought(f.Checkout.Repo, p.ID)
	}
	if err == nil && p.End != FetchedNew && !f.locked { // a process that works on it would take a change for tampering
		lock, err := journal.Acquire(f.Checkout.Repo, p.ID, "fetch")
		if err != nil {
			f.refuse(p, fault.ErrBusy, err.Error())
			return p, nil
		}
		defer lock.Release()
	}
	switch {
	case err != nil:
	case p.End == FetchedMerged:
		err = f.merge(ctx, p)
	default: // new here, or behind
		if err = journal.TrustTip(f.Checkout.Repo, p.ID, p.here, p.seen); err == nil {
			err = f.Checkout.Repo.UpdateRef(ctx, journal.RefPrefix+p.ID, p.seen, p.here, "plan: fetched from "+f.remote)
		}
		if err == nil {
			p.Plan = p.doc.Plan
		}
	}
	if errors.Is(err, git.ErrMoved) {
		f.refuse(p, fault.ErrBusy, "it was changed here meanwhile")
		err = nil
	}
	return p, err
}

// refuse records why a plan stays unchanged here.
func (f *fetching) refuse(p *incoming, kind error, why string) {
	p.End, p.Err, p.doc = FetchedNot, fault.New(kind, "plan %s of %s: %s", p.ID, f.remote, why), nil
}

// look refuses refs that are not plans: a ref's name must be the id in the text, so that no plan can replace
// another.
func (f *fetching) look(ctx context.Context, p *incoming) {
	if !plan.ValidID(p.ID) {
		p.ID = visible.OneLine(p.ID, 80)
		p.End, p.Err = FetchedNot, fault.New(fault.ErrRefused, "%s of %s is not the name of a plan", p.ID, f.remote)
		return
	}
	commit, err := f.Checkout.Repo.ReadIf(ctx, "commit", p.seen)
	text, none := f.Checkout.Repo.ReadIf(ctx, "blob", p.seen+":"+journal.PlanFile)
	review, without := f.Checkout.Repo.ReadIf(ctx, "blob", p.seen+":"+journal.ReviewFile)
	switch {
	case err != nil || none != nil || commit.Type != "commit" || text.Type != "blob":
		f.refuse(p, fault.ErrRefused, "it holds no "+journal.PlanFile)
		return
	case text.Data == nil || len(text.Data) > maxPlan || without == nil && (review.Data == nil || len(review.Data) > maxPlan):
		f.refuse(p, fault.ErrRefused, fmt.Sprintf("its text or its review is longer than %d MiB", maxPlan>>20))
		return
	}
	doc, err := f.Checkout.Store.At(ctx, p.ID, p.seen)
	switch {
	case err != nil:
		f.refuse(p, fault.ErrRefused, strings.TrimPrefix(err.Error(), "plan "+p.ID+": "))
	case doc.Plan.FrontMatter.Value("plan") != p.ID:
		f.refuse(p, fault.ErrRefused, "its text says that it is plan "+doc.Plan.FrontMatter.Value("plan"))
	default:
		p.doc = doc
	}
}

// relate decides which side of a plan has more.
func (f *fetching) relate(ctx context.Context, p *incoming) (err error) {
	if p.here == "" {
		p.onlyThere, err = f.Checkout.Repo.Log(ctx, p.seen)
		p.End = FetchedNew
	} else if p.onlyThere, err = f.Checkout.Repo.Log(ctx, p.seen, "^"+p.here); err == nil {
		p.onlyHere, err = f.Checkout.Repo.Log(ctx, p.here, "^"+p.seen)
		switch {
		case len(p.onlyThere) == 0:
			p.End = FetchedAhead
		case len(p.onlyHere) == 0:
			p.End = FetchedForward
		default:
			p.End = FetchedMerged
		}
	}
	for _, e := range journal.EventsOf(p.ID, p.onlyThere) {
		if e.Kind == journal.Accepted || e.Kind == journal.Skipped {
			p.LeftOut = append(p.LeftOut, e.Describe())
		}
	}
	return err
}
