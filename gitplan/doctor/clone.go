package doctor

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/attempts"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

const (
	// old is the age at which a kept attempt is likely to be useless; git plan attempts prune
	// removes those.
	old = 30 * 24 * time.Hour
	// abandoned is the age at which a lock file of git cannot be in use any more: no git command
	// takes that long to write a ref or an index.
	abandoned = 10 * time.Minute
	// mostSymptoms is how many of one kind are listed.
	mostSymptoms = 10
)

// ExamineClone looks for what crashes and deleted branches left in this clone. With fix it
// removes what can be removed safely: the notes of locks that nobody holds, clones that
// nobody worked in, and keys of branches whose plans are gone.
func ExamineClone(ctx context.Context, c *checkout.Checkout, fix bool) ([]Symptom, error) {
	plans, err := progress.AllEvents(ctx, c.Store)
	if err != nil {
		return nil, err
	}
	branches, err := branchesOf(ctx, c)
	if err != nil {
		return nil, err
	}
	var locks, sessions, aside []Symptom
	orphans, err := examineBindings(ctx, c, plans, branches, fix)
	if err != nil {
		return nil, err
	}
	for _, p := range plans {
		locks = append(locks, examineLock(c, p.Plan, fix)...)
		sessions = append(sessions, examineSession(c, p)...)
		aside = append(aside, examineSetAside(c, p)...)
		orphans = append(orphans, orphan(p, branches)...)
	}
	locks = append(locks, gitLocks(c)...)
	sessions = append(sessions, examineClones(c, plans, fix)...)
	attempts, err := oldAttempts(ctx, c, branches)
	if err != nil {
		return nil, err
	}
	var out []Symptom
	for _, k := range []struct {
		about, fine string
		found       []Symptom
	}{
		{"locks", "none is left over", locks}, {"sessions", "none was interrupted", sessions},
		{"plans", fmt.Sprintf("%d, each with its branch", len(plans)), orphans}, {"attempts", "none older than 30 days", attempts},
	} {
		if len(k.found) == 0 && k.fine != "" {
			out = append(out, Symptom{About: k.about, Found: Fine, Text: k.fine})
		}
		if n := len(k.found); n > mostSymptoms {
			k.found = append(k.found[:mostSymptoms:mostSymptoms], Symptom{Found: Unused, Text: fmt.Sprintf("and %d more", n-mostSymptoms)})
		}
		for _, s := range k.found {
			s.About = k.about
			out = append(out, s)
		}
	}
	return append(out, aside...), nil
}

// branchesOf returns the branches, each with the id of its plan or "". The current branch is
// one of them even if it has no commit yet.
func branchesOf(ctx context.Context, c *checkout.Checkout) (map[string]string, error) {
	refs, err := c.Repo.Refs(ctx, "refs/heads/")
	out := map[string]string{}
	if c.Branch != "" {
		out[c.Branch], _ = c.Bound()
	}
	for _, r := range refs {
		name := strings.TrimPrefix(r.Name, "refs/heads/")
		out[name], _ = c.Config.Get(integrity.PlanKey(name))
	}
	return out, err
}

// examineBindings finds the branches whose plan is gone, and sets their plan in branches to
// "".
func examineBindings(ctx context.Context, c *checkout.Checkout, plans []progress.PlanEvents, branches map[string]string, fix bool) (out []Symptom, err error) {
	for _, name := range slices.Sorted(maps.Keys(branches)) {
		id := branches[name]
		if id == "" || slices.ContainsFunc(plans, func(p progress.PlanEvents) bool { return p.Plan == id }) {
			continue
		}
		branches[name] = ""
		s := Symptom{Found: Unused, Text: fmt.Sprintf("branch %s names plan %s, which is gone", visible.OneLine(name, 200), visible.OneLine(id, 80)),
			Fix: "git plan doctor --fix removes that key; the branch has no plan either way"}
		if fix {
			if err := c.Repo.UnsetConfig(ctx, integrity.PlanKey(name)); err != nil {
				return nil, err
			}
			s.Fix = "that key was removed"
		}
		out = append(out, s)
	}
	return out, nil
}

// examineLock finds the note of a lock's holder that died. To fix that it takes the lock, as
// the next command would: that waits for what the holder left running and removes the note.
func examineLock(c *checkout.Checkout, id string, fix bool) []Symptom {
	note := journal.LockPath(c.Repo, id) + ".json"
	if _, err := os.Stat(note); err != nil {
		return nil
	}
	if _, held := journal.Working(c.Repo, id); held {
		return nil
	}
	h := journal.ReadHolder(journal.LockPath(c.Repo, id))
	s := Symptom{Found: Unused, Text: fmt.Sprintf("git plan %s (pid %d) died at plan %s", visible.OneLine(h.Command, 40), h.PID, id),
		Fix: "git plan doctor --fix removes its note; so does the next git plan step"}
	if fix {
		lock, err := journal.Acquire(c.Repo, id, "doctor")
		if err != nil {
			s.Fix = err.Error()
			return []Symptom{s}
		}
		lock.Release()
		s.Fix = "its note was removed"
	}
	return []Symptom{s}
}

// gitLocks finds lock files of git that are too old to be in use. That is not certain, so a
// person has to remove them.
func gitLocks(c *checkout.Checkout) []Symptom {
	paths := []string{filepath.Join(c.Repo.GitDir, "index.lock"), filepath.Join(c.Repo.GitDir, "HEAD.lock"), filepath.Join(c.Repo.CommonDir, "config.lock"),
		filepath.Join(c.Repo.CommonDir, "packed-refs.lock")}
	more, _ := filepath.Glob(filepath.Join(c.Repo.CommonDir, journal.RefPrefix, "*.lock"))
	var out []Symptom
	for _, path := range append(paths, more...) {
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > abandoned {
			out = append(out, Symptom{Found: Wrong, Text: fmt.Sprintf("%s has been there since %s", path, info.ModTime().Format("2006-01-02 15:04")),
				Fix: "if no git is running here: rm '" + path + "'"})
		}
	}
	return out
}

// orphan returns the symptom of a plan that no branch has. branches has the plan of each
// branch.
func orphan(p progress.PlanEvents, branches map[string]string) []Symptom {
	own, there := branches[p.Branch]
	if there && own == "" {
		return nil // the next command there finds it
	}
	for _, id := range branches {
		if id == p.Plan {
			return nil
		}
	}
	why := "is gone"
	if there {
		why = "has another plan"
	}
	return []Symptom{{Found: Unused, Text: fmt.Sprintf("%s has no branch: %s %s", p.Plan, cmp.Or(visible.OneLine(p.Branch, 200), "its own"), why),
		Fix: fmt.Sprintf("git plan drop %s removes it; git plan attach %s gives it to a branch that has none", p.Plan, p.Plan)}}
}

// oldAttempts returns a symptom for each plan with old kept attempts.
func oldAttempts(ctx context.Context, c *checkout.Checkout, branches map[string]string) ([]Symptom, error) {
	chains, err := c.Repo.LogByRef(ctx, journal.AttemptPrefix, "--no-walk")
	if err != nil {
		return nil, err
	}
	count := map[string]int{}
	for ref, commits := range chains {
		plan, _, _ := strings.Cut(strings.TrimPrefix(ref, journal.AttemptPrefix), "/")
		when, err := time.Parse(time.RFC3339, commits[0].Time)
		if err == nil && time.Since(when) > old {
			count[plan]++
		}
	}
	of := map[string]string{}
	for branch, plan := range branches {
		of[plan] = branch
	}
	var out []Symptom
	for plan, n := range count {
		fix := "git plan attempts prune"
		if branch, ok := of[plan]; !ok {
			fix = fmt.Sprintf("git for-each-ref --format='delete %%(refname)' %s | git update-ref --stdin", visible.Shell(journal.AttemptPrefix+plan+"/"))
		} else if branch != c.Branch {
			fix = "on branch " + visible.OneLine(branch, 200) + ": " + fix
		}
		out = append(out, Symptom{Found: Unused, Text: fmt.Sprintf("%d of plan %s are older than 30 days", n, plan), Fix: fix})
	}
	slices.SortFunc(out, func(a, b Symptom) int { return strings.Compare(a.Text, b.Text) })
	return out, nil
}

// Left is a task that neither ended nor is at work, and why: a crash ended its session, or what
// that did in a clone waits to be committed.
type Left struct{ Task, Why string }

// Unended returns the tasks of a plan that neither ended nor are at work, by the notes that they
// left.
func Unended(c *checkout.Checkout, plan string, events []journal.Event) (out []Left) {
	for _, slot := range slotsOf(c, plan) {
		if task, why := unendedIn(c, plan, slot, events); why != "" {
			out = append(out, Left{task, why})
		}
	}
	return out
}

// slotsOf returns the places in which a session of a plan may have been.
func slotsOf(c *checkout.Checkout, plan string) []string {
	return append([]string{""}, checkout.Slots(c.Repo, plan)...)
}

func unendedIn(c *checkout.Checkout, plan, slot string, events []journal.Event) (step, why string) {
	data, err := checkout.TaskNote(c.Repo, plan, slot).Read()
	var note checkout.TaskState
	if err != nil || journal.DecodeNote(data, &note) != nil || len(note.Changed) > 0 {
		return "", ""
	}
	last := progress.LastOf(events, note.Name)
	if _, working := journal.Working(c.Repo, plan); working || last.By == journal.ByPerson {
		return "", "" // at work, or open by next
	}
	if note.Waits() {
		return note.Name, attempts.WaitingReason
	}
	return note.Name, journal.Interrupted
}

// examineSession returns the symptom of an unended session.
func examineSession(c *checkout.Checkout, p progress.PlanEvents) (out []Symptom) {
	branch := "on branch " + visible.OneLine(p.Branch, 200)
	for _, slot := range slotsOf(c, p.Plan) {
		step, why := unendedIn(c, p.Plan, slot, p.Events)
		switch {
		case why == "":
		case strings.HasPrefix(step, journal.FixPrefix):
			out = append(out, Symptom{Found: Unused, Text: fmt.Sprintf("a fixer of the review of plan %s: %s", p.Plan, why),
				Fix: branch + ": git plan review goes on, and keeps what it left"})
		default:
			out = append(out, Symptom{Found: Unused, Text: fmt.Sprintf("the one at step %s of plan %s: %s", visible.OneLine(step, 80), p.Plan, why),
				Fix: branch + ": git plan step goes on with it"})
		}
	}
	return out
}

// examineClones finds the clones of sessions that no step would find: half-made ones, and those
// of plans that are gone.
func examineClones(c *checkout.Checkout, plans []progress.PlanEvents, fix bool) (out []Symptom) {
	folders, _ := filepath.Glob(c.Repo.PlanDir("*", "clone"))
	for _, folder := range folders {
		id, slot := integrity.OfSlot(filepath.Base(filepath.Dir(folder)))
		top, gitDir, err := checkout.ClonePlace(c.Repo, id, slot)
		if _, held := journal.Working(c.Repo, id); err != nil || held {
			continue
		}
		_, err = checkout.TaskNote(c.Repo, id, slot).Read()
		known := slices.ContainsFunc(plans, func(p progress.PlanEvents) bool { return p.Plan == id })
		s := Symptom{Found: Unused, Text: fmt.Sprintf("a clone for plan %s was left half made: %s", id, top),
			Fix: "git plan doctor --fix removes it; so does the next git plan step"}
		switch {
		case err == nil && known:
			continue // examineSession reports it
		case err == nil:
			s.Text = fmt.Sprintf("plan %s is gone, and what its last session did is in %s", id, top)
			s.Fix = fmt.Sprintf("take what you want of it, then: rm -r '%s' '%s'", filepath.Dir(top), filepath.Dir(folder))
		case fix:
			lock, err := journal.Acquire(c.Repo, id, "doctor")
			if err != nil {
				s.Fix = err.Error()
				break
			}
			workspace.DiscardCloneAt(top, gitDir)
			lock.Release()
			s.Fix = "it was removed"
		}
		out = append(out, s)
	}
	return out
}

// examineSetAside finds what --autostash set aside and no command has restored.
func examineSetAside(c *checkout.Checkout, p progress.PlanEvents) []Symptom {
	stash := attempts.Stashed(c, p.Plan)
	if _, working := journal.Working(c.Repo, p.Plan); stash.Kept == "" || working {
		return nil
	}
	return []Symptom{{About: "autostash", Found: Unused, Text: fmt.Sprintf("your changes, set aside for plan %s, are kept as %s", p.Plan, stash.Kept),
		Fix: "on branch " + visible.OneLine(p.Branch, 200) + ": the next git plan step or run brings them back at its end"}}
}
