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
	"time"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/plan"
)

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
	done, total := Boxes(p)
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
	if err := s.move(ctx, d, tip, "plan: "+subject); err != nil {
		return err
	}
	e.Commit, e.Time, e.Headline = tip, time.Now(), subject
	d.Tip, d.Plan, d.Entries, d.Merged = tip, p, entries, ""
	d.Events = append(slices.Clip(d.Events), e)
	return nil
}

func (s *Store) entries(ctx context.Context, d *Document, p *plan.Plan, files map[string][]byte) ([]git.Entry, error) {
	entries, changed := slices.Clone(d.Entries), map[string][]byte{}
	maps.Copy(changed, files)
	if p != d.Plan {
		changed[PlanFile] = p.Source
	}
	for name, data := range changed {
		oid, err := s.Repo.WriteBlob(ctx, data)
		if err != nil {
			return nil, err
		}
		entries = slices.DeleteFunc(entries, func(e git.Entry) bool { return e.Name == name })
		entries = append(entries, git.Entry{Mode: "100644", Name: name, OID: oid})
	}
	return entries, nil
}

// Boxes counts the ticked boxes and skipped steps of the text, for the subject.
func Boxes(p *plan.Plan) (done, total int) {
	for _, s := range p.Steps {
		if s.Box || s.Status.Word == "skipped" {
			done++
		}
	}
	return done, len(p.Steps)
}

// Who returns the person's identity with the current time, or the placeholder unknown if git has none.
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

// KnowsWho returns ErrNoIdentity if git would refuse to commit because it knows no name.
func (s *Store) KnowsWho(ctx context.Context) error {
	if _, err := s.Who(ctx); err != nil {
		return err
	}
	if s.identity == unknown {
		return fault.New(fault.ErrNoIdentity, "git does not know your name and e-mail address")
	}
	return nil
}

// unknown is the identity in plans' commits where git has none; those are not pushed as a person's work.
const unknown git.Identity = "git-plan <git-plan@localhost> 0 +0000"
