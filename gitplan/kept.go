package gitplan

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Kept is one attempt that was kept: what a session left that was not
// committed on the branch.
type Kept struct {
	Name   string // "<step>/<n>", as commands take it
	Ref    string
	Commit string
	Time   time.Time
	Reason string
}

// Attempts lists the kept attempts of the branch's plan, of one step or, with
// an empty name, of all, by step and number.
func (c *Checkout) Attempts(ctx context.Context, step string) ([]Kept, error) {
	prefix := journal.AttemptPrefix + c.owner() + "/"
	refs, err := c.Repo.Refs(ctx, prefix+step)
	if err != nil || len(refs) == 0 {
		return nil, err
	}
	var out []Kept
	args := []string{"--no-walk=unsorted"}
	for _, r := range refs {
		args = append(args, r.OID)
	}
	commits, err := c.Repo.Log(ctx, args...)
	if err != nil {
		return nil, err
	}
	for _, r := range refs {
		k := Kept{Name: strings.TrimPrefix(r.Name, prefix), Ref: r.Name, Commit: r.OID}
		if i := slices.IndexFunc(commits, func(c git.Commit) bool { return c.OID == r.OID }); i >= 0 {
			k.Time, _ = time.Parse(time.RFC3339, commits[i].Time)
			_, body, _ := strings.Cut(commits[i].Message, "\n\n")
			if k.Reason = visible.FirstLine(body); !strings.HasPrefix(commits[i].Subject(), keptSubject) {
				k.Reason = "undone: " + commits[i].Subject() // a step's own commit
			}
		}
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b Kept) int {
		step, n := parseAttempt(a.Name)
		other, m := parseAttempt(b.Name)
		return cmp.Or(strings.Compare(step, other), n-m)
	})
	return out, nil
}

// whyKept is the reason that is kept with what an attempt left. Of a fixer no event
// tells whether it failed, or was stopped as by Ctrl-C: this does.
func whyKept(t Task, out Outcome) string {
	if t.Record == nil && stopped(out) && out.Reason != journal.Interrupted {
		return journal.Interrupted + ": " + out.Reason
	}
	return out.Reason
}

// LeftByFixer is what a fixer of this name may go on from, the ref that keeps it, and
// the message of the commit that it was about to become, where it had passed its checks:
// what has waited until this command, wherever the branch is now, once; or what the last
// fixer of the name had done, where that was interrupted, or waited, the branch is as it
// was then, and the fixer is asked for the same.
func (w *Worker) LeftByFixer(ctx context.Context, name string, same bool) (left *git.Commit, ref, passed string) {
	if !strings.HasPrefix(name, journal.FixPrefix) {
		return nil, "", ""
	}
	ref = w.repair
	if ref != "" && strings.Contains(ref, "/"+journal.FixName(0)+"/") == (name == journal.FixName(0)) { // the verification's is no review's
		w.repair = ""
		if kept, err := w.Repo.ReadCommit(ctx, ref); err == nil {
			return &kept, ref, repairMessage(kept)
		}
	}
	all, err := w.Attempts(ctx, name)
	if err != nil || len(all) == 0 || !same {
		return nil, "", ""
	}
	last := all[len(all)-1]
	kept, err := w.Repo.ReadCommit(ctx, last.Commit)
	if err != nil || len(kept.Parents) == 0 || kept.Parents[0] != w.before.Head {
		return nil, "", ""
	}
	if name != journal.FixName(0) { // that one is always asked for the same: a person may have taken it back
		passed = repairMessage(kept)
	}
	if passed == "" && !strings.HasPrefix(last.Reason, journal.Interrupted) {
		return nil, "", ""
	}
	return &kept, last.Ref, passed
}

// repairMessage is passedMessage without its round, which may be another one now.
func repairMessage(kept git.Commit) string {
	message, _, _ := strings.Cut(passedMessage(kept), "\n\n"+journal.ReviewTrailer+": ")
	return message
}

// Waits reports that what a session did has passed its checks and waits, in its clone,
// to be committed.
func (p *Place) Waits() bool { return p.noted().waits() }

// howToSee is the command that shows a kept attempt.
func (c *Checkout) howToSee(ref string) string {
	if c.Doc == nil {
		return "git diff " + visible.Shell(ref) + "^ " + visible.Shell(ref)
	}
	return "git plan attempts show " + visible.Shell(strings.TrimPrefix(ref, journal.AttemptPrefix+c.Doc.ID+"/"))
}

// parseAttempt parts the name of a kept attempt, or its ref, into task and number.
func parseAttempt(name string) (task string, n int) {
	at := strings.LastIndexByte(name, '/')
	n, _ = strconv.Atoi(name[at+1:])
	return name[:max(at, 0)], n
}

// AttemptNames are the names of the kept attempts of the branch's plan, which
// need not be read for it.
func (c *Checkout) AttemptNames(ctx context.Context) ([]string, error) {
	id, ok := c.PlanID(ctx)
	if !ok {
		return nil, nil
	}
	refs, err := c.Repo.Refs(ctx, journal.AttemptPrefix+id+"/")
	var out []string
	for _, r := range refs {
		out = append(out, strings.TrimPrefix(r.Name, journal.AttemptPrefix+id+"/"))
	}
	return out, err
}

// Attempt finds a kept attempt by "<step>/<n>" or by its ref.
func (c *Checkout) Attempt(ctx context.Context, name string) (Kept, error) {
	all, err := c.Attempts(ctx, "")
	if err != nil {
		return Kept{}, err
	}
	for _, k := range all {
		if k.Name == name || k.Ref == name {
			return k, nil
		}
	}
	return Kept{}, fault.New(fault.ErrUnknownAttempt, "there is no kept attempt %s", visible.OneLine(name, 100))
}

// RestoreAttempt puts what an attempt had changed into the work tree, which
// must be clean. Nothing is committed.
func (p *Place) RestoreAttempt(ctx context.Context, k Kept) error {
	if err := p.Ready(ctx); err != nil {
		return err
	}
	commit, err := p.Repo.ReadCommit(ctx, k.Commit)
	if err != nil {
		return err
	}
	err = p.putKept(ctx, commit)
	if errors.Is(err, git.ErrConflict) {
		return &fault.Fault{Kind: fault.ErrFitsNot, Name: k.Name, Text: fmt.Sprintf("attempt %s conflicts with what the branch has now", k.Name)}
	}
	return err
}

// putKept puts what a kept attempt had changed into the tree of sessions, which is
// clean. It refuses to overwrite a file of the person's: ErrInTheWay.
func (p *Place) putKept(ctx context.Context, kept git.Commit) error {
	from := ""
	if len(kept.Parents) > 0 {
		from = kept.Parents[0]
	}
	taken, err := taken(ctx, p.tree(), p.before, from, kept.OID)
	if err != nil {
		return err
	}
	if len(taken) > 0 {
		return fault.New(fault.ErrInTheWay, "%s is not tracked, and what the attempt had made would overwrite it", visible.OneLine(taken[0], 200))
	}
	return p.tree().Apply(ctx, kept, p.before.Head)
}

// Said is the end of what was printed where an attempt failed, by a check, say, and the
// command that shows all of it; nothing where this clone keeps none.
func (c *Checkout) Said(ctx context.Context, failed journal.Event) (said, howToSee string) {
	why := ""
	if failed.Kept == "" {
		why = c.saidLast(failed.Step())
		howToSee = "git plan log --session " + failed.Step()
	} else if strings.HasPrefix(failed.Kept, journal.AttemptPrefix+c.Doc.ID+"/") {
		kept, _ := c.Repo.ReadCommit(ctx, failed.Kept)
		if subject, body, _ := strings.Cut(kept.Message, "\n\n"); strings.HasPrefix(subject, keptSubject) {
			why = body
		}
		howToSee = c.howToSee(failed.Kept)
	}
	first, said, _ := strings.Cut(why, "\n")
	if visible.FirstLine(first) != failed.Reason {
		return "", "" // of another clone's attempt, perhaps
	}
	return visible.LastLines(said, 20), howToSee
}

// PruneAttempts removes the kept attempts of the plan that are older than age,
// and returns them; their commits are then only found by their names.
func (c *Checkout) PruneAttempts(ctx context.Context, age time.Duration) ([]Kept, error) {
	all, err := c.Attempts(ctx, "")
	if err != nil {
		return nil, err
	}
	gone := slices.DeleteFunc(all, func(k Kept) bool { return time.Since(k.Time) < age })
	if err := c.notePruned(gone); err != nil {
		return nil, err
	}
	for i, k := range gone {
		if err := c.Repo.DeleteRef(ctx, k.Ref, k.Commit, "plan: pruned"); err != nil {
			return gone[:i], err
		}
	}
	return gone, nil
}

func prunedPath(r *git.Repo, id string) string { return r.PlanDir(id, "pruned.json") }

// prunedAttempts are the highest numbers of removed attempts, by task. They are
// noted so that what a message named never comes to mean another attempt.
func prunedAttempts(r *git.Repo, id string) map[string]int {
	var highest map[string]int
	if data, err := os.ReadFile(prunedPath(r, id)); err == nil {
		_ = json.Unmarshal(data, &highest)
	}
	if highest == nil {
		highest = map[string]int{}
	}
	return highest
}

func (c *Checkout) notePruned(gone []Kept) error {
	highest := prunedAttempts(c.Repo, c.Doc.ID)
	for _, k := range gone {
		task, n := parseAttempt(k.Name)
		highest[task] = max(highest[task], n)
	}
	data, err := json.Marshal(highest)
	if err != nil || len(gone) == 0 {
		return err
	}
	return journal.WriteFile(prunedPath(c.Repo, c.Doc.ID), data)
}
