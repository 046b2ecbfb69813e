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

	"github.com/git-plan/git-plan/gitplan/agent/builtin"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/place"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/setup"
	"github.com/git-plan/git-plan/gitplan/visible"
)

const (
	// old is when a kept attempt is likely to be of no use any more, and what
	// git plan attempts prune removes.
	old = 30 * 24 * time.Hour
	// abandoned is when a lock file of git is nobody's any more: no git command
	// on a ref or an index takes as long.
	abandoned = 10 * time.Minute
	// mostSymptoms of one kind are listed.
	mostSymptoms = 10
)

// ExamineClone looks at what crashes and deleted branches left in this clone.
// With fix it removes what is safe to: the notes of locks that nobody holds, clones
// that nobody worked in, and the keys of branches that name plans which are gone.
func ExamineClone(ctx context.Context, c *checkout.Checkout, fix bool) ([]Symptom, error) {
	plans, err := progress.Pasts(ctx, c.Store)
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
		aside = append(aside, examineSetAside(ctx, c, p)...)
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
		{"locks", "none that is nobody's", locks}, {"sessions", "none was interrupted", sessions},
		{"plans", fmt.Sprintf("%d, each with its branch", len(plans)), orphans}, {"attempts", "none older than 30 days", attempts},
	} {
		if len(k.found) == 0 {
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

// branchesOf are the branches that are there, each with its plan if it has one. This
// one is, also while it has no commit yet.
func branchesOf(ctx context.Context, c *checkout.Checkout) (map[string]string, error) {
	refs, err := c.Repo.Refs(ctx, "refs/heads/")
	out := map[string]string{}
	if c.Branch != "" {
		out[c.Branch], _ = c.Bound()
	}
	for _, r := range refs {
		name := strings.TrimPrefix(r.Name, "refs/heads/")
		out[name], _ = c.Config.Get(setup.PlanKey(name))
	}
	return out, err
}

// examineBindings finds the branches whose plan is gone, and takes these plans out
// of branches: such a branch has none.
func examineBindings(ctx context.Context, c *checkout.Checkout, plans []progress.Past, branches map[string]string, fix bool) (out []Symptom, err error) {
	for _, name := range slices.Sorted(maps.Keys(branches)) {
		id := branches[name]
		if id == "" || slices.ContainsFunc(plans, func(p progress.Past) bool { return p.Plan == id }) {
			continue
		}
		branches[name] = ""
		s := Symptom{Found: Unused, Text: fmt.Sprintf("branch %s names plan %s, which is gone", visible.OneLine(name, 200), visible.OneLine(id, 80)),
			Fix: "git plan doctor --fix takes that away; the branch has no plan either way"}
		if fix {
			if err := c.Repo.UnsetConfig(ctx, setup.PlanKey(name)); err != nil {
				return nil, err
			}
			s.Fix = "that was taken away"
		}
		out = append(out, s)
	}
	return out, nil
}

// examineLock finds the note of a holder that died. Taking the lock, as the next
// command would, waits for what it left running and removes the note.
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

// gitLocks are lock files of git that are too old to be anybody's. Nobody can
// tell for certain, so a person removes them.
func gitLocks(c *checkout.Checkout) []Symptom {
	paths := []string{filepath.Join(c.Repo.GitDir, "index.lock"), filepath.Join(c.Repo.GitDir, "HEAD.lock"), filepath.Join(c.Repo.CommonDir, "config.lock"),
		filepath.Join(c.Repo.CommonDir, "packed-refs.lock")}
	more, _ := filepath.Glob(filepath.Join(c.Repo.CommonDir, journal.RefPrefix, "*.lock"))
	var out []Symptom
	for _, path := range append(paths, more...) {
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > abandoned {
			out = append(out, Symptom{Found: Wrong, Text: fmt.Sprintf("%s stands since %s", path, info.ModTime().Format("2006-01-02 15:04")),
				Fix: "if no git is running here: rm '" + path + "'"})
		}
	}
	return out
}

// Unended is the step of a plan whose session no command has come to the end of, by
// the note that is left, and why: a crash ended it, or what it did in a clone waits.
func Unended(c *checkout.Checkout, plan string, events []journal.Event) (step, why string) {
	data, err := checkout.TaskNote(c.Repo, plan).Read()
	var note checkout.InProgress
	if err != nil || journal.DecodeNote(data, &note) != nil || len(note.Changed) > 0 {
		return "", ""
	}
	last := progress.LastEvents(events)[note.Name]
	if _, working := journal.Working(c.Repo, plan); working || last.By == journal.ByPerson {
		return "", "" // at work, or open by next
	}
	passed := last.Kind == journal.Checked && last.Tree == note.Tree
	if strings.HasPrefix(note.Name, journal.FixPrefix) { // of which no event tells
		passed = note.Waits()
	}
	if note.Clone && passed {
		return note.Name, place.WaitingReason
	}
	return note.Name, journal.Interrupted
}

func examineSession(c *checkout.Checkout, p progress.Past) []Symptom {
	step, why := Unended(c, p.Plan, p.Events)
	if why == "" {
		return nil
	}
	branch := "on branch " + visible.OneLine(p.Branch, 200)
	if strings.HasPrefix(step, journal.FixPrefix) {
		return []Symptom{{Found: Unused, Text: fmt.Sprintf("a fixer of the review of plan %s: %s", p.Plan, why),
			Fix: branch + ": git plan review goes on, and keeps what it left"}}
	}
	return []Symptom{{Found: Unused, Text: fmt.Sprintf("the one at step %s of plan %s: %s", visible.OneLine(step, 80), p.Plan, why),
		Fix: branch + ": git plan step goes on with it"}}
}

// examineClones finds what sessions left of their clones that no step will come
// upon: half made, or of a plan that is gone.
func examineClones(c *checkout.Checkout, plans []progress.Past, fix bool) (out []Symptom) {
	folders, _ := filepath.Glob(c.Repo.PlanDir("*", "clone"))
	for _, folder := range folders {
		id := filepath.Base(filepath.Dir(folder))
		top, gitDir, err := checkout.ClonePlace(c.Repo, id)
		if _, held := journal.Working(c.Repo, id); err != nil || held {
			continue
		}
		_, err = checkout.TaskNote(c.Repo, id).Read()
		known := slices.ContainsFunc(plans, func(p progress.Past) bool { return p.Plan == id })
		s := Symptom{Found: Unused, Text: fmt.Sprintf("a clone for plan %s was left half made: %s", id, top),
			Fix: "git plan doctor --fix removes it; so does the next git plan step"}
		switch {
		case err == nil && known:
			continue // the session's, which is told
		case err == nil:
			s.Text = fmt.Sprintf("plan %s is gone, and what its last session did is in %s", id, top)
			s.Fix = fmt.Sprintf("take what you want of it, then: rm -r '%s' '%s'", filepath.Dir(top), filepath.Dir(folder))
		case fix:
			lock, err := journal.Acquire(c.Repo, id, "doctor")
			if err != nil {
				s.Fix = err.Error()
				break
			}
			place.DiscardClone(top, gitDir)
			lock.Release()
			s.Fix = "it was removed"
		}
		out = append(out, s)
	}
	return out
}

// orphan is a plan of which no branch is left.
func orphan(p progress.Past, branches map[string]string) []Symptom {
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

// oldAttempts counts the old kept attempts of each plan.
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

// ExamineEndpoints asks the endpoint of each role whether it is there and takes
// the key, and whether it lists the models. Of command-line agents only a session
// would tell.
func ExamineEndpoints(ctx context.Context, c *checkout.Checkout) []Symptom {
	var out []Symptom
	var endpoints []*builtin.Agent
	models := map[string][]string{} // by endpoint
	for _, role := range settings.Roles {
		a, err := c.Config.Agent(role)
		o, ok := a.(*builtin.Agent)
		if err != nil || !ok {
			continue
		}
		if models[o.BaseURL] == nil {
			endpoints = append(endpoints, o)
		}
		if !slices.Contains(models[o.BaseURL], o.Model) {
			models[o.BaseURL] = append(models[o.BaseURL], o.Model)
		}
	}
	for _, o := range endpoints {
		s := Symptom{About: "endpoint", Found: Fine, Text: visible.OneLine(o.BaseURL, 200) + " answers"}
		if err := o.Reach(ctx); err != nil {
			s.Found, s.Text = Wrong, visible.OneLine(o.BaseURL, 200)+": "+err.Error()
			s.Fix = fmt.Sprintf("git config planAgent.%s.baseURL URL, or the variable with its key", o.AgentName)
		} else if missing, n := o.Unlisted(ctx, models[o.BaseURL]); len(missing) > 0 {
			s.Found, s.Text = Unused, fmt.Sprintf("%s; %s is not among the %d models that it lists", s.Text, visible.OneLine(strings.Join(missing, ", "), 400), n)
			s.Fix = fmt.Sprintf("if sessions fail for that: git config planAgent.%s.model MODEL, or plan.ROLE.model", o.AgentName)
		}
		out = append(out, s)
	}
	if len(out) == 0 {
		out = append(out, Symptom{About: "endpoint", Found: Unused, Text: "no role has one"})
	}
	return out
}

func examineSetAside(ctx context.Context, c *checkout.Checkout, p progress.Past) []Symptom {
	_, entry := place.SetAside(ctx, c, p.Plan)
	if _, working := journal.Working(c.Repo, p.Plan); entry == "" || working {
		return nil
	}
	return []Symptom{{About: "autostash", Found: Unused, Text: fmt.Sprintf("your changes, set aside for plan %s, are %s of git's stash", p.Plan, entry),
		Fix: "on branch " + visible.OneLine(p.Branch, 200) + ": the next git plan step or run brings them back at its end"}}
}
