package journal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/plan"
)

const (
	RefPrefix     = "refs/plans/"         // refs of plans: one chain of commits for each
	AttemptPrefix = "refs/plan-attempts/" // refs that keep unfinished attempts
	PlanFile      = "plan.md"             // the plan's text in the tree of its commits
	ReviewFile    = "review.json"         // the ledger of its review, in the same tree
)

// Document is a stored plan: its text and everything that happened to it.
type Document struct {
	ID      string
	Tip     string // the newest commit of the chain
	Plan    *plan.Plan
	Entries []git.Entry   // the tip's tree
	Events  []Event       // oldest first; only extend may append
	used    *atomic.Int64 // how many events of the shared array are in use; see extend

	Renamed string // the branch's new name, recorded by the next write; else ""
	Merged  string // the other clone's commit, the second parent of the next write; else ""
}

// extend adds events without copying those before, so that an event costs the same however long the history is.
// Documents share an array: the first document to be extended appends to it, others copy it.
func (d *Document) extend(added ...Event) {
	n, all := int64(len(d.Events)), int64(len(d.Events)+len(added))
	if d.used == nil || !d.used.CompareAndSwap(n, all) {
		d.Events, d.used = slices.Clip(d.Events), new(atomic.Int64)
		d.used.Store(all)
	}
	d.Events = append(d.Events, added...)
}

// Start returns the commit of the branch when the plan was made, or None.
func (d *Document) Start() string { return OrNone(d.created().Start) }

// Imported returns the file of the repository that the plan was imported from, or "".
func (d *Document) Imported() string { return d.created().Imported }

func (d *Document) created() Event {
	if i := slices.IndexFunc(d.Events, func(e Event) bool { return e.Kind == Created }); i >= 0 {
		return d.Events[i]
	}
	return Event{}
}

// Newest returns the latest event, or nil. Callers must not modify it.
func (d *Document) Newest() *Event {
	if len(d.Events) == 0 {
		return nil
	}
	return &d.Events[len(d.Events)-1]
}

// Load reads a plan: at most one git process for its history, and a kept one for its text.
func (s *Store) Load(ctx context.Context, id string) (*Document, error) {
	return s.Newer(ctx, &Document{ID: id})
}

// Newer returns the current plan of d; it reads only the commits added since d was read.
func (s *Store) Newer(ctx context.Context, d *Document) (*Document, error) {
	now := *d
	now.Renamed, now.Merged = "", ""
	tip, err := s.Repo.Resolve(ctx, RefPrefix+d.ID)
	if errors.Is(err, git.ErrMissing) {
		return nil, fault.New(fault.ErrPlanGone, "there is no plan %s in this repository", d.ID)
	}
	if err != nil || tip == d.Tip {
		return &now, err
	}
	s.shared.mu.Lock()
	newest := s.shared.newest
	s.shared.mu.Unlock()
	if newest.ID == d.ID && newest.Tip == tip {
		return &newest, nil
	}
	// The whole of a long history takes longer to read than a few commits one by one.
	few := min(git.FewCommits, len(d.Events)) + len(d.Events)/50
	added, ok := s.Repo.Chain(ctx, tip, d.Tip, few)
	if !ok {
		if added, err = s.Chain(ctx, d.ID, tip); err != nil {
			return nil, err
		}
		now.Events = nil
	}
	if err := s.read(ctx, &now, tip); err != nil {
		return nil, err
	}
	if events := EventsOf(d.ID, added); now.Events == nil {
		now.Events, now.used = events, nil
	} else {
		now.extend(events...)
	}
	s.share(now)
	return &now, nil
}

// Chain returns the commits of a plan's chain, newest first.
func (s *Store) Chain(ctx context.Context, id, tip string) ([]git.Commit, error) {
	return s.Repo.History(ctx, s.Repo.PlanDir(id, "events"), "--date-order", tip, "")
}

// EventsOf reads the events of a chain, oldest first, from its commits in git's date order, newest first: after a
// merge of two clones' chains each side keeps its order, whatever the clocks say.
func EventsOf(id string, commits []git.Commit) []Event {
	events := make([]Event, len(commits))
	for i, c := range commits {
		events[len(events)-1-i].parse(id, c)
	}
	return events
}

// At reads a plan as a commit of its chain has it, without events.
func (s *Store) At(ctx context.Context, id, commit string) (*Document, error) {
	d := &Document{ID: id}
	return d, s.read(ctx, d, commit)
}

// read reads the tree of a commit of the chain, and its text unless d has that already.
func (s *Store) read(ctx context.Context, d *Document, commit string) error {
	had := d.oid(PlanFile)
	tree, err := s.Repo.Read(ctx, commit+"^{tree}")
	if err != nil {
		return err
	}
	if d.Entries, err = git.ParseTree(tree.Data, s.Repo.Format); err != nil {
		return err
	}
	d.Tip = commit
	if had != "" && had == d.oid(PlanFile) {
		return nil
	}
	text, err := s.File(ctx, d, PlanFile)
	if err != nil {
		return fmt.Errorf("plan %s: %w", d.ID, err)
	}
	p, err := plan.Parse(text)
	if err != nil {
		return fmt.Errorf("plan %s: %w", d.ID, err)
	}
	p.ID = d.ID // a text can claim any ID
	d.Plan = p
	return nil
}

// File returns a file of the plan's tree; nil if it does not exist.
func (s *Store) File(ctx context.Context, d *Document, name string) ([]byte, error) {
	oid := d.oid(name)
	if oid == "" {
		return nil, nil
	}
	o, err := s.Repo.Read(ctx, oid)
	return o.Data, err
}

// oid returns the blob of a file of the plan's tree, or "".
func (d *Document) oid(name string) string {
	for _, e := range d.Entries {
		if e.Name == name {
			return e.OID
		}
	}
	return ""
}

// IsPlanCommit reports whether a commit can be one of a plan's chain: it holds only files that this program writes.
func (s *Store) IsPlanCommit(ctx context.Context, commit string) bool {
	tree, err := s.Repo.Read(ctx, commit+"^{tree}")
	entries, bad := git.ParseTree(tree.Data, s.Repo.Format)
	foreign := func(e git.Entry) bool { return e.Mode != "100644" || e.Name != PlanFile && e.Name != ReviewFile }
	return errors.Join(err, bad) == nil && (&Document{Entries: entries}).oid(PlanFile) != "" &&
		!slices.ContainsFunc(entries, foreign)
}
