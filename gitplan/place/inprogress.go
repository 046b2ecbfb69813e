package place

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/setup"
)

// Taken are the files that a change from one commit or tree to another writes where
// files of the person's are in a work tree: git itself would write over those that
// are ignored without a word.
func Taken(ctx context.Context, r *git.Repo, s *git.Status, from, to string) (out []string, err error) {
	written, err := r.Written(ctx, from, to)
	person := checkout.InProgress{Ignored: slices.Concat(s.Untracked, s.Ignored)}
	for _, path := range written {
		below := func(p string) bool { return strings.HasPrefix(p, path+"/") }
		if person.Has(inPlaceOf(r.Top, path)) || slices.ContainsFunc(person.Ignored, below) {
			out = append(out, path)
		}
	}
	return out, err
}

// inPlaceOf is what is in a path's place: itself, or a file or a link above it.
// Nothing is empty.
func inPlaceOf(top, path string) string {
	for at := path; at != "."; at = filepath.Dir(at) {
		if info, err := os.Lstat(filepath.Join(top, at)); err == nil && (at == path || !info.IsDir()) {
			return at
		}
	}
	return ""
}

// maxUntracked bounds the contents that are kept, in bytes and files.
const (
	maxUntracked      = 64 << 20
	maxUntrackedFiles = 20_000
)

func (p *Place) RememberSession(id string) {
	p.Own.Session, p.Own.Began = id, time.Now()
	p.Own.Halfway = ""   // what is in the tree is the session's from now on
	p.Own.Tree = ""      // of the attempt before, which could not be committed
	_ = p.NoteProgress() // without the note a crash leaves its processes to the kernel
	p.Since, p.unseen = p.Now(), nil
}

func (p *Place) NoteProgress() error {
	data, err := journal.EncodeNote(p.Own)
	if err != nil {
		return err
	}
	return p.TaskNote().Write(data)
}

// Recall reads what was noted before a crash, and ends what the session of
// then left running. Where nothing was noted, every untracked file counts as
// the person's.
func (p *Place) Recall(s *git.Status) {
	data, err := p.TaskNote().Read()
	if err != nil || journal.DecodeNote(data, &p.Own) != nil {
		p.Own = checkout.InProgress{}
		for _, path := range s.Untracked {
			p.Own.Untracked = append(p.Own.Untracked, git.RawFile{Path: path})
		}
	}
	if p.Own.Session != "" {
		proc.Sweep(proc.Mark(p.Own.Session))
		proc.SweepTemps()
	}
	if !p.Own.Clone && !p.Own.Elsewhere(p.Repo.Top) {
		p.backInPlace()
	}
}

// TakeApproval lets nothing more of the plan run until a person has looked at
// what changed of the set-up, and approves it again.
func (p *Place) TakeApproval(changed []string) error {
	if p.Doc == nil {
		return nil
	}
	p.Own.Changed = changed
	if err := p.NoteProgress(); err != nil {
		return err
	}
	return setup.Revoke(p.Repo, p.Doc.ID)
}

// ForgetProgress is called when a task is over: what a clone holds is then kept, or
// committed.
func (p *Place) ForgetProgress() {
	p.TaskNote().Remove()
	p.DiscardClone()
}

// disown takes the person's untracked files out of the index where a session
// has added them, or committed them: they are never committed.
func (p *Place) disown(ctx context.Context, s *git.Status) (*git.Status, error) {
	var own []string
	for _, c := range s.Changed {
		if p.Own.Has(c.Path) && c.XY[0] == 'A' {
			own = append(own, c.Path)
		}
	}
	if len(own) == 0 {
		return s, nil
	}
	if err := p.Tree().Unstage(ctx, own); err != nil {
		return nil, err
	}
	return p.Look(ctx)
}

// restore puts the tree back to where the task began. A file of the person's
// that a session had committed goes with that commit, and is put back too.
func (p *Place) restore(ctx context.Context, added []string) error {
	if p.Clone != nil {
		return nil // it is discarded
	}
	if err := p.Tree().Restore(ctx, p.Before.Head, added); err != nil {
		return err
	}
	p.bringBack(ctx)
	return nil
}

// Unlocked is FreeOfLocks of the work tree before anything is begun there. What the
// session left that was at work last is ended, where its end is to be made up for.
func (p *Place) Unlocked(recovers bool) error {
	since := time.Time{}
	if note := p.Noted(); recovers && note.Session != "" && !note.Elsewhere(p.Repo.Top) {
		proc.Sweep(proc.Mark(note.Session))
		since = note.Began
	}
	return journal.FreeOfLocks(p.Repo, since, p.OwnRefs()...)
}

// OwnRefs are those beside its branch that a task writes.
func (p *Place) OwnRefs() []string {
	if p.Doc == nil {
		return nil
	}
	return []string{journal.RefPrefix + p.Doc.ID}
}
