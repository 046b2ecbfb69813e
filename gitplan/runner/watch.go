package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Watch is what a session, or what its work runs, must leave alone, as it was before.
type Watch struct {
	Setup  integrity.Snapshot
	runner *Runner
	target integrity.Target
	refs   map[string]string // the values of refsWatched
	stash  []git.Commit      // the list of git stash, newest first
	head   string            // of the branch
	bases  map[string]string // by name: what the work is compared with
	record *integrity.Record
}

// Watch remembers the set-up.
func (r *Runner) Watch(at integrity.Target) *Watch {
	return &Watch{Setup: at.Read(), runner: r, target: at}
}

// Session also remembers the refs before a session at a task, which begins at head, and records that it is at work.
func (w *Watch) Session(ctx context.Context, task, session, head string) (err error) {
	w.head, w.bases, w.stash = head, w.runner.bases(ctx), checkout.Stashes(ctx, w.runner.Checkout.Repo)
	if w.refs, err = w.runner.Refs(ctx); err != nil {
		return err
	}
	w.record, err = w.target.Record(w.Setup, task, session)
	return err
}

// Unchanged returns an error if the set-up changed: no git may be run then.
func (w *Watch) Unchanged(ctx context.Context) error {
	changed, _, err := w.target.Changed(ctx, w.Setup)
	if err == nil && len(changed) > 0 {
		err = errors.New(integrity.Tampered(integrity.ChangedDuring(changed)))
	}
	return err
}

// End is integrity.Target.End of the session's work; moved names what was put back of the plan.
func (w *Watch) End(ctx context.Context) (changed, moved []string, err error) {
	if changed, err = w.target.End(ctx, w.record); err != nil {
		return nil, nil, err
	}
	if moved, err = w.runner.PlanBack(ctx); err != nil || len(changed) > 0 {
		return changed, moved, err
	}
	changed, err = w.measured(ctx)
	return changed, moved, err
}

// refWords matches what may be refs in a command, such as both in v1..origin/main:file.
var refWords = visible.NewPattern(`[\w/@+-]+(?:\.[\w/@+-]+)*`)

// changedRefs returns the refs that changed since before the session and that no git plan writes, and what all are now.
func (w *Watch) changedRefs(ctx context.Context) (changed []string, now map[string]string, err error) {
	if now, err = w.runner.Refs(ctx); err != nil {
		return nil, nil, err
	}
	for _, refs := range []map[string]string{now, w.refs} { // of what was deleted, too
		for ref := range refs {
			if now[ref] != w.refs[ref] && !slices.Contains(w.runner.OwnRefs(), ref) && !w.runner.workedOn(ref) {
				changed = append(changed, ref)
			}
		}
	}
	slices.Sort(changed)
	return slices.Compact(changed), now, nil
}

// measured names the tags and branches that changed and by which a command of a goal's Done when measures.
func (w *Watch) measured(ctx context.Context) (out []string, err error) {
	doc := w.runner.Checkout.Doc
	if doc == nil || doc.Plan.Bounds == nil || w.refs == nil { // a person at work changes what they like
		return nil, nil
	}
	words := refWords().FindAllString(strings.Join(plan.Commands(doc.Plan.Verification), " "), -1)
	changed, _, err := w.changedRefs(ctx)
	for _, ref := range changed {
		short := strings.TrimPrefix(strings.TrimPrefix(ref, "refs/heads/"), "refs/tags/")
		if slices.Contains(words, short) || slices.Contains(words, ref) || strings.HasPrefix(ref, "refs/replace/") {
			out = append(out, ref+", by which Done when measures")
		}
	}
	return out, err
}

// Remove forgets that a session was at work.
func (w *Watch) Remove() { w.record.Remove() }

// Restore is Changed with what follows: it puts the plan's ref and the branch's key back, and moved says so.
func (w *Watch) Restore(ctx context.Context) (changed, moved []string, err error) {
	changed, lost, err := w.target.Changed(ctx, w.Setup)
	if err == nil && len(changed) > 0 {
		err = w.Distrusted()
	}
	if err != nil {
		return nil, nil, err
	}
	moved, err = w.runner.PlanBack(ctx)
	if err == nil && lost {
		moved, err = append(moved, "the session detached the plan from the branch"), w.runner.AttachAgain(ctx)
	}
	return changed, moved, err
}

// Distrusted is called when the set-up changed during a session: links that could lead a write elsewhere are
// removed, no git obeys the current configuration, and nothing of the plan runs before a person approves it again.
func (w *Watch) Distrusted() error {
	c := w.runner.Checkout
	w.Setup.RemovePlanted(c.Repo)
	c.Repo.ForbidTransports()
	if c.Doc == nil {
		return nil
	}
	return integrity.Revoke(c.Repo, c.Doc.ID)
}

// refsWatched are the refs that a session must leave alone; those of remotes may move on, as by a fetch.
var refsWatched = []string{"refs/heads/", "refs/tags/", "refs/notes/", "refs/remotes/", "refs/replace/",
	checkout.StashRef, journal.RefPrefix}

// Refs returns the values of refsWatched, to be read only. They are read again only after one has changed that the task does not write.
func (r *Runner) Refs(ctx context.Context) (map[string]string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	files := r.Checkout.Repo.RefFiles(refsWatched, r.OwnRefs())
	if files != nil && maps.EqualFunc(files, r.refFiles, git.SameFile) {
		return r.refs, nil
	}
	refs, err := r.Checkout.Repo.RefValues(ctx, refsWatched...)
	if err == nil {
		r.refs, r.refFiles = refs, files
	}
	return refs, err
}

// RefsChanged returns notes on what integrity.Target.Moved names and the refs that changed, except this branch and plan and what another git plan works on,
// with the commands that put them back. They are not restored: a person may have changed them meanwhile.
func (w *Watch) RefsChanged(ctx context.Context, during string) []string {
	r := w.runner.Checkout.Repo
	var notes []string
	if moved := w.target.Moved(ctx, w.Setup, w.runner.workedOn); len(moved) > 0 {
		slices.Sort(moved)
		notes = []string{"changed in the repository " + during + ": " + visible.OneLine(strings.Join(moved, ", "), 400)}
	}
	refs, now, err := w.changedRefs(ctx)
	if err != nil {
		return append(notes, "refs cannot be read: "+err.Error())
	}
	var changed []string
	var gone []goneRef
	stash := checkout.Stashes(ctx, r)
	for _, c := range slices.Backward(w.stash) {
		if !slices.ContainsFunc(stash, func(now git.Commit) bool { return now.OID == c.OID }) {
			gone = append(gone, goneRef{c.OID, "git stash store -m " + visible.Shell(visible.OneLine(c.Subject(), 200)) + " " + c.OID})
		}
	}
	if len(gone) > 0 && now[checkout.StashRef] == w.refs[checkout.StashRef] {
		changed = append(changed, checkout.StashRef)
	}
	for _, ref := range refs {
		was, deleted := w.refs[ref], now[ref] == ""
		if was == "" && strings.HasPrefix(ref, "refs/remotes/") {
			continue
		}
		if on, err := r.IsAncestor(ctx, was, now[ref]); err == nil && on && strings.HasPrefix(ref, "refs/remotes/") {
			continue // as a fetch does
		}
		if was != "" && ref != checkout.StashRef && !strings.HasPrefix(was, "ref:") {
			gone = append(gone, goneRef{was, fmt.Sprintf("git update-ref %s %.12s", visible.Shell(ref), was)})
		}
		if deleted {
			ref += " (deleted)"
		}
		changed = append(changed, ref)
	}
	if len(changed) == 0 {
		return notes
	}
	return append(append(notes, "refs changed "+during+": "+visible.OneLine(strings.Join(changed, ", "), 400)),
		w.keepGone(ctx, gone)...)
}

// goneRef is what a ref was at, and the command that puts it back.
type goneRef struct{ oid, back string }

// keepGone keeps what no ref has any more, and returns a note with the commands that put it back.
func (w *Watch) keepGone(ctx context.Context, gone []goneRef) []string {
	c, list := w.runner.Checkout, []string{"rev-list", "--ignore-missing"}
	for _, g := range gone {
		list = append(list, g.oid)
	}
	lost, err := c.Repo.Output(ctx, append(list, "--not", "--exclude="+checkout.TaskRefs+"*", "--all")...)
	var back, commits []string
	for _, g := range gone {
		switch o, _ := c.Repo.ReadIf(ctx, "commit", g.oid); {
		case o.Type != "commit": // a tag with a message
			_, kerr := c.Attempts().KeepCommit(ctx, g.oid, checkout.RefsName)
			err = errors.Join(err, kerr)
		case strings.Contains(lost, g.oid):
			commits = append(commits, g.oid)
		}
		back = append(back, g.back)
	}
	text := strings.Join(back, " && ")
	if len(commits) > 0 {
		tree, terr := c.Repo.Resolve(ctx, commits[len(commits)-1]+"^{tree}")
		parents := slices.DeleteFunc(append([]string{w.head}, commits...), func(oid string) bool { return oid == "" })
		_, kerr := c.Attempts().Keep(ctx, tree, parents, checkout.RefsName,
			checkout.Ending{Reason: "what refs were at that changed\n\n" + text})
		err = errors.Join(err, terr, kerr)
	}
	if text == "" {
		return nil
	}
	said := "to put back what was there: " + text
	if err != nil {
		said = "some of what they were at cannot be kept (" + visible.OneLine(err.Error(), 400) + "); " + said
	}
	return []string{said}
}

// bases returns the commits, by name, of what the work is compared with, and of the local branch if that is a
// remote's; none if the base is the branch itself, or is named by its distance from something that may move.
func (r *Runner) bases(ctx context.Context) map[string]string {
	given := ""
	if r.Checkout.Doc != nil {
		given = r.Checkout.Doc.Plan.Base
	}
	name, err := r.Checkout.Base(ctx, given)
	if err != nil || r.Checkout.OnBase(name) || name == "HEAD" || strings.ContainsAny(name, "~^:") ||
		strings.Contains(name, "@{") {
		return nil
	}
	out := map[string]string{}
	for _, n := range []string{name, strings.TrimPrefix(name, "origin/")} {
		if oid, err := r.Checkout.Repo.Resolve(ctx, n+"^{commit}"); n != "" && err == nil {
			out[n] = oid
		}
	}
	return out
}

// BasesTook names bases that gained commits of this branch since the session began: a review, which judges only what
// the base lacks, would not see them. A base that merely advanced has none. What a goal is measured by comes first.
func (w *Watch) BasesTook(ctx context.Context) (took []string, err error) {
	r := w.runner.Checkout.Repo
	if took, err = w.measured(ctx); err != nil {
		return nil, err
	}
	for name, now := range w.runner.bases(ctx) {
		was := w.bases[name]
		if was == "" || now == was {
			continue
		}
		head, err := r.Lookup(ctx, "refs/heads/"+w.runner.Checkout.Branch)
		if err != nil {
			return nil, err
		}
		taken, err := w.taken(ctx, now, was, cmp.Or(head, w.head))
		if err == nil && taken && w.target.Clone != nil {
			taken, err = w.branchHadFirst(ctx, now, was)
		}
		if err != nil {
			return nil, err
		}
		if taken {
			back := fmt.Sprintf("and was at %.10s", was) // if the name is ambiguous, too
			if ref, err := r.Output(ctx, "rev-parse", "--symbolic-full-name", name); err == nil && ref != "" {
				back = fmt.Sprintf("to put it back: git update-ref %s %.12s", visible.Shell(ref), was)
			}
			took = append(took, fmt.Sprintf("the base %s (it has commits of this branch now; %s)", visible.OneLine(name, 200), back))
		}
	}
	slices.Sort(took)
	return took, nil
}

// taken reports whether a base that moved from was to now has commits of head that it did not have.
func (w *Watch) taken(ctx context.Context, now, was, head string) (bool, error) {
	r := w.runner.Checkout.Repo
	if head == "" {
		return false, nil
	}
	shared, err := r.MergeBase(ctx, now, head)
	if shared == "" {
		return false, err
	}
	had, err := r.IsAncestor(ctx, shared, was)
	return !had, err
}

// branchHadFirst reports whether a base took the commits that it shares with HEAD from the branch. A person who
// rebases or merges while a session works in a clone takes them from the base: then the branch's reflog has no
// session, and none of the commits is a step.
func (w *Watch) branchHadFirst(ctx context.Context, now, was string) (bool, error) {
	own, known, err := w.runner.MadeBySession(ctx, w.head)
	if err != nil || own || !known {
		return true, err
	}
	if taken, err := w.taken(ctx, now, was, w.head); taken || err != nil {
		return true, err
	}
	commits, err := w.runner.Checkout.Repo.Log(ctx, now, "^"+was)
	return slices.ContainsFunc(commits, func(c git.Commit) bool {
		return strings.Contains(c.Message, "Plan-Step: "+w.target.Plan+"/")
	}), err
}

// workedOn reports whether another git plan works on a ref: a plan, or a branch with one.
func (r *Runner) workedOn(ref string) bool {
	id, ok := strings.CutPrefix(ref, journal.RefPrefix)
	if branch, isBranch := strings.CutPrefix(ref, "refs/heads/"); isBranch {
		id, ok = r.Checkout.Config.Get(integrity.PlanKey(branch))
	}
	if !ok {
		return false
	}
	h, busy := journal.Working(r.Checkout.Repo, id)
	return busy && h.PID != os.Getpid()
}
