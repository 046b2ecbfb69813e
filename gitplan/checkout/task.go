package checkout

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
)

const tasks = "tasks"

// Task is the task under way in a slot of a plan, or in reviews without a plan: its record, and its sessions' clone.
type Task struct {
	c    *Checkout // with its repository and slot
	plan string
}

// Task returns the task of the plan that is loaded.
func (c *Checkout) Task() Task { return Task{c, c.Loaded()} }

// TaskIn returns a plan's task in a slot.
func TaskIn(r *git.Repo, plan, slot string) Task { return Task{&Checkout{Repo: r, Slot: slot}, plan} }

// Tasks returns the tasks in all slots of a plan, and last that without a slot.
func Tasks(r *git.Repo, plan string) (out []Task) {
	for _, slot := range append(Slots(r, plan), "") {
		out = append(out, TaskIn(r, plan, slot))
	}
	return out
}

// Note returns the note with the record.
func (t Task) Note() journal.Note {
	return journal.NotesWithin(t.c.Repo, tasks).Note(integrity.RecordName(t.c.Repo, integrity.InSlot(t.plan, t.c.Slot)))
}

// State returns the state of an unfinished task; empty without one.
func (t Task) State() TaskState { return journal.Loaded[TaskState](t.Note()) }

// Forget removes the task's state and its clone. Commit or keep the clone's content first.
func (t Task) Forget() { t.Abandon(nil) }

// Abandon is Forget for a task that could not begin. The state is kept if a person must look at a changed set-up.
func (t Task) Abandon(err error) {
	if !errors.Is(err, fault.ErrSetupChanged) {
		t.ForgetState()
	}
	t.DiscardClone()
}

// ForgetState removes the record of the task, also after an interruption.
func (t Task) ForgetState() {
	t.Note().Remove()
	_ = t.c.Repo.ChangeRefs(context.Background(), "plan: task is over", t.Over()...)
}

// Over returns the change of the task's ref that belongs to the event which ends it; ForgetState does the rest.
func (t Task) Over() []git.RefChange {
	if _, err := t.c.Repo.Resolve(context.Background(), t.ref()); err != nil {
		return nil
	}
	return []git.RefChange{{Ref: t.ref()}}
}

// RequireFreeClone refuses if the clone holds what a session did that is neither kept nor committed.
func (t Task) RequireFreeClone() error {
	if s := t.State(); s.InClone && s.Phase != Checking {
		return fault.AtStep(fault.ErrUnfinished, s.Name,
			"the work of a session at step %s is in its clone, neither kept nor committed", s.Name)
	}
	return nil
}

// DiscardIdleClone is DiscardClone after the last step of a run, unless a task is recorded.
func (t Task) DiscardIdleClone() {
	if t.State().Name == "" {
		t.DiscardClone()
	}
}

// DiscardClone removes the clone, if it exists, whole or half made.
func (t Task) DiscardClone() {
	t.c.Clone = nil
	if top, gitDir, err := t.Clone(); err == nil {
		_, _ = disk.RemoveTree(gitDir), disk.RemoveTree(filepath.Dir(top))
	}
}

// Clone returns where the clone of the sessions lies, and the folder with our HEAD and index for it. There no sandbox
// lets a session put a link in its place, and test runners, which skip what is below a .git, find their files.
func (t Task) Clone() (top, gitDir string, err error) {
	id, r := integrity.InSlot(t.plan, t.c.Slot), t.c.Repo
	gitDir = r.PlanDir(id, "clone")
	if id == "" {
		gitDir = filepath.Join(r.GitDir, "plan", "clone")
	}
	state, err := journal.StateFolder()
	if err != nil {
		return "", gitDir, err
	}
	name := filepath.Base(r.CommonDir)
	if name == ".git" {
		name = filepath.Base(filepath.Dir(r.CommonDir))
	}
	// Always the same for a plan: build tools keep what they built by its path.
	key := fmt.Sprintf("%s-%x", cmp.Or(id, "review"), sha256.Sum256([]byte(gitDir)))
	return filepath.Join(state, "git-plan", key[:len(key)-48], strings.Trim(name, string(filepath.Separator))), gitDir, nil
}

// TaskRefs begins the refs that keep from git gc what only the records of tasks name.
const TaskRefs = "refs/plan-tasks/"

func (t Task) ref() string {
	return TaskRefs + strings.TrimSuffix(filepath.Base(t.Note().Path), journal.NoteExt)
}
