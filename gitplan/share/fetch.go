package share

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
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

// FetchEnd is the outcome of fetching one plan.
type FetchEnd string

// The outcomes of fetching a plan.
const (
	FetchedNew     FetchEnd = "new"     // it was not here
	FetchedForward FetchEnd = "forward" // the remote had more
	FetchedMerged  FetchEnd = "merged"  // both sides had more
	FetchedAhead   FetchEnd = "ahead"   // more is here
	FetchedSame    FetchEnd = "same"
	FetchedGone    FetchEnd = "gone" // no longer at the remote; it stays here
	FetchedNot     FetchEnd = "not"  // nothing was changed here; Err says why
)

// Fetched is one plan of a fetch.
type Fetched struct {
	ID        string
	End       FetchEnd
	Plan      *plan.Plan // the current plan here; nil if nothing changed
	Approved  bool       // the meaning of Plan, in this clone
	Conflicts []Conflict // what both sides changed: a person must pick, or did
	LeftOut   []string   // new events of the remote by which less is to be done, each in words
	Err       error      // ErrDiverged, ErrRefused, ErrBusy
}

// maxPlan is the longest plan, or review of one, that is taken from a remote, in bytes: four times one of 10,000 steps.
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
	f := &fetching{Checkout: c, remote: remote, pick: pick, plans: map[string]*Fetched{}, docs: map[string]*journal.Document{}}
	if f.shared, err = sharedPlans(ctx, c, remote); err != nil {
		return nil, err
	}
	if err := f.take(ctx); err != nil {
		return nil, err
	}
	for id := range before.seen {
		if f.plans[id] == nil && f.here[id] != "" {
			f.plans[id] = &Fetched{ID: id, End: FetchedGone}
		}
	}
	return f.result()
}

// fetchOwn fetches the plan of the branch alone, whose lock the caller has, and reads it again.
func fetchOwn(ctx context.Context, c *checkout.Checkout, remote string, way Way) error {
	id := c.Doc.ID
	if err := bringPlan(ctx, c, remote, id, way); err != nil {
		return err
	}
	refs, err := sharedPlans(ctx, c, remote)
	if err != nil {
		return err
	}
	own := shared{here: map[string]string{id: refs.here[id]}, seen: map[string]string{id: refs.seen[id]}}
	f := &fetching{Checkout: c, remote: remote, locked: true, shared: own, plans: map[string]*Fetched{},
		docs: map[string]*journal.Document{}}
	if err := f.take(ctx); err != nil {
		return err
	}
	if err := f.plans[id].Err; err != nil {
		return err
	}
	return c.Reload(ctx)
}

// fetching is one fetch under way.
type fetching struct {
	Checkout *checkout.Checkout
	remote   string
	pick     Side
	locked   bool // the caller has the lock of the plan
	shared
	plans    map[string]*Fetched          // the results, by id
	docs     map[string]*journal.Document // the valid plans of the remote that differ from those here
	diverged []string                     // plans that have more on both sides
}

// take stores the fetched plans here.
func (f *fetching) take(ctx context.Context) error {
	for _, step := range []func(context.Context) error{f.look, f.relate, f.markChanged, f.moveForward, f.merge} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// lock takes the lock of a plan, unless the caller has it.
func (f *fetching) lock(id string) (release func(), err error) {
	if f.locked {
		return func() {}, nil
	}
	lock, err := journal.Acquire(f.Checkout.Repo, id, "fetch")
	if err != nil {
		return nil, err
	}
	return lock.Release, nil
}

// refuse notes that a plan stays unchanged here, and why.
func (f *fetching) refuse(id string, kind error, format string, args ...any) {
	f.plans[id].End = FetchedNot
	f.plans[id].Err = fault.New(kind, "plan %s of %s: %s", id, f.remote, fmt.Sprintf(format, args...))
}

// look refuses refs that are not plans: a ref's name must be the id in the text, so that no plan can replace
// another.
func (f *fetching) look(ctx context.Context) error {
	for _, id := range slices.Sorted(maps.Keys(f.seen)) {
		f.plans[id] = &Fetched{ID: id, End: FetchedSame}
		if !plan.ValidID(id) {
			f.plans[id].ID = visible.OneLine(id, 80)
			f.plans[id].End, f.plans[id].Err = FetchedNot,
				fault.New(fault.ErrRefused, "%s of %s is not the name of a plan", id, f.remote)
			continue
		} else if f.seen[id] == f.here[id] {
			continue
		}
		commit, err := f.Checkout.Repo.ReadIf(ctx, "commit", f.seen[id])
		text, none := f.Checkout.Repo.ReadIf(ctx, "blob", f.seen[id]+":"+journal.PlanFile)
		review, without := f.Checkout.Repo.ReadIf(ctx, "blob", f.seen[id]+":"+journal.ReviewFile)
		switch {
		case err != nil || none != nil || commit.Type != "commit" || text.Type != "blob":
			f.refuse(id, fault.ErrRefused, "it holds no %s", journal.PlanFile)
			continue
		case text.Data == nil || len(text.Data) > maxPlan || without == nil && (review.Data == nil || len(review.Data) > maxPlan):
			f.refuse(id, fault.ErrRefused, "its text or its review is longer than %d MiB", maxPlan>>20)
			continue
		}
		doc, err := f.Checkout.Store.At(ctx, id, f.seen[id])
		var parse *plan.ParseError
		switch {
		case errors.As(err, &parse):
			f.refuse(id, fault.ErrRefused, "%s", parse.Error())
		case err != nil:
			f.refuse(id, fault.ErrRefused, "%s", err.Error())
		case doc.Plan.FrontMatter.Value("plan") != id:
			f.refuse(id, fault.ErrRefused, "its text says that it is plan %s", doc.Plan.FrontMatter.Value("plan"))
		default:
			f.docs[id] = doc
		}
	}
	return ctx.Err()
}

// relate decides which side of each plan has more.
func (f *fetching) relate(ctx context.Context) error {
	var tips []string
	for id := range f.docs {
		if f.here[id] != "" {
			tips = append(tips, f.here[id], f.seen[id])
		}
	}
	commits, err := ancestryOf(ctx, f.Checkout, tips)
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(f.docs)) {
		ours, theirs := commits.of(f.here[id]), commits.of(f.seen[id])
		switch {
		case f.here[id] == "":
			f.plans[id].End = FetchedNew
		case ours[f.seen[id]]:
			f.plans[id].End = FetchedAhead
		case theirs[f.here[id]]:
			f.plans[id].End = FetchedForward
		default:
			f.diverged = append(f.diverged, id)
		}
		for oid := range theirs {
			e := journal.EventsOf(id, []git.Commit{commits[oid]})[0]
			if !ours[oid] && (e.Kind == journal.Accepted || e.Kind == journal.Skipped) {
				f.plans[id].LeftOut = append(f.plans[id].LeftOut, e.Describe())
			}
		}
		slices.Sort(f.plans[id].LeftOut)
	}
	return nil
}

// markChanged notes which plans get another text from the remote, before they do.
func (f *fetching) markChanged(context.Context) error {
	for id, doc := range f.docs {
		approved, err := integrity.ApprovedMeaning(f.Checkout.Repo, id)
		// a new one may be one that was dropped
		if err == nil && f.plans[id].End != FetchedAhead && !bytes.Equal(approved, doc.Plan.Meaning()) {
			err = integrity.Brought(f.Checkout.Repo, id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// moveForward creates new plans and fast-forwards others, except one that is being worked on: its process would take
// the change for tampering.
func (f *fetching) moveForward(ctx context.Context) error {
	var moves []git.RefChange
	for id := range f.docs {
		switch f.plans[id].End {
		case FetchedForward:
			release, err := f.lock(id)
			if err != nil {
				f.refuse(id, fault.ErrBusy, "%s", err)
				continue
			}
			defer release()
		case FetchedNew:
		default:
			continue
		}
		moves = append(moves, git.RefChange{Ref: journal.RefPrefix + id, New: f.seen[id], Old: f.here[id]})
	}
	failed, err := moveAll(ctx, f.Checkout, "plan: fetched from "+f.remote, moves)
	if err != nil {
		return err
	}
	for _, m := range moves {
		id := strings.TrimPrefix(m.Ref, journal.RefPrefix)
		switch err := failed[m.Ref]; {
		case errors.Is(err, git.ErrMoved):
			f.refuse(id, fault.ErrBusy, "it was changed here meanwhile")
		case err != nil:
			return err
		default:
			f.plans[id].Plan = f.docs[id].Plan
		}
	}
	return nil
}

// result returns the results in the order of their ids.
func (f *fetching) result() ([]Fetched, error) {
	var out []Fetched
	for _, id := range slices.Sorted(maps.Keys(f.plans)) {
		p := f.plans[id]
		if p.Plan != nil {
			var err error
			if p.Approved, err = integrity.IsApproved(f.Checkout.Repo, id, p.Plan); err != nil {
				return nil, err
			}
		}
		out = append(out, *p)
	}
	return out, nil
}
