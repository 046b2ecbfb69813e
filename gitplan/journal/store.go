package journal

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// Store keeps plans in refs. Every change is one commit, made by compare-and-swap and repeated after a lost race.
type Store struct {
	Repo     *git.Repo
	identity git.Identity // name and e-mail address; "" until the first write
	shared   *shared
}

// NewStore returns the store of a repository.
func NewStore(r *git.Repo) *Store { return &Store{Repo: r, shared: &shared{}} }

// WithRepo returns a store of the same plans for another goroutine.
func (s *Store) WithRepo(r *git.Repo) *Store {
	return &Store{Repo: r, identity: s.identity, shared: s.shared}
}

// Create stores a new plan: it gives the text an id, the branch's name, the base, and each step an id.
func (s *Store) Create(ctx context.Context, text []byte, branch, base string, e Event) (*Document, error) {
	p, err := plan.Parse(text)
	if err != nil {
		return nil, err
	}
	for try := 0; ; try++ {
		var salt [2]byte
		_, _ = rand.Read(salt[:])
		id := plan.NewID(p.Title, salt)
		stored, err := AsStored(text, id, branch, base)
		if err != nil {
			return nil, err
		}
		if p, err = plan.Parse(stored); err != nil {
			return nil, err
		}
		d := &Document{ID: id}
		e.Kind = Created
		if err = s.Commit(ctx, d, p, nil, e, branch); !errors.Is(err, git.ErrMoved) || try >= 10 { // the ID is taken
			return d, err
		}
	}
}

// AsStored returns a plan's text with its id, branch and base in the front matter, and an id for each step.
func AsStored(text []byte, id, branch, base string) ([]byte, error) {
	for _, kv := range [][2]string{{"base", base}, {"branch", branch}, {"plan", id}} {
		if kv[1] == "" {
			continue
		}
		var err error
		if text, err = plan.SetFront(text, kv[0], kv[1]); err != nil {
			return nil, err
		}
	}
	return plan.FillIDs(text)
}

// Change is one change of a stored plan.
type Change struct {
	Event Event
	Edit  func(text []byte) ([]byte, error) // changes the text, and may be called again; nil keeps the text
	Ticks string                            // the ID of the step whose box is ticked; "" for none
	Files map[string][]byte                 // other files to write into the plan's tree
}

// Apply makes all changes or none, and updates d, which may be old. If another writer was faster, the changes are made
// again on that writer's plan. The ref's old value keeps writers apart; the lock only lets them take turns, since a
// writer that has to read the plan again would always be too late.
func (s *Store) Apply(ctx context.Context, d *Document, branch string, changes ...Change) error {
	turn, err := newLock(s.Repo, LockPath(s.Repo, d.ID)+"-write")
	if err == nil {
		err = turn.Lock()
	}
	if err != nil {
		return err
	}
	defer turn.Close()
	MarkAttached.Set(s.Repo, d.ID)
	for try := 0; len(changes) > 0; try++ {
		fresh, err := s.Newer(context.WithoutCancel(ctx), d) // events are recorded even after Ctrl-C
		if err != nil {
			return err
		}
		fresh.Renamed = d.Renamed
		*d = *fresh
		next, with := *d, []git.RefChange{}
		for _, c := range changes {
			p, err := c.apply(&next)
			if err == nil {
				err = s.write(ctx, &next, p, c.Files, c.Event, branch)
			}
			if err != nil {
				return err
			}
			with = append(with, c.Event.With...)
		}
		if err := s.advance(ctx, d, next, with); !errors.Is(err, git.ErrMoved) || try >= 100 {
			return err
		}
	}
	return nil
}

// apply returns the changed plan, or d's own if the text stays the same.
func (c Change) apply(d *Document) (p *plan.Plan, err error) {
	text := d.Plan.Source
	if c.Edit != nil {
		if text, err = c.Edit(text); err != nil {
			return nil, err
		}
	}
	if d.Renamed != "" {
		if text, err = plan.SetFront(text, "branch", d.Renamed); err != nil {
			return nil, err
		}
	}
	if p = d.Plan; !bytes.Equal(p.Source, text) {
		if p, err = plan.Parse(text); err != nil {
			return nil, err
		}
	}
	if c.Ticks != "" {
		p = p.Ticked(func(s *plan.Step) bool { return s.Box || s.ID == c.Ticks })
	}
	return p, nil
}

// Commit writes one commit for the event and moves the ref to it. It writes p unless p is d's own plan.
func (s *Store) Commit(ctx context.Context, d *Document, p *plan.Plan, files map[string][]byte, e Event, branch string) error {
	next := *d
	if err := s.write(ctx, &next, p, files, e, branch); err != nil {
		return err
	}
	return s.advance(ctx, d, next, e.With)
}

// write writes one commit for the event, and sets d to the document that the ref will have there.
func (s *Store) write(ctx context.Context, d *Document, p *plan.Plan, files map[string][]byte, e Event, branch string) error {
	entries, changed := slices.Clone(d.Entries), map[string][]byte{}
	maps.Copy(changed, files)
	if p != d.Plan {
		p.ID = d.ID
		changed[PlanFile] = p.Source
	}
	for name, data := range changed {
		oid, err := s.Repo.WriteBlob(ctx, data)
		if err != nil {
			return err
		}
		entries = slices.DeleteFunc(entries, func(e git.Entry) bool { return e.Name == name })
		entries = append(entries, git.Entry{Mode: "100644", Name: name, OID: oid})
	}
	tree, err := s.Repo.WriteTree(ctx, entries)
	if err != nil {
		return err
	}
	done, total := Boxes(p)
	message := e.message(d.ID, branch, done, total)
	parents := slices.DeleteFunc([]string{d.Tip, d.Merged}, func(oid string) bool { return oid == "" })
	tip, err := s.WriteCommit(ctx, tree, parents, message)
	if err != nil {
		return err
	}
	var event Event // as Load returns it
	event.parse(d.ID, git.Commit{OID: tip, Message: message, Time: time.Now()})
	d.Tip, d.Plan, d.Entries, d.Merged = tip, p, entries, ""
	d.extend(event)
	return nil
}

// advance moves the ref of a plan to commits that were written on top of d, with other refs, and updates d.
func (s *Store) advance(ctx context.Context, d *Document, next Document, with []git.RefChange) error {
	if err := TrustTip(s.Repo, d.ID, d.Tip, next.Tip); err != nil {
		return err
	}
	s.shared.mu.Lock()
	err := s.Repo.UpdateRef(ctx, RefPrefix+d.ID, next.Tip, d.Tip, "plan: "+next.Newest().Headline, with...)
	if err == nil && s.shared.plan == d.ID {
		s.shared.tip = next.Tip
	}
	s.shared.mu.Unlock()
	if err != nil {
		return err
	}
	if d.Merged == "" { // only git knows the order of events after a merge
		s.share(next)
	}
	*d = next
	return nil
}

// Boxes counts the ticked boxes and skipped steps of the text, and all steps, for a commit's subject.
func Boxes(p *plan.Plan) (done, total int) {
	for _, s := range p.Steps {
		if s.Box || s.Status.Word == "skipped" {
			done++
		}
	}
	return done, len(p.Steps)
}

// Who returns the person's identity with the current time, or the placeholder unknown if git has no identity.
func (s *Store) Who(ctx context.Context) (git.Identity, error) {
	if s.identity == "" {
		out, err := s.Repo.Output(ctx, "var", "GIT_COMMITTER_IDENT")
		if err != nil {
			if git.Code(err) < 0 {
				return "", err
			}
			out = string(unknown)
		}
		s.identity = git.Identity(out)
	}
	if _, fixed := os.LookupEnv("GIT_COMMITTER_DATE"); fixed {
		return s.identity, nil
	}
	name := string(s.identity)
	if i := strings.LastIndexByte(name, '>'); i >= 0 {
		name = name[:i+1]
	}
	now := time.Now()
	return git.Identity(fmt.Sprintf("%s %d %s", name, now.Unix(), now.Format("-0700"))), nil
}

// WriteCommit stores a commit in the person's name and returns its object ID.
func (s *Store) WriteCommit(ctx context.Context, tree string, parents []string, message string) (string, error) {
	who, err := s.Who(ctx)
	if err != nil {
		return "", err
	}
	return s.Repo.WriteCommit(ctx, tree, parents, who, message)
}

// KnowsWho returns ErrNoIdentity if git would refuse to commit because it knows no name or e-mail address.
func (s *Store) KnowsWho(ctx context.Context) error {
	if _, err := s.Who(ctx); err != nil {
		return err
	}
	if s.identity == unknown {
		return fault.New(fault.ErrNoIdentity, "git does not know your name and e-mail address")
	}
	return nil
}

// unknown is the identity in plans' commits if git has none.
const unknown git.Identity = "git-plan <git-plan@localhost> 0 +0000"

// shared is the state that the stores of one process share, so that many sessions need one copy of a plan's history.
type shared struct {
	mu        sync.Mutex
	plan, tip string   // the plan's ID, and the commit that its ref must have while sessions work
	newest    Document // the document that was last read or written
}

// ExpectTip sets the commit that the plan's ref must have: its text is locked, so only this program moves the ref.
func (s *Store) ExpectTip(plan, tip string) {
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	s.shared.plan, s.shared.tip = plan, tip
}

// RestoreRef puts the ref of the plan back if a session moved it, and returns where it was and is.
func (s *Store) RestoreRef(ctx context.Context, plan string) (was, is string, moved bool, err error) {
	s.shared.mu.Lock() // or another session's event could come between reading the ref and comparing it
	defer s.shared.mu.Unlock()
	back := git.RefChange{Ref: RefPrefix + plan, New: s.shared.tip}
	now, err := s.Repo.Lookup(ctx, back.Ref)
	symbolic := s.Repo.Symbolic(back.Ref)
	// Without an expected tip there is nothing to restore; an empty one would delete the ref.
	if err != nil || back.New == "" || now == back.New && !symbolic {
		return "", "", false, err
	}
	if !symbolic {
		back.Old = cmp.Or(now, s.Repo.Zero())
	}
	return now, back.New, true, s.Repo.ChangeRefs(ctx, "plan: put back after a session", back)
}

// share makes a document the newest one of all stores, without its pending changes.
func (s *Store) share(d Document) {
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	d.Renamed, d.Merged = "", ""
	s.shared.newest = d
}
