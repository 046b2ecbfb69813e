package gitplan

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/setup"
)

// inProgress is what a crash would make us forget about the task under way. It
// is local and decides nothing about what is done.
type inProgress struct {
	Name    string
	Branch  string
	Top     string    // of the work tree
	Session string    // the last one that was started
	Began   time.Time // when it was
	// Where it began, and what is about to be committed: with this, and not with
	// what a plan from elsewhere says, a crash is healed.
	Head      string
	Tree      string
	Message   string
	Untracked []git.RawFile // never committed; what they held is kept
	Ignored   []string      // files, and folders with a slash
	Hidden    []git.RawFile // tracked, hidden from git and edited; what they held is kept
	// Changed is what of the set-up changed during the session, for a person to look at.
	Changed []string
	// Kept is a tree with the contents of the untracked and hidden files, but for those that are
	// too big for that or cannot be read.
	Kept    string
	LeftOut []string

	// Clone says that the sessions work in a clone: Untracked and Ignored are of that.
	Clone bool
	// Landing is while what they did is put into the work tree.
	Landing bool
	// Aside are files that are out of the way of the checks, see judgedAsCommitted.
	Aside []string
	// Halfway is a kept attempt that is being put into the tree, or taken out of it.
	Halfway string

	paths map[string]bool // of Untracked and Ignored
}

// elsewhere reports that a task was begun in another work tree, which is there still.
func (p *inProgress) elsewhere(top string) bool {
	_, err := os.Lstat(p.Top)
	return p.Top != "" && p.Top != top && err == nil
}

// waits reports that what is in the clone has passed its checks, and is to be
// committed.
func (p inProgress) waits() bool { return p.Clone && p.Tree != "" && !p.Landing }

// lands is what puts into the work tree what waits for that.
func (p inProgress) lands() string {
	if strings.HasPrefix(p.Name, journal.FixPrefix) {
		return "review"
	}
	return "step"
}

// has reports whether a path was there before the session, untracked or
// ignored: it is the person's.
func (p *inProgress) has(path string) bool {
	if p.paths == nil {
		p.paths = map[string]bool{}
		for _, u := range p.Untracked {
			p.paths[u.Path] = true
		}
		for _, i := range p.Ignored {
			p.paths[i] = true
		}
	}
	for at := path; at != "."; at = filepath.Dir(at) {
		if p.paths[at] || at != path && p.paths[at+"/"] {
			return true
		}
	}
	return false
}

// taken are the files that a change from one commit or tree to another writes where
// files of the person's are in a work tree: git itself would write over those that
// are ignored without a word.
func taken(ctx context.Context, r *git.Repo, s *git.Status, from, to string) (out []string, err error) {
	written, err := r.Written(ctx, from, to)
	person := inProgress{Ignored: slices.Concat(s.Untracked, s.Ignored)}
	for _, path := range written {
		below := func(p string) bool { return strings.HasPrefix(p, path+"/") }
		if person.has(inPlaceOf(r.Top, path)) || slices.ContainsFunc(person.Ignored, below) {
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

// taskNote is where a task is noted, one for each plan. Without a plan it is a fixer's,
// one for each work tree, since that is where it works.
func taskNote(r *git.Repo, plan string) journal.Note {
	return journal.NotesOf(r, "tasks").Note(setup.RecordName(r, plan))
}

func (c *Checkout) taskNote() journal.Note {
	if c.Doc == nil {
		return taskNote(c.Repo, "")
	}
	return taskNote(c.Repo, c.Doc.ID)
}

func (p *Place) rememberSession(id string) {
	p.own.Session, p.own.Began = id, time.Now()
	p.own.Halfway = ""   // what is in the tree is the session's from now on
	p.own.Tree = ""      // of the attempt before, which could not be committed
	_ = p.noteProgress() // without the note a crash leaves its processes to the kernel
	p.since, p.unseen = p.now(), nil
}

func (p *Place) noteProgress() error {
	data, err := journal.EncodeNote(p.own)
	if err != nil {
		return err
	}
	return p.taskNote().Write(data)
}

// recall reads what was noted before a crash, and ends what the session of
// then left running. Where nothing was noted, every untracked file counts as
// the person's.
func (p *Place) recall(s *git.Status) {
	data, err := p.taskNote().Read()
	if err != nil || journal.DecodeNote(data, &p.own) != nil {
		p.own = inProgress{}
		for _, path := range s.Untracked {
			p.own.Untracked = append(p.own.Untracked, git.RawFile{Path: path})
		}
	}
	if p.own.Session != "" {
		proc.Sweep(proc.Mark(p.own.Session))
		proc.SweepTemps()
	}
	if !p.own.Clone && !p.own.elsewhere(p.Repo.Top) {
		p.backInPlace()
	}
}

// noted is what was noted about a task that is not over; empty without one.
func (c *Checkout) noted() inProgress {
	var p inProgress
	data, err := c.taskNote().Read()
	if err != nil || journal.DecodeNote(data, &p) != nil {
		return inProgress{}
	}
	return p
}

// sessionsTree reports that what is in the work tree is a task's that is not over: a
// session's, or a person's between next and done.
func (c *Checkout) sessionsTree() bool {
	note := c.noted()
	over := note.Name == "" || c.Progress.Steps[note.Name].State == progress.StateDone // killed after its commit
	return !over && (!note.Clone || note.Landing) && !note.elsewhere(c.Repo.Top)
}

// ended is how a session ended that is only noted.
func (p inProgress) ended() string {
	if len(p.Changed) > 0 {
		return tampering(p.Changed)
	}
	return journal.Interrupted
}

func tampering(changed []string) string {
	return "tampering: changed during the session: " + strings.Join(changed, ", ")
}

// Unseen says what of the set-up changed during a session, where that has taken
// the plan's approval back.
func (c *Checkout) Unseen() (text string, ok bool) {
	note := c.noted()
	since := func(e journal.Event) bool { return e.Kind == journal.Approved && e.Time.After(note.Began) }
	if len(note.Changed) == 0 || slices.ContainsFunc(c.Doc.Events, since) {
		return "", false
	}
	return strings.Join(note.Changed, ", ") + " changed during " + setup.DuringTask(note.Name), true
}

// takeApproval lets nothing more of the plan run until a person has looked at
// what changed of the set-up, and approves it again.
func (p *Place) takeApproval(changed []string) error {
	if p.Doc == nil {
		return nil
	}
	p.own.Changed = changed
	if err := p.noteProgress(); err != nil {
		return err
	}
	return setup.Revoke(p.Repo, p.Doc.ID)
}

// forgetProgress is called when a task is over: what a clone holds is then kept, or
// committed.
func (p *Place) forgetProgress() {
	p.taskNote().Remove()
	p.discardClone()
}

// disown takes the person's untracked files out of the index where a session
// has added them, or committed them: they are never committed.
func (p *Place) disown(ctx context.Context, s *git.Status) (*git.Status, error) {
	var own []string
	for _, c := range s.Changed {
		if p.own.has(c.Path) && c.XY[0] == 'A' {
			own = append(own, c.Path)
		}
	}
	if len(own) == 0 {
		return s, nil
	}
	if err := p.tree().Unstage(ctx, own); err != nil {
		return nil, err
	}
	return p.look(ctx)
}

// restore puts the tree back to where the task began. A file of the person's
// that a session had committed goes with that commit, and is put back too.
func (p *Place) restore(ctx context.Context, added []string) error {
	if p.clone != nil {
		return nil // it is discarded
	}
	if err := p.tree().Restore(ctx, p.before.Head, added); err != nil {
		return err
	}
	p.bringBack(ctx)
	return nil
}

// unlocked is freeOfLocks of the work tree before anything is begun there. What the
// session left that was at work last is ended, where its end is to be made up for.
func (p *Place) unlocked(recovers bool) error {
	since := time.Time{}
	if note := p.noted(); recovers && note.Session != "" && !note.elsewhere(p.Repo.Top) {
		proc.Sweep(proc.Mark(note.Session))
		since = note.Began
	}
	return journal.FreeOfLocks(p.Repo, since, p.ownRefs()...)
}

// ownRefs are those beside its branch that a task writes.
func (p *Place) ownRefs() []string {
	if p.Doc == nil {
		return nil
	}
	return []string{journal.RefPrefix + p.Doc.ID}
}
