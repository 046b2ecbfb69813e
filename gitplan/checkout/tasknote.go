package checkout

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/setup"
)

// InProgress is what is noted about the task under way, for the command after a crash. It is
// local and decides nothing about what is done.
type InProgress struct {
	Name    string
	Branch  string
	Top     string    // of the work tree
	Session string    // the last one that was started
	Began   time.Time // when that was
	Proving bool      // it is a check, before any session: see place.Prove
	// Head is where it began; Tree and Message are about to be committed. A crash is healed
	// by these, and not by what a plan from elsewhere says.
	Head      string
	Tree      string
	Behind    bool // Tree has passed, and was to be put on top of what others have committed since Head
	Message   string
	Untracked []worktree.RawFile // never committed; their contents are kept
	Ignored   []string           // files, and folders with a slash
	Hidden    []worktree.RawFile // tracked, hidden from git and edited; their contents are kept
	// Changed lists what of the set-up changed during the session, for a person to look at.
	Changed []string
	// Kept is a tree with the contents of the untracked and hidden files, but for LeftOut: those
	// that are too big for that or cannot be read.
	Kept    string
	LeftOut []string

	// Ground is where the sessions work, by its name in plan.isolation; "" is the work tree. Notes of
	// an older git plan call it that, too.
	// Untracked and Ignored are of that.
	Ground string
	Clone  bool // written by an older git plan: Ground "clone"
	// Landing is set while what they did is put into the work tree.
	Landing bool
	// Aside lists the files that are out of the way of the checks, see place.Try.
	Aside []string
	// Halfway is a kept attempt that is being put into the tree, or taken out of it.
	Halfway string

	paths map[string]bool // of Untracked and Ignored
}

// OfOtherTree reports whether a task was begun in another work tree that still exists.
func (p *InProgress) OfOtherTree(top string) bool {
	_, err := os.Lstat(p.Top)
	return p.Top != "" && p.Top != top && err == nil
}

// Apart reports whether the sessions work somewhere else than in the work tree.
func (p InProgress) Apart() bool { return p.Ground != "" || p.Clone }

// Waits reports whether what was done apart has passed its checks and waits to be committed.
func (p InProgress) Waits() bool { return p.Apart() && p.Tree != "" && !p.Landing }

// Lands returns the command of git plan that puts into the work tree what waits for that.
func (p InProgress) Lands() string {
	if strings.HasPrefix(p.Name, journal.FixPrefix) {
		return "review"
	}
	return "step"
}

// Has reports whether a path, or a folder above it, was there before the session, untracked
// or ignored: it is the person's.
func (p *InProgress) Has(path string) bool {
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

// Ended returns how a session ended that left only its note.
func (p InProgress) Ended() string {
	if len(p.Changed) > 0 {
		return Tampering(p.Changed)
	}
	return journal.Interrupted
}

// Tampering returns the reason that fails a session which changed the set-up.
func Tampering(changed []string) string {
	return "tampering: changed during the session: " + strings.Join(changed, ", ")
}

// tasks is the kind of the notes of tasks under way.
const tasks = "tasks"

// TaskNote returns the note of the task under way, one for each plan, and one for each slot of it.
// Without a plan it is that of a fixer, one for each work tree.
func TaskNote(r *git.Repo, plan, slot string) journal.Note {
	return journal.NotesOf(r, tasks).Note(setup.RecordName(r, setup.InSlot(plan, slot)))
}

// TaskNote returns the note of the task under way at the plan that is loaded.
func (c *Checkout) TaskNote() journal.Note {
	if c.Doc == nil {
		return TaskNote(c.Repo, "", "")
	}
	return TaskNote(c.Repo, c.Doc.ID, c.Slot)
}

// Noted returns what is noted about a task that is not over; empty if there is none.
func (c *Checkout) Noted() InProgress { return noted(c.TaskNote()) }

// NotedIn returns what is noted about a task of a plan in a slot.
func NotedIn(r *git.Repo, plan, slot string) InProgress { return noted(TaskNote(r, plan, slot)) }

func noted(note journal.Note) (p InProgress) {
	data, err := note.Read()
	if err != nil || journal.DecodeNote(data, &p) != nil {
		return InProgress{}
	}
	return p
}

// SessionsTree reports whether the work tree belongs to a task that is not over: a session's,
// or a person's between next and done.
func (c *Checkout) SessionsTree() bool {
	note := c.Noted()
	over := note.Name == "" || note.Proving || c.Progress.Steps[note.Name].State == progress.StateDone // it was killed after its commit
	return !over && (!note.Apart() || note.Landing) && !note.OfOtherTree(c.Repo.Top)
}

// Unseen returns what of the set-up changed during a session, unless a person has approved
// the plan since.
func (c *Checkout) Unseen() (text string, ok bool) {
	notes := []InProgress{c.Noted()}
	if c.Doc != nil && c.Slot == "" {
		for _, slot := range Slots(c.Repo, c.Doc.ID) {
			notes = append(notes, NotedIn(c.Repo, c.Doc.ID, slot))
		}
	}
	for _, note := range notes {
		since := func(e journal.Event) bool {
			return e.Kind == journal.Approved && e.By == journal.ByPerson && e.Time.After(note.Began)
		}
		if len(note.Changed) > 0 && !slices.ContainsFunc(c.Doc.Events, since) {
			return strings.Join(note.Changed, ", ") + " changed during " + setup.DuringTask(note.Name), true
		}
	}
	return "", false
}

// Uncommitted returns the person's files that no commit has.
func (p *InProgress) Uncommitted() []worktree.RawFile { return slices.Concat(p.Untracked, p.Hidden) }
