package checkout

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/progress"
)

// Phase is how far a task has come, written before the program acts on it: recovery is a switch over it.
type Phase string

const (
	Opened    Phase = ""          // nothing runs yet, or a person works on it
	Checking  Phase = "checking"  // checks run before any session
	Working   Phase = "working"   // a session works, or its work is being judged
	Rebasing  Phase = "rebasing"  // Tree passed, and is put on top of newer commits
	Checked   Phase = "checked"   // Tree passed, and is about to be committed
	Landing   Phase = "landing"   // Tree is being put from a clone into the work tree
	Restoring Phase = "restoring" // Attempt is being put into the work tree, or taken out of it
)

// TaskState is the local record of the task under way, for the command after a crash.
type TaskState struct {
	Name    string
	Branch  string
	Top     string // of the work tree
	Phase   Phase
	Session string    // the last one that was started
	Began   time.Time // the start of Session
	Head    string    // the commit at which the task began
	Tree    string    // the tree that is about to be committed, with Message
	Message string
	Attempt string // the kept attempt of phase Restoring
	InClone bool   // the sessions work in a clone, not in the work tree

	Untracked []worktree.RawFile          // the user's, never committed
	Ignored   []string                    // files, and folders with a slash
	Watched   []worktree.RawFile          // the ignored files, except what tools write
	Hidden    []worktree.RawFile          // tracked files that git is told not to look at
	Named     map[string]worktree.RawFile // the user's files that commands of the plan name and no commit has, by path
	Kept      string                      // a tree of all these, without big and unreadable files and ignored folders
	Changed   []string                    // changes of the set-up during the session, until a person approves the plan again

	paths worktree.PathSet // of Untracked and Ignored
}

// Has reports whether a path was untracked or ignored before the session: it is the user's.
func (s *TaskState) Has(path string) bool {
	if s.paths == nil {
		s.paths = worktree.SetOf(s.Ignored)
		for _, u := range s.Untracked {
			s.paths[u.Path] = true
		}
	}
	return s.paths.Has(path)
}

// Uncommitted returns the user's files that no commit has.
func (s *TaskState) Uncommitted() []worktree.RawFile { return slices.Concat(s.Untracked, s.Hidden) }

// InOtherWorktree reports whether a task was begun in another work tree that still exists.
func (s TaskState) InOtherWorktree(top string) bool {
	_, err := os.Lstat(s.Top)
	return s.Top != "" && s.Top != top && err == nil
}

// AwaitsCommit reports whether work in a clone has passed its checks and waits to be committed.
func (s TaskState) AwaitsCommit() bool {
	return s.InClone && (s.Phase == Checked || s.Phase == Rebasing)
}

// Fix reports whether the task is the fixer's of a review.
func (s TaskState) Fix() bool { return strings.HasPrefix(s.Name, journal.FixPrefix) }

// CommitCommand returns the command of git plan that commits what waits.
func (s TaskState) CommitCommand() string {
	if s.Fix() {
		return "review"
	}
	return "step"
}

// Commit returns HEAD if it is the commit that was about to be made, whatever a hook did to its message.
func (s TaskState) Commit(ctx context.Context, r *git.Repo) string {
	c, err := r.ReadCommit(ctx, "HEAD")
	if err != nil || s.Tree == "" || c.Tree != s.Tree || len(c.Parents) > 1 ||
		journal.OrNone(strings.Join(c.Parents, "")) != s.Head {
		return ""
	}
	return c.OID
}

// Ended returns how a session ended that left only its note.
func (s TaskState) Ended() Ending {
	if len(s.Changed) > 0 {
		return Ending{Reason: integrity.Tampered(integrity.ChangedDuring(s.Changed))}
	}
	return Ending{Interrupted: true, Reason: journal.Interrupted}
}

// Record writes the state of the task; a ref keeps from git gc what only the record names, until Task.ForgetState.
func (s TaskState) Record(ctx context.Context, c *Checkout) error {
	refs, err := s.Protect(ctx, c)
	if err == nil {
		err = c.Repo.ChangeRefs(ctx, "plan: task under way", refs...)
	}
	if err == nil {
		err = c.Task().Note().Save(s)
	}
	return err
}

// Protect returns the change of that ref, none if it is not needed.
func (s TaskState) Protect(ctx context.Context, c *Checkout) ([]git.RefChange, error) {
	var entries []git.Entry
	if s.Kept != "" {
		entries = append(entries, git.Entry{Mode: "40000", Name: "kept", OID: s.Kept})
	}
	if s.Tree != "" && s.InClone { // in the work tree the index has it
		entries = append(entries, git.Entry{Mode: "40000", Name: "tree", OID: s.Tree})
	}
	var stash []string // which a session may drop, and git gc remove
	for _, k := range Stashes(ctx, c.Repo) {
		stash = append(stash, k.OID)
	}
	if len(entries) == 0 && len(stash) == 0 {
		return nil, nil
	}
	tree, err := c.Repo.WriteTree(ctx, entries)
	if err != nil {
		return nil, err
	}
	ref := c.Task().ref()
	now, err := c.Repo.ReadCommit(ctx, ref)
	if err == nil && now.Tree == tree {
		return nil, nil
	}
	parents := slices.DeleteFunc(plan.Unique(slices.Concat([]string{s.Head}, now.Parents, stash)),
		func(oid string) bool { return oid == "" || oid == journal.None })
	commit, err := c.Store.WriteCommit(ctx, tree, parents, "unfinished: "+s.Name+"\n")
	if err != nil {
		return nil, err
	}
	return []git.RefChange{{Ref: ref, New: commit}}, nil
}

// Unfinished returns a plan's task whose session was begun and is not over; empty without one.
func Unfinished(r *git.Repo, plan string) (s TaskState) {
	for _, t := range Tasks(r, plan) {
		if s = t.State(); s.Session != "" {
			return s
		}
	}
	return TaskState{}
}

func (s TaskState) interrupted() error {
	return fault.AtStep(fault.ErrUnfinished, s.Name,
		"the session at step %s was interrupted; its work is on branch %s", s.Name, s.Branch)
}

// adoptMoved takes over the records and clones of a plan's tasks whose repository was moved here since, as transcripts
// and commits show. What the session changed in the set-up is not known here, so a person must look.
func (c *Checkout) adoptMoved(ctx context.Context) {
	here := journal.NotesWithin(c.Repo, tasks)
	for _, path := range disk.Glob(filepath.Dir(here.Dir), "*/"+c.Doc.ID+"[.]*") {
		at := journal.Note{Path: path}
		s, name := journal.Loaded[TaskState](at), filepath.Base(path)
		_, top := os.Lstat(s.Top)
		_, own := os.Lstat(transcript(c, s.Session))
		if own != nil { // it was killed before there was one
			_, own = c.Repo.Resolve(ctx, cmp.Or(s.Kept, s.Head)+"^{tree}")
		}
		if top == nil || own != nil || filepath.Dir(path) == here.Dir {
			continue
		}
		s.Changed = append(s.Changed,
			"perhaps the configuration and hooks of git, which are not compared, since the repository was moved,")
		if err := errors.Join(integrity.Revoke(c.Repo, c.Doc.ID), here.Note(name).Save(s)); err != nil {
			continue
		}
		if at.Remove(); s.InClone {
			_, slot := integrity.OfSlot(strings.TrimSuffix(name, journal.NoteExt))
			was := filepath.Join(s.Top, ".git")
			from, _, _ := TaskIn(&git.Repo{GitDir: was, CommonDir: was}, c.Doc.ID, slot).Clone()
			if to, _, err := TaskIn(c.Repo, c.Doc.ID, slot).Clone(); err == nil && os.Rename(filepath.Dir(from), filepath.Dir(to)) == nil {
				_ = os.Rename(filepath.Join(filepath.Dir(to), filepath.Base(from)), to)
			}
		}
	}
}

// SessionsTree reports whether the work tree belongs to a task that is not over, of a session or a person.
func (c *Checkout) SessionsTree() bool {
	s := c.Task().State()
	// it was killed after its commit
	over := s.Name == "" || s.Phase == Checking || c.Progress.Steps[s.Name].State == progress.StateDone
	return !over && (!s.InClone || s.Phase == Landing) && !s.InOtherWorktree(c.Repo.Top)
}

// SetupChange returns what changed in the set-up during a session, unless a person has approved the plan since.
func (c *Checkout) SetupChange() (text string, ok bool) {
	all := []Task{c.Task()}
	if c.Doc != nil && c.Slot == "" {
		all = Tasks(c.Repo, c.Doc.ID)
	}
	for _, t := range all {
		s := t.State()
		since := func(e journal.Event) bool {
			return e.Kind == journal.Approved && e.By == journal.ByPerson && e.Time.After(s.Began)
		}
		if len(s.Changed) > 0 && !slices.ContainsFunc(c.Doc.Events, since) {
			return strings.Join(s.Changed, ", ") + " changed during " + integrity.DuringTask(s.Name), true
		}
	}
	return "", false
}

// AfterKill compares the set-up for each session whose git plan was killed, puts the plan's ref back, and reports once
// what changed: ErrSetupChanged, or ErrSetupUnseen if a person has to approve again.
func (c *Checkout) AfterKill(ctx context.Context) error {
	if os.Getenv(proc.EnvDepth) != "" {
		return nil
	}
	recs, err := integrity.Records(c.Repo)
	if err != nil {
		return err
	}
	for _, rec := range recs {
		if rec.Live(c.Repo) {
			continue
		}
		if rec.Changed == nil {
			proc.Sweep(proc.Mark(rec.Session))
		}
		changed, err := rec.Differs(ctx, c.Repo)
		if err != nil {
			return err
		}
		if len(changed) > 0 {
			c.Repo.ForbidTransports()
		}
		if rec.Changed == nil {
			if err := revertKilled(ctx, c, rec, changed); err != nil {
				return err
			}
		}
	}
	return nil
}

// revertKilled undoes what a session of a killed git plan changed, as far as possible, and returns the rest.
func revertKilled(ctx context.Context, c *Checkout, rec *integrity.Record, changed []string) error {
	rec.Setup.RemovePlanted(c.Repo)
	moved, err := rec.PlanBack(ctx, c.Repo)
	if err != nil {
		return err
	}
	if len(changed) == 0 {
		if rec.Remove(); len(moved) > 0 {
			err = &fault.Fault{Kind: fault.ErrSetupChanged, Text: integrity.Tampered(moved...)}
		}
		return err
	}
	kind := fault.ErrSetupChanged
	if rec.Plan == "" {
		rec.Remove()
	} else {
		kind = fault.ErrSetupUnseen
		at := TaskIn(c.Repo, rec.Plan, rec.Slot).Note()
		note := journal.Loaded[TaskState](at)
		if note.Session != rec.Session { // the session removed it
			note = TaskState{Name: rec.Task, Branch: rec.Branch, Top: rec.Top, Session: rec.Session, Began: rec.Began}
		}
		note.Changed = changed
		if err := errors.Join(at.Save(note), integrity.Revoke(c.Repo, rec.Plan), rec.Keep(ctx, c.Repo)); err != nil {
			return err
		}
	}
	text := integrity.Tampered(integrity.ChangedDuring(changed)) + " (or since: its git plan was killed)"
	return &fault.Fault{Kind: kind, Step: rec.Task, Text: strings.Join(append([]string{text}, moved...), "; ")}
}
