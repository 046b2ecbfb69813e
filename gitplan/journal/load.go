package journal

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// ShortChain is how many commits are read one by one at most: that many take as
// long as it takes to start a git process, measured as 3 ms to 0.1 ms.
const ShortChain = 30

// Load reads a plan: at most one git process for its history, and a kept one for its text.
func (s *Store) Load(ctx context.Context, id string) (*Document, error) {
	commits, ok := s.Repo.Chain(ctx, RefPrefix+id, "", ShortChain)
	if !ok {
		tip, err := s.Repo.Resolve(ctx, RefPrefix+id)
		if errors.Is(err, git.ErrMissing) {
			return nil, fault.New(fault.ErrPlanGone, "there is no plan %s in this repository", id)
		}
		if err != nil {
			return nil, err
		}
		if commits, err = s.Repo.Log(ctx, "--date-order", tip); err != nil {
			return nil, err
		}
	}
	d, err := s.At(ctx, id, commits[0].OID)
	if err != nil {
		return nil, err
	}
	d.Events = EventsOf(id, commits)
	return d, nil
}

// Newer returns the plan of d as it is now. Of its history only what was added since d was read is
// read, and its text only if it is another: what that costs does not grow with the plan.
func (s *Store) Newer(ctx context.Context, d *Document) (*Document, error) {
	few := max(ShortChain, len(d.Events)/50) // to read all of a long history takes longer than to read these one by one
	added, ok := s.Repo.Chain(ctx, RefPrefix+d.ID, d.Tip, few)
	if !ok {
		return s.Load(ctx, d.ID)
	}
	now := *d
	now.Renamed, now.Merged = "", ""
	if len(added) > 0 {
		if err := s.read(ctx, &now, added[0].OID); err != nil {
			return nil, err
		}
		now.extend(EventsOf(d.ID, added)...)
	}
	return &now, nil
}

// EventsOf reads the events of a chain from its commits in git's date order, newest first,
// and returns them oldest first. After a merge of two clones' chains, what followed
// something on its side comes after it, whatever the clocks said; of what happened on both
// sides at once, the newer by the clock comes later.
func EventsOf(id string, commits []git.Commit) []Event {
	var events []Event
	for _, c := range slices.Backward(commits) {
		events = append(events, sanitize(id, parseEvent(id, c)))
	}
	return events
}

// At reads a plan as a commit of its chain has it, without events.
func (s *Store) At(ctx context.Context, id, commit string) (*Document, error) {
	d := &Document{ID: id}
	if err := s.read(ctx, d, commit); err != nil {
		return nil, err
	}
	return d, nil
}

// read reads files and text of a commit of the chain, and what its text says, unless d has that text.
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
	p.ID = d.ID // the id in the text proves nothing
	d.Plan = p
	return nil
}

// File returns another file of the plan's tree, such as its review's ledger;
// nil if there is none.
func (s *Store) File(ctx context.Context, d *Document, name string) ([]byte, error) {
	oid := d.oid(name)
	if oid == "" {
		return nil, nil
	}
	o, err := s.Repo.Read(ctx, oid)
	return o.Data, err
}

// oid is that of a file of the plan's tree; "" if there is none.
func (d *Document) oid(name string) string {
	for _, e := range d.Entries {
		if e.Name == name {
			return e.OID
		}
	}
	return ""
}

// IsPlans reports whether a commit, given by its name or its tree's, can be one of a plan's
// chain: it holds the plan's text and nothing that this program does not write.
func (s *Store) IsPlans(ctx context.Context, commit string) bool {
	tree, err := s.Repo.Read(ctx, commit+"^{tree}")
	if err != nil {
		return false
	}
	entries, err := git.ParseTree(tree.Data, s.Repo.Format)
	text := false
	for _, e := range entries {
		text = text || e.Name == PlanFile
		if e.Mode != "100644" || e.Name != PlanFile && e.Name != ReviewFile {
			return false
		}
	}
	return err == nil && text
}

// RefPrefix is where plans live: one chain of commits for each.
const RefPrefix = "refs/plans/"

// PlanRef returns the ref of a plan.
func PlanRef(id string) string { return RefPrefix + id }

// AttemptPrefix is where attempts that were not finished are kept.
const AttemptPrefix = "refs/plan-attempts/"

// PlanFile is the plan's text in the tree of its commits; ReviewFile the
// ledger of its review.
const (
	PlanFile   = "plan.md"
	ReviewFile = "review.json"
)
