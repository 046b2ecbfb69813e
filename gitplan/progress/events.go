package progress

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// LastEvents returns the last event that decides the state of each step, as a pointer into the slice.
func LastEvents(events []journal.Event) map[string]*journal.Event {
	last := map[string]*journal.Event{}
	for i := range events {
		e := &events[i]
		if _, counts := Transitions[e.Kind]; counts {
			for _, id := range e.Steps {
				last[id] = e
			}
		}
	}
	return last
}

// Numbering numbers all attempts at one step; a reopened step counts on. An attempt that was stopped is made again under
// its number.
type Numbering struct {
	Last   int // the number of the newest attempt
	Before int // the number of the last attempt before the step was last reopened
}

// Add takes the step's next event.
func (n *Numbering) Add(e journal.Event) {
	if e.Attempt > 0 && (e.Kind == journal.Started || EndsAttempt(e)) {
		if n.Last = e.Attempt; e.Attempt <= n.Before { // by hand, or by a git plan that began at 1 again
			n.Last += n.Before
		}
	}
	_, counts := Transitions[e.Kind]
	goesOn := e.Kind == journal.Started || e.Kind == journal.Failed || e.Kind == journal.Checked ||
		e.Kind == journal.Blocked && e.Tree != "" // a person may confirm the work
	if counts && !goesOn {
		n.Before = n.Last
	}
}

// Numbers numbers the attempts at a step so far.
func Numbers(events []journal.Event, step string) (n Numbering) {
	for _, e := range events {
		if slices.Contains(e.Steps, step) {
			n.Add(e)
		}
	}
	return n
}

// EndsAttempt reports whether an event ends a session at a step. A step that is blocked without a tree that passed had
// its last session ended by an earlier event.
func EndsAttempt(e journal.Event) bool {
	return e.Kind == journal.Done || e.Kind == journal.Failed || e.Kind == journal.Blocked && e.Tree != ""
}

// Undone returns the steps that git plan undo took back since they were last done, each with its commit.
func Undone(events []journal.Event) map[string]string {
	out := map[string]string{}
	for i := range events {
		switch e := &events[i]; e.Kind {
		case journal.Undone:
			out[e.Step()] = e.Head
		case journal.Done, journal.Reopened:
			for _, id := range e.Steps {
				delete(out, id)
			}
		}
	}
	return out
}

// Accepted returns the checks, by name, that a person allowed to fail and that have not passed since.
func Accepted(events []journal.Event) map[string]bool {
	out := map[string]bool{}
	for _, e := range events {
		switch e.Kind {
		case journal.Accepted:
			out[e.Check] = true
		case journal.Required:
			delete(out, e.Check)
		}
	}
	return out
}

// Proposal is a session's proposed change of the plan.
type Proposal struct {
	Step string `json:"step"` // the ID of the session's step
	Text string `json:"text"`
}

// Proposals returns the proposals of sessions since the plan was last rewritten, oldest first.
func Proposals(events []journal.Event) (out []Proposal) {
	for _, e := range events {
		if e.Kind == journal.Replanned || e.Kind == journal.Planned {
			out = nil
		}
		if p := (Proposal{e.Step(), e.Proposal}); p.Text != "" && p.Step != "" && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// Unreviewed returns the commit at which the last review of the plan was left out by a person; "" if it was not.
func Unreviewed(events []journal.Event) (commit string) {
	for _, e := range events {
		switch e.Kind {
		case journal.Reviewed:
			commit = ""
		case journal.Unreviewed:
			commit = e.Head
		}
	}
	return commit
}

// Manual is a criterion of the plan's Verification that a person checks, since it has no command.
type Manual struct {
	N      int    `json:"n"` // the position among these criteria, from 1
	ID     string `json:"id"`
	Text   string `json:"text"`
	Commit string `json:"commit"` // the commit for which a person confirmed it; "" if unconfirmed
}

// Manuals returns the criteria for a person. Rewording one, or undoing or reopening a step, ends its confirmation.
func Manuals(p *plan.Plan, events []journal.Event) []Manual {
	confirmed := map[string]string{}
	for _, e := range events {
		switch {
		case e.Kind == journal.Confirmed && e.By == journal.ByPerson:
			confirmed[e.Check] = e.Head
		case e.Kind == journal.Undone, e.Kind == journal.Reopened:
			clear(confirmed)
		}
	}
	var out []Manual
	used := map[string]int{}
	for _, c := range plan.Criteria(p.Verification) {
		m := Manual{N: len(out) + 1, ID: plan.Slug(c.Text, 40), Text: c.Text, Commit: confirmed[journal.NameOfCheck(c.Text)]}
		if used[m.ID]++; used[m.ID] > 1 {
			m.ID = fmt.Sprintf("%s-%d", m.ID, used[m.ID])
		}
		out = append(out, m)
	}
	return out
}

// PlanEvents is the history of one plan.
type PlanEvents struct {
	Plan, Branch string
	Events       []journal.Event // oldest first
}

// AllEvents reads the events of every plan, in the order of IDs.
func AllEvents(ctx context.Context, s *journal.Store) ([]PlanEvents, error) {
	refs, err := s.Repo.Refs(ctx, journal.RefPrefix)
	if err != nil {
		return nil, err
	}
	var out []PlanEvents
	for _, r := range refs {
		id := strings.TrimPrefix(r.Name, journal.RefPrefix)
		commits, err := s.Chain(ctx, id, r.OID)
		if err != nil {
			return nil, err
		}
		p := PlanEvents{Plan: id, Events: journal.EventsOf(id, commits)}
		if d, err := s.At(ctx, id, commits[0].OID); err == nil {
			p.Branch = d.Plan.Branch
		}
		out = append(out, p)
	}
	return out, nil
}

// Rewritten records replaced commits, and returns the steps whose new commit does not say in its message what the old
// commits did. tip is the commit of the branch before the rewrite.
func Rewritten(ctx context.Context, s *journal.Store, d *journal.Document, branch, tip string,
	all []journal.Replaced) ([]string, error) {
	before, err := Since(ctx, s, d, tip)
	if err != nil {
		return nil, err
	}
	e := journal.Event{Kind: journal.Rewritten, By: journal.ByPerson, Rewrites: concerning(d, before, all, lookup(ctx, s))}
	if len(e.Rewrites) == 0 {
		return nil, nil
	}
	steps := map[string]bool{}
	for _, r := range e.Rewrites {
		maps.Copy(steps, r.Did)
	}
	e.Steps = slices.Sorted(maps.Keys(steps))
	return e.Steps, s.Apply(ctx, d, branch, journal.Change{Event: e})
}

// concerning returns the rewrites that have to be recorded, since the messages of the new commits say something else.
func concerning(d *journal.Document, before []git.Commit, all []journal.Replaced,
	lookup func(string) (git.Commit, bool)) []journal.Rewrite {
	h := readHistory(d.Plan, d.Events, before, lookup)
	effect := func(c git.Commit) map[string]bool {
		out := map[string]bool{}
		for step, e := range h.effects(c) {
			if h.steps[step] {
				out[step] = e == completes
			}
		}
		return out
	}
	var out []journal.Rewrite
	did, says := map[string]map[string]bool{}, map[string]map[string]bool{} // new commit -> step -> effect
	for _, r := range all {
		old, had := lookup(r.Old)
		now, has := lookup(r.New)
		if !had || !has || r.Old == r.New {
			continue
		}
		if did[r.New] == nil {
			did[r.New], says[r.New] = map[string]bool{}, effect(now)
		}
		rewrite := journal.Rewrite{Replaced: r, Did: effect(old)}
		maps.Copy(did[r.New], rewrite.Did)
		out = append(out, rewrite)
	}
	return slices.DeleteFunc(out, func(r journal.Rewrite) bool {
		for step, given := range did[r.New] {
			if now, named := says[r.New][step]; !named || now != given {
				return len(r.Did) == 0
			}
		}
		return true
	})
}

func lookup(ctx context.Context, s *journal.Store) func(oid string) (git.Commit, bool) {
	return func(oid string) (git.Commit, bool) {
		c, err := s.Repo.ReadCommit(ctx, oid)
		return c, err == nil
	}
}

// statement is what a commit says about steps. A squash has several messages, whose order is ignored.
type statement struct {
	subject  string
	steps    []string // the IDs of the steps that it completes
	reverts  []revert
	recorded map[string]bool // the Did of its recorded rewrites
}

type revert struct {
	oid  string
	onto string // the parent to which a merge is reverted; "" for the first one
}

// key is equal for the copies that a rebase makes of a commit.
func (s statement) key() string {
	key := s.subject + "\x00" + strings.Join(s.steps, "\x00")
	for _, r := range s.reverts {
		key += "\x00" + r.oid
	}
	return key
}

// readMessage returns what the message of a commit says about the steps of a plan.
func readMessage(c git.Commit, plan string) statement {
	s := statement{subject: c.Subject()}
	if !strings.Contains(c.Message, journal.StepTrailer+":") && !strings.Contains(c.Message, journal.RevertsCommit) {
		return s
	}
	lines := strings.Split(c.Message, "\n")
	for i, line := range lines {
		if of, step, ok := journal.NamedStep(line); ok && of == plan && !slices.Contains(s.steps, step) {
			s.steps = append(s.steps, step)
		} else if oid, ok := journal.RevertedCommit(line); ok {
			r := revert{oid: oid}
			if i+1 < len(lines) { // the revert of a merge: "..., reversing\nchanges made to <parent>."
				parent, _ := strings.CutPrefix(strings.TrimSpace(lines[i+1]), "changes made to ")
				r.onto = strings.TrimSuffix(parent, ".")
			}
			s.reverts = append(s.reverts, r)
		}
	}
	return s
}
