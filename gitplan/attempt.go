package gitplan

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// leftover is what a session left in the tree.
type leftover struct {
	status  *git.Status
	added   []string // untracked files that are new since the task began
	message string   // of the session's own last commit, which was folded back
}

func (l *leftover) empty() bool { return l.status.Clean() && len(l.added) == 0 }

func (l *leftover) paths() []string { return append(l.status.Paths(), l.added...) }

// afterSession looks at the place before it looks at the work: the session must
// still be on its branch, HEAD must descend from where it was, and the plan and
// the repository's set-up must be untouched. What the session committed itself
// is folded back into the tree.
func (w *Worker) afterSession(ctx context.Context, t Task, untouched setup, out *Outcome) (*leftover, error) {
	status, err := w.Repo.Status(ctx)
	if err != nil {
		return nil, err
	}
	strayed, err := w.strayed(ctx, status)
	if err != nil {
		return nil, err
	}
	if strayed != "" {
		out.Status, out.Reason = agent.Failed, "tampering: "+strayed
		if out.Kept, err = w.putBack(ctx, t, status, out.Reason); err != nil {
			return nil, err
		}
	}
	if changed := untouched.changed(readSetup(w.Repo, w.Config, w.Branch)); len(changed) > 0 {
		out.Status, out.SetupChanged = agent.Failed, changed
		out.Reason = "tampering: the session changed " + strings.Join(changed, ", ")
	}
	if err := w.restorePlan(ctx, out); err != nil || strayed != "" {
		return nil, err
	}
	left := &leftover{status: status}
	if status.Head != w.before.Head {
		if left.message, err = w.fold(ctx, status); err != nil {
			return nil, err
		}
		if left.status, err = w.Repo.Status(ctx); err != nil {
			return nil, err
		}
	}
	if left.status, err = w.disown(ctx, left.status); err != nil {
		return nil, err
	}
	left.added = w.added(left.status)
	return left, nil
}

// strayed says how HEAD is not where a session may leave it, or nothing.
func (w *Worker) strayed(ctx context.Context, s *git.Status) (string, error) {
	if s.Branch != w.Branch {
		return fmt.Sprintf("the session left branch %s", w.Branch), nil
	}
	if s.Head == w.before.Head || w.before.Head == "" {
		return "", nil
	}
	if s.Head == "" {
		return "the session deleted the branch", nil
	}
	ok, err := w.Repo.IsAncestor(ctx, w.before.Head, s.Head)
	if err != nil || ok {
		return "", err
	}
	return fmt.Sprintf("the session rewound branch %s", w.Branch), nil
}

// putBack returns HEAD and the branch to where they were, after what the
// session left has been kept.
func (w *Worker) putBack(ctx context.Context, t Task, s *git.Status, reason string) (kept string, err error) {
	if kept, err = w.keepAt(ctx, s, t.Name, reason); err != nil {
		return "", err
	}
	ref := "refs/heads/" + w.Branch
	now, err := w.Repo.Resolve(ctx, ref)
	if err != nil && !errors.Is(err, git.ErrMissing) {
		return kept, err
	}
	if now != w.before.Head {
		if err := w.Repo.UpdateRef(ctx, ref, w.before.Head, now, "plan: put back after a session"); err != nil {
			return kept, err
		}
	}
	if err := w.Repo.Run(ctx, git.Command{Args: []string{"symbolic-ref", "HEAD", ref}}); err != nil {
		return kept, err
	}
	if w.Doc != nil { // deleting a branch deletes its keys
		if id, err := w.Repo.Output(ctx, "config", "--get", planKey(w.Branch)); err != nil || id != w.Doc.ID {
			if err := w.Attach(ctx, w.Doc.ID); err != nil {
				return kept, err
			}
		}
	}
	return kept, w.restore(ctx, w.added(s))
}

// restorePlan puts the plan's ref back if the session moved it. The moved value
// stays in the ref's reflog. No other git plan writes while we hold the lock.
func (w *Worker) restorePlan(ctx context.Context, out *Outcome) error {
	if w.Doc == nil {
		return nil
	}
	now, err := w.Repo.Resolve(ctx, refPrefix+w.Doc.ID)
	if err != nil && !errors.Is(err, git.ErrMissing) {
		return err
	}
	if now == w.Doc.Tip {
		return nil
	}
	out.Status = agent.Failed
	out.Reason = fmt.Sprintf("tampering: the session moved the plan to %s", orNone(now))
	return w.Repo.UpdateRef(ctx, refPrefix+w.Doc.ID, w.Doc.Tip, now, "plan: put back after a session")
}

// fold takes what a session committed itself back into the index; its last
// message is kept.
func (w *Worker) fold(ctx context.Context, s *git.Status) (message string, err error) {
	c, err := w.Repo.ReadCommit(ctx, s.Head)
	if err != nil {
		return "", err
	}
	if w.before.Head == "" { // the branch was unborn, and is again
		return c.Message, w.Repo.DeleteRef(ctx, "refs/heads/"+w.Branch, s.Head, "plan: folded into the step")
	}
	return c.Message, w.Repo.ResetSoft(ctx, w.before.Head)
}

// judge decides whether an attempt whose session says done is done.
func (w *Worker) judge(ctx context.Context, t Task, try Attempt, left *leftover, out *Outcome) error {
	if left.empty() && !t.Unchanged {
		return out.fail("the session changed nothing")
	}
	tree, err := w.checked(ctx, t, left, out)
	if err != nil || out.Status != agent.Done {
		return err
	}
	change, err := w.changeset(ctx, tree)
	if err != nil {
		return err
	}
	if len(change.Diff.Files) == 0 {
		out.Commit = None
		if !t.Unchanged {
			return out.fail("the session changed nothing")
		}
		return nil
	}
	if t.Inspect != nil {
		failing, reported, err := t.Inspect(ctx, change)
		if err != nil {
			return err
		}
		out.Reported = append(out.Reported, reported...)
		if len(failing) > 0 {
			return out.fail("%s", strings.Join(failing, "\n"))
		}
	}
	return w.commit(ctx, t, try, tree, left, out)
}

// checked runs the task's checks and returns the tree that passed them, staged.
// Files that a check itself writes are no part of it, but what it changes in
// tracked ones is: many checks format.
func (w *Worker) checked(ctx context.Context, t Task, left *leftover, out *Outcome) (tree string, err error) {
	if w.passed != "" {
		if tree, err = w.Repo.Stage(ctx, left.added); err != nil || tree == w.passed {
			return tree, err
		}
	}
	if err := w.checks(t.Name).Run(ctx, t.Checks); err != nil {
		var f *CheckFailure
		if errors.As(err, &f) {
			return "", out.fail("%s", explain(err))
		}
		return "", err
	}
	return w.Repo.Stage(ctx, left.added)
}

func (w *Worker) changeset(ctx context.Context, tree string) (Changeset, error) {
	from := w.Repo.EmptyTree()
	if w.before.Head != "" {
		from = w.before.Head
	}
	d, err := w.Repo.Diff(ctx, from, tree)
	return Changeset{Head: w.before.Head, Tree: tree, Diff: d}, err
}

// commit makes the one commit, after an event that says what is about to be
// committed: a crash in between is healed from it.
func (w *Worker) commit(ctx context.Context, t Task, try Attempt, tree string, left *leftover, out *Outcome) error {
	e := w.ended(Checked, try, *out)
	e.Tree, e.Tokens, e.Cost, e.Took = tree, agent.Tokens{}, agent.Cost{}, 0 // counted once, by done
	if err := w.record(ctx, t, e); err != nil {
		return err
	}
	subject, body := t.Subject, out.Result.Summary
	if out.Result.Subject != "" {
		subject = out.Result.Subject
	}
	if left.message != "" {
		body = left.message
	}
	w.own.Message = commitMessage(subject, body, t.Trailer)
	if err := w.noteProgress(); err != nil {
		return err
	}
	said := &proc.Tail{}
	err := w.Repo.Commit(ctx, w.own.Message, said)
	if git.Code(err) > 0 {
		return out.fail("git commit was refused:\n%s", said.String())
	}
	if err != nil {
		return err
	}
	head, err := w.Repo.Resolve(ctx, "HEAD^{commit}")
	if err != nil {
		return err
	}
	if head == w.before.Head {
		return out.fail("git commit made no commit:\n%s", said.String())
	}
	out.Commit = head
	return nil
}

// fail makes an outcome a failed one, with its reason.
func (o *Outcome) fail(format string, args ...any) error {
	o.Status, o.Reason = agent.Failed, fmt.Sprintf(format, args...)
	return nil
}

// added are the untracked files that are new since the task began. A nested
// repository, which git lists as a folder, is never taken.
func (w *Worker) added(s *git.Status) []string {
	var out []string
	for _, p := range s.Untracked {
		if !w.isOwn(p) && !w.byproducts[p] && !strings.HasSuffix(p, "/") {
			out = append(out, p)
		}
	}
	return out
}

// diffSoFar is what is changed against the task's beginning, as text for the
// next session.
func (w *Worker) diffSoFar(ctx context.Context) (string, error) {
	if w.before.Head != "" {
		// What a refused commit had staged is only in the tree again.
		if err := w.Repo.Run(ctx, git.Command{Args: []string{"reset", "--quiet"}}); err != nil {
			return "", err
		}
	}
	s, err := w.Repo.Status(ctx)
	if err != nil {
		return "", err
	}
	left := &leftover{status: s, added: w.added(s)}
	if left.empty() {
		return "", nil
	}
	tree, err := w.Repo.Snapshot(ctx, w.before.Head, left.paths())
	if err != nil {
		return "", err
	}
	patch := &proc.Tail{Size: 2 * proc.DefaultTail}
	err = w.Repo.Patch(ctx, patch, w.before.Head, tree)
	return patch.String(), err
}

// keep commits what is in the tree (changes of tracked files and new files,
// never ignored ones) under a ref of its own and then puts the tree back.
// Nothing to keep is an empty ref.
func (w *Worker) keep(ctx context.Context, name, reason string) (ref string, err error) {
	s, err := w.Repo.Status(ctx)
	if err != nil {
		return "", err
	}
	if s, err = w.disown(ctx, s); err != nil {
		return "", err
	}
	if ref, err = w.keepAt(ctx, s, name, reason); err != nil || ref == "" {
		return "", err
	}
	return ref, w.restore(ctx, w.added(s))
}

const attemptPrefix = "refs/plan-attempts/"

func (w *Worker) keepAt(ctx context.Context, s *git.Status, name, reason string) (string, error) {
	left := &leftover{status: s, added: w.added(s)}
	if left.empty() && s.Head == w.before.Head {
		return "", nil
	}
	tree, err := w.Repo.Snapshot(ctx, s.Head, left.paths())
	if err != nil {
		return "", err
	}
	var parents []string
	if s.Head != "" {
		parents = []string{s.Head}
	}
	return w.keepTree(ctx, tree, parents, name, reason)
}

// keepTree commits a tree under the next free ref of a task's attempts.
func (w *Worker) keepTree(ctx context.Context, tree string, parents []string, name, reason string) (string, error) {
	who, err := w.Store.who(ctx)
	if err != nil {
		return "", err
	}
	message := fmt.Sprintf("attempt at %s, kept\n\n%s\n", name, strings.TrimSpace(reason))
	commit, err := w.Repo.WriteCommit(ctx, tree, parents, who, who, message)
	if err != nil {
		return "", err
	}
	return w.keepCommit(ctx, commit, name)
}

// keepCommit puts a commit under the next free ref of a task's attempts.
func (w *Worker) keepCommit(ctx context.Context, commit, name string) (string, error) {
	owner := "none"
	if w.Doc != nil {
		owner = w.Doc.ID
	}
	prefix := attemptPrefix + owner + "/" + name + "/"
	refs, err := w.Repo.Refs(ctx, prefix)
	if err != nil {
		return "", err
	}
	for n := len(refs) + 1; ; n++ {
		ref := fmt.Sprintf("%s%d", prefix, n)
		err := w.Repo.UpdateRef(ctx, ref, commit, "", "plan: attempt kept")
		if !errors.Is(err, git.ErrMoved) {
			return ref, err
		}
	}
}
