package integrity

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// A killed git plan compares nothing after its session. So the set-up is also recorded before each session, in a
// place that no sandbox lets a session write. The next command compares first; if anything differs, no git that
// could execute the configuration runs until a person has approved the plan again.

// Record is the set-up before a session, with the session and its process.
type Record struct {
	Plan      string
	Slot      string // the slot of the plan; "" if one session works at a time
	Branch    string
	Task      string
	Session   string
	Began     time.Time
	Top       string
	GitDir    string
	CommonDir string // the repository's folder, by which the record is found
	Born      string // the time when CommonDir was created; see proc.Born
	PID       int
	Start     string // the time when the process PID started; see proc.StartTime
	Setup     Snapshot
	// Changed has the reported differences; nil if none was reported.
	Changed []string

	at journal.Note
}

// setUps is the folder of the records of all repositories.
const setUps = "set-ups"

// Records returns the records of a repository: of sessions at work or killed, and of changes yet to be approved.
// If one is of another repository that was at the path of this one, the error is ErrNoLonger.
func Records(r *git.Repo) ([]*Record, error) {
	recs, err := recordsOf(journal.NotesOf(r, setUps))
	if i := slices.IndexFunc(recs, (*Record).gone); err == nil && i >= 0 {
		err = recs[i].noLonger()
	}
	return recs, err
}

func recordsOf(all journal.Notes) (out []*Record, err error) {
	entries, err := os.ReadDir(all.Dir)
	for _, e := range entries {
		rec := &Record{at: all.Note(e.Name())}
		switch unread := rec.at.Load(rec); {
		case filepath.Ext(e.Name()) != journal.NoteExt:
		case unread == nil && rec.Changed != nil && rec.gone(): // the reported repository no longer exists
			rec.Remove()
		case unread == nil:
			out = append(out, rec)
		case errors.Is(unread, fs.ErrPermission):
			err = unread
		}
	}
	return out, unreadable(err)
}

// unreadable returns an error if git plan's own files cannot be read: under Landlock a session can take the right to
// read them from us. In a session, which may not read them anyway, it returns nil.
func unreadable(err error) error {
	if err == nil || errors.Is(err, fs.ErrNotExist) || os.Getenv(proc.EnvDepth) != "" {
		return nil
	}
	state, _ := journal.StateFolder()
	return fault.New(fault.ErrSetupChanged,
		"%v: a session may have changed its mode; without it no change can be found: chmod -R u+rwX %s",
		err, visible.Shell(filepath.Join(state, "git-plan")))
}

// Record records the set-up before a session.
func (at Target) Record(s Snapshot, task, session string) (*Record, error) {
	rec := &Record{Plan: at.Plan, Slot: at.Slot, Branch: at.Branch, Task: task, Session: session, Began: time.Now(),
		Top: at.Repo.Top, GitDir: at.Repo.GitDir,
		CommonDir: at.Repo.CommonDir, Born: proc.Born(at.Repo.CommonDir), PID: os.Getpid(),
		Start: proc.StartTime(os.Getpid()), Setup: s}
	rec.at = journal.NotesOf(at.Repo, setUps).Note(RecordName(at.Repo, InSlot(rec.Plan, rec.Slot)))
	return rec, rec.at.Save(rec)
}

// InSlot returns the name of the notes and folders of a plan's slot, with a dot, which no plan's id has.
func InSlot(plan, slot string) string {
	if slot == "" {
		return plan
	}
	return plan + "." + slot
}

// OfSlot undoes InSlot.
func OfSlot(name string) (plan, slot string) {
	plan, slot, _ = strings.Cut(name, ".")
	return plan, slot
}

// RecordName returns the name of a plan's record, or of that of reviews without a plan.
func RecordName(r *git.Repo, plan string) string {
	return cmp.Or(plan, ReviewLock(r.GitDir)) + journal.NoteExt
}

// ReviewLock returns the name of the lock of a work tree's reviews without a plan, see journal.Acquire.
func ReviewLock(gitDir string) string {
	sum := sha256.Sum256([]byte(gitDir))
	return "review-" + hex.EncodeToString(sum[:8])
}

// Remove removes the record.
func (rec *Record) Remove() { rec.at.Remove() }

// Forget removes the record of what changed: a person approved the plan, or another in its place, or dropped it.
func Forget(r *git.Repo, plan, branch string) {
	recs, _ := Records(r) // unreadable ones stay
	for _, rec := range recs {
		if rec.Changed != nil && (rec.Plan == plan || rec.Branch == branch) {
			rec.Remove()
		}
	}
}

// End compares once more after a session's work, whose processes may outlive it; of what changed it keeps the record.
func (at Target) End(ctx context.Context, rec *Record) (changed []string, err error) {
	if changed, _, err = at.Changed(ctx, rec.Setup); err != nil || len(changed) == 0 {
		rec.Remove()
		return nil, err
	}
	rec.Setup.RemovePlanted(at.Repo)
	return changed, rec.Keep(ctx, at.Repo)
}

// Keep keeps a record of what differs until it is restored, or a person has approved the plan again.
func (rec *Record) Keep(ctx context.Context, r *git.Repo) error {
	files, keys, _, err := rec.Setup.changed(ctx, r)
	if err != nil {
		return err
	}
	rec.Changed = changedNames(files, keys, []string{rec.Top})
	files = slices.DeleteFunc(files, func(path string) bool { return approvalNote(r, rec.Plan).Path == path })
	before := rec.Setup
	rec.Setup.Special, rec.Setup.Nested = nil, worktree.Nested(r)
	rec.Setup.Files = sums{Paths: files, Of: map[string]string{}}
	for _, path := range files {
		if sum := before.Files.Of[path]; sum != "" {
			rec.Setup.Files.Of[path] = sum
		}
	}
	rec.Setup.Keys = git.Sums{}
	for _, key := range keys {
		rec.Setup.Keys[key] = before.Keys[key]
	}
	return rec.at.Save(rec)
}

// Live reports whether the git plan that wrote the record still runs. In another container only its lock can be seen.
func (rec *Record) Live(r *git.Repo) bool {
	if start := proc.StartTime(rec.PID); start != "" && start == rec.Start {
		return true
	}
	_, working := journal.Working(r, cmp.Or(rec.Plan, ReviewLock(rec.GitDir)))
	return working
}

// Differs returns what differs from the set-up of the record; of the configuration, after Keep, only what did so then.
func (rec *Record) Differs(ctx context.Context, r *git.Repo) ([]string, error) {
	files, keys, config, err := rec.Setup.changed(ctx, r)
	if rec.Changed != nil && config != nil { // later changes of the configuration are the person's
		now := config.Sums()
		keys = slices.DeleteFunc(keys, func(key string) bool {
			before, known := rec.Setup.Keys[key]
			return !known || before == now[key]
		})
	}
	return changedNames(files, keys, []string{rec.Top}), err
}

// Trusted is git.Repo.Trusted: it returns ErrSetupUnseen while the configuration differs from that before a session.
func Trusted(ctx context.Context, r *git.Repo) error {
	recs, err := Records(r)
	if err != nil {
		return err
	}
	for _, rec := range recs {
		if rec.Changed == nil && rec.PID == os.Getpid() && rec.Start == proc.StartTime(rec.PID) { // this process compares itself
			continue
		}
		changed, err := rec.Differs(ctx, r)
		if err != nil {
			return err
		}
		if len(changed) > 0 {
			return fault.AtStep(fault.ErrSetupUnseen, rec.Task,
				"%s changed during %s on branch %s, and the plan has not been approved since",
				strings.Join(changed, ", "), DuringTask(rec.Task), visible.OneLine(rec.Branch, 200))
		}
	}
	return nil
}

// PlanBack restores the plan's ref, and the branch's key for it, after a session whose git plan was killed, and says so
// of each. The ref goes back to the last tip that this clone wrote or fetched, unless it is at a recent one.
func (rec *Record) PlanBack(ctx context.Context, r *git.Repo) (moved []string, err error) {
	if rec.Plan == "" {
		return nil, nil
	}
	ref := journal.RefPrefix + rec.Plan
	now, err := r.Lookup(ctx, ref)
	if err != nil {
		return nil, err
	}
	if tips := journal.TrustedTips(r, rec.Plan); !slices.Contains(tips, now) {
		for _, tip := range slices.Backward(tips) {
			if _, err := r.ReadCommit(ctx, tip); err != nil {
				continue // it is gone, or git plan was killed before it was written
			}
			if err := r.ChangeRefs(ctx, "plan: put back after a session", git.RefChange{Ref: ref, New: tip}); err != nil {
				return nil, err
			}
			moved = append(moved, PlanMoved(rec.Plan, now, tip))
			break
		}
	}
	if _, err := r.Resolve(ctx, "refs/heads/"+rec.Branch); err != nil {
		return moved, nil // it was renamed, or is gone
	}
	config, err := r.Config(ctx)
	if err != nil {
		return moved, err
	}
	if id, _ := config.Get(PlanKey(rec.Branch)); id != rec.Plan {
		moved = append(moved, "the session detached the plan from the branch")
		err = r.SetConfig(ctx, PlanKey(rec.Branch), rec.Plan)
	}
	return moved, err
}

// PlanMoved says what a session did to a plan's ref that was restored from was to now.
func PlanMoved(plan, was, now string) string {
	if was == "" {
		return fmt.Sprintf("the session deleted the plan (%s is back at %.10s)", journal.RefPrefix+plan, now)
	}
	return fmt.Sprintf("the session moved the plan to %s (%s is back at %.10s)", visible.OneLine(was, 200),
		journal.RefPrefix+plan, now)
}

// DuringTask returns a task's session in words.
func DuringTask(task string) string {
	if strings.HasPrefix(task, journal.FixPrefix) {
		return "a session of the review"
	}
	return "the session at step " + visible.OneLine(task, 80)
}

// PlanKey returns the key of git's configuration that names a branch's plan.
func PlanKey(branch string) string { return "branch." + branch + ".plan" }
