package journal

import (
	"bytes"
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

// Document is a stored plan: its text and everything that happened to it.
type Document struct {
	ID      string
	Tip     string // the commit of the chain
	Plan    *plan.Plan
	Entries []git.Entry   // of the tip's tree
	Events  []Event       // oldest first
	shared  *sharedEvents // with documents that were read later

	Renamed string // the new name of its branch, which the next write puts down
	Merged  string // the other clone's commit, which the next write has as a second parent
}

// sharedEvents says how many events the array behind a document's Events has in use.
type sharedEvents struct {
	mu   sync.Mutex
	used int
}

// extend adds events at the end without copying those before: documents that saw fewer events share the
// array. The first of them to go on does so in it; any other one gets an array of its own.
func (d *Document) extend(added ...Event) {
	if d.shared != nil {
		d.shared.mu.Lock()
		defer d.shared.mu.Unlock()
	}
	if d.shared == nil || d.shared.used != len(d.Events) {
		d.Events, d.shared = slices.Clip(d.Events), new(sharedEvents)
	}
	d.Events = append(d.Events, added...)
	d.shared.used = len(d.Events)
}

// Start returns the commit of the branch when the plan was made, or None.
func (d *Document) Start() string {
	for _, e := range d.Events {
		if e.Kind == Created && e.Start != "" {
			return e.Start
		}
	}
	return None
}

// Newest returns the latest event, or nil. Callers must not modify it.
func (d *Document) Newest() *Event {
	if len(d.Events) == 0 {
		return nil
	}
	return &d.Events[len(d.Events)-1]
}

// Store keeps plans in refs. Every change is one commit, made by
// compare-and-swap: a lost race is read again and applied again.
type Store struct {
	Repo     *git.Repo
	identity git.Identity // name and mail, asked for at the first write
	expected *expected
}

// NewStore returns the store of a repository.
func NewStore(r *git.Repo) *Store { return &Store{Repo: r, expected: &expected{}} }

// Again returns a store of the same plans for another goroutine, with a repository of its own.
func (s *Store) Again(r *git.Repo) *Store {
	return &Store{Repo: r, identity: s.identity, expected: s.expected}
}

// Create stores a new plan and returns it. It gives the text an id, the branch's name, the
// base, and an id for each step that has none.
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
		err = s.Commit(ctx, d, p, nil, e, branch)
		if errors.Is(err, git.ErrMoved) && try < 10 {
			continue // this id exists
		}
		return d, err
	}
}

// AsStored returns a plan's text with its id, branch and base in the front matter, and an id
// for each step.
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
	// Edit changes the text; nil leaves it. It may be called more than once.
	Edit func(text []byte) ([]byte, error)
	// Ticks is the step whose box is ticked; "" leaves all boxes as they are.
	Ticks string
	// Files are other files to write into the plan's tree.
	Files map[string][]byte
}

// Apply makes a change and updates d to the plan as it then is. If another writer was
// faster, it makes the change again on what that one left.
//
// The ref's old value keeps writers apart. The lock only makes writers of this program take
// turns: one that must read the plan again would otherwise always come too late.
func (s *Store) Apply(ctx context.Context, d *Document, branch string, c Change) error {
	turn, err := takeTurn(s.Repo, d.ID)
	if err != nil {
		return err
	}
	defer turn.Close()
	MarkAttached.Set(s.Repo, d.ID)
	for try := 0; ; try++ {
		if try > 0 || s.outdated(d) {
			fresh, err := s.Newer(ctx, d)
			if err != nil {
				return err
			}
			fresh.Renamed = d.Renamed
			*d = *fresh
		}
		p, err := c.on(d)
		if err != nil {
			return err
		}
		err = s.Commit(ctx, d, p, c.Files, c.Event, branch)
		if !errors.Is(err, git.ErrMoved) || try >= 100 {
			return err
		}
	}
}

// on returns the plan that a change makes of a stored one, the same if it leaves the text.
func (c Change) on(d *Document) (p *plan.Plan, err error) {
	text := d.Plan.Source
	if d.Renamed != "" {
		if text, err = plan.SetFront(text, "branch", d.Renamed); err != nil {
			return nil, err
		}
	}
	if c.Edit != nil {
		if text, err = c.Edit(text); err != nil {
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

// Commit writes one commit for the event, with a plan, and moves the ref to it. The plan is d's own
// if its text is to stay.
func (s *Store) Commit(ctx context.Context, d *Document, p *plan.Plan, files map[string][]byte, e Event, branch string) error {
	if p != d.Plan {
		p.ID = d.ID
	}
	entries, err := s.entries(ctx, d, p, files)
	if err != nil {
		return err
	}
	tree, err := s.Repo.WriteTree(ctx, entries)
	if err != nil {
		return err
	}
	who, err := s.Who(ctx)
	if err != nil {
		return err
	}
	done, total := boxes(p)
	message := e.message(d.ID, branch, done, total)
	var parents []string
	if d.Tip != "" {
		parents = []string{d.Tip}
	}
	if d.Merged != "" {
		parents = append(parents, d.Merged)
	}
	tip, err := s.Repo.WriteCommit(ctx, tree, parents, who, who, message)
	if err != nil {
		return err
	}
	subject, _, _ := strings.Cut(message, "\n")
	if err := TrustTip(s.Repo, d.ID, d.Tip, tip); err != nil {
		return err
	}
	moved := s.moving(d.ID, tip)
	err = s.Repo.UpdateRef(ctx, RefPrefix+d.ID, tip, d.Tip, "plan: "+subject)
	if moved(err); err != nil {
		return err
	}
	e.Commit, e.Time, e.Headline = tip, time.Now(), subject
	d.Tip, d.Plan, d.Entries, d.Merged = tip, p, entries, ""
	d.extend(e)
	return nil
}

func (s *Store) entries(ctx context.Context, d *Document, p *plan.Plan, files map[string][]byte) ([]git.Entry, error) {
	entries := slices.Clone(d.Entries)
	if p != d.Plan {
		files = maps.Clone(files)
		if files == nil {
			files = map[string][]byte{}
		}
		files[PlanFile] = p.Source
	}
	for name, data := range files {
		oid, err := s.Repo.WriteBlob(ctx, data)
		if err != nil {
			return nil, err
		}
		entries = slices.DeleteFunc(entries, func(e git.Entry) bool { return e.Name == name })
		entries = append(entries, git.Entry{Mode: "100644", Name: name, OID: oid})
	}
	return entries, nil
}

// boxes counts the ticked boxes and skipped steps of the text, for the subject.
func boxes(p *plan.Plan) (done, total int) {
	for _, s := range p.Steps {
		if s.Box || s.Status.Word == "skipped" {
			done++
		}
	}
	return done, len(p.Steps)
}

// Who returns the person's identity with the current time. If git knows none, plans are kept
// all the same: their commits are never pushed as anybody's work.
func (s *Store) Who(ctx context.Context) (git.Identity, error) {
	if s.identity == "" {
		out, err := s.Repo.Output(ctx, "var", "GIT_COMMITTER_IDENT")
		if err != nil {
			if git.Code(err) < 0 {
				return "", err
			}
			out = string(nobody)
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

// KnowsWho returns ErrNoIdentity if git would refuse to commit because it knows no name.
func (s *Store) KnowsWho(ctx context.Context) error {
	if _, err := s.Who(ctx); err != nil {
		return err
	}
	if s.identity == nobody {
		return fault.New(fault.ErrNoIdentity, "git does not know your name and e-mail address")
	}
	return nil
}

// nobody is the identity of plans where git knows no name.
const nobody git.Identity = "git-plan <git-plan@localhost> 0 +0000"

// Imported returns the file of the repository that the plan was imported from, or nothing.
func (d *Document) Imported() string {
	for _, e := range d.Events {
		if e.Kind == Created {
			return e.Imported
		}
	}
	return ""
}
