package work

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/place"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/site"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Judge decides whether an attempt whose session says done is done. A commit hook that formats
// often refuses the commit and leaves the files formatted: these are then judged and committed,
// once, as a person would add them and try again.
func (a *Attempt) Judge(ctx context.Context, left *place.Leftover) error {
	notices := slices.Clone(a.out.Reported)
	refused, err := a.judgeOnce(ctx, left)
	if err != nil || refused == "" {
		return err
	}
	if err := a.p.LookAgain(ctx, left); err != nil {
		return err
	}
	tree, err := worktree.Stage(ctx, a.p.Tree(), left.Paths())
	if err != nil || tree == refused {
		return err
	}
	if left.Formats { // else the hook refused, and must see the files as they were
		left.Formatted, notices = tree, append(notices, "a commit hook changed what was to be committed; that was checked, too")
	}
	a.out.Status, a.out.Reason, a.out.Reported = agent.Done, "", notices
	_, err = a.judgeOnce(ctx, left)
	return err
}

// judgeOnce returns the tree if nothing but git commit refused it.
func (a *Attempt) judgeOnce(ctx context.Context, left *place.Leftover) (refused string, err error) {
	a.uncommitted = false
	reason, hopeless, notice := a.p.Uncommittable(a.t.asked(), left)
	if reason != "" {
		a.out.Hopeless = hopeless
		a.out.Fail("%s", reason)
		return "", nil
	}
	if notice != "" {
		a.out.Reported = append(a.out.Reported, notice)
	}
	if left.Empty() && a.t.Role == agent.Fixer && a.t.passed(a.try) { // nobody was asked to fix what is wrong now
		a.out.Fail("the work that waited is already on the branch")
		return "", nil
	}
	if left.Empty() && !a.t.Unchanged {
		a.out.Fail("the session changed nothing")
		return "", nil
	}
	tree, err := a.toCommit(ctx, left)
	if err != nil || tree == "" {
		return "", err
	}
	if tree, err = a.land(ctx, tree, left); err != nil || tree == "" {
		return "", err
	}
	if err := a.commit(ctx, tree, left); err != nil || a.out.Status == agent.Done {
		return "", err
	}
	return tree, nil
}

// toCommit returns the tree to commit, which passed all checks and guards; "" if there is none.
func (a *Attempt) toCommit(ctx context.Context, left *place.Leftover) (tree string, err error) {
	tree, err = a.checked(ctx, left)
	if err != nil || a.out.Status != agent.Done {
		return "", err
	}
	a.out.Tree, a.out.Accepted = tree, a.lenient
	if err := a.sawTests(ctx); err != nil || a.out.Status != agent.Done {
		return "", err
	}
	change, err := a.p.Changeset(ctx, tree)
	if err != nil {
		return "", err
	}
	if links := place.Gitlinks(change.Diff); len(links) > 0 {
		a.out.Fail("%s is a repository of its own: its files are not committed here", visible.Few(links))
		return "", nil
	}
	if len(change.Diff.Files) == 0 {
		a.out.Commit = journal.None
		if !a.t.Unchanged {
			a.out.Fail("the session changed nothing")
			return "", nil
		}
		return "", a.guard(ctx, change) // it may have been asked to change something
	}
	if a.t.Role == agent.Executor && !a.t.Unchanged {
		if reason := noWork(change, a.t.Files, a.w.Doc.Imported()); reason != "" {
			a.out.Fail("%s", reason)
			return "", nil
		}
	}
	if err := a.guard(ctx, change); err != nil || a.out.Status != agent.Done {
		return "", err
	}
	return tree, nil
}

// guard has the task look at what would be committed.
func (a *Attempt) guard(ctx context.Context, change place.Changeset) error {
	if a.t.Guard == nil {
		return nil
	}
	a.out.Result.Drift = slices.DeleteFunc(a.out.Result.Drift, func(d agent.Drift) bool { return !change.Touches(d.File) })
	change.Declared, change.ByHand = a.out.Result.Drift, !a.t.asked().Session
	said, err := a.t.Guard(ctx, change)
	if err != nil {
		return err
	}
	for _, text := range said.Reported {
		if !slices.Contains(a.out.Reported, text) {
			a.out.Reported = append(a.out.Reported, text)
		}
	}
	a.unexplained = said.Unexplained
	if len(said.Failing) > 0 {
		a.out.Fail("%s", strings.Join(said.Failing, "\n"))
	}
	return nil
}

// checked runs the task's checks and returns the tree that passed them, staged. Files that a
// check itself adds are left out, but its changes of tracked files are in: many checks format.
func (a *Attempt) checked(ctx context.Context, left *place.Leftover) (tree string, err error) {
	if len(a.t.Checks) == 0 {
		return a.stage(ctx, left.Paths())
	}
	if a.unchecked != nil {
		return "", a.unchecked
	}
	if a.accepted != "" {
		if tree, err = a.stage(ctx, left.Paths()); err != nil || a.out.Status != agent.Done || tree == a.accepted {
			return tree, err
		}
	}
	paths, failure, err := a.p.Try(ctx, a.watch, a.t.Name, a.t.asked(), left, &a.out.Ending, a.RunChecks)
	if err != nil {
		return "", err
	}
	var f *site.CheckFailure
	if errors.As(failure, &f) {
		if a.t.Agent != nil { // a person was shown what it printed
			failure = explain(failure)
		}
		a.out.Fail("%s", failure)
		return "", nil
	}
	if failure != nil || a.out.Status != agent.Done {
		return "", failure
	}
	return a.stage(ctx, paths)
}

// stage stages paths. If git refuses some, say because of line endings, another session may fix that.
func (a *Attempt) stage(ctx context.Context, paths []string) (tree string, err error) {
	tree, err = worktree.Stage(ctx, a.p.Tree(), paths)
	var refused *git.Error
	if errors.As(err, &refused) && refused.Code == git.Died && !errors.Is(err, git.ErrLocked) && !errors.Is(err, git.ErrConfined) {
		a.out.Fail("%s", refusal("git refuses to add what it did", refused.Stderr))
		return "", nil
	}
	return tree, err
}

// slowCommit is how long git commit may take before the person reads what is
// being waited for: hooks that run a test suite take minutes.
const slowCommit = 3 * time.Second

// commit makes the one commit, after an event that says what is about to be committed: after a
// crash in between, the next command commits it from that.
func (a *Attempt) commit(ctx context.Context, tree string, left *place.Leftover) error {
	message := a.message()
	defer func() {
		if a.out.Commit == "" { // else whoever settles it keeps the turn until it is ticked
			a.w.Turn.Give()
		}
	}()
	if err := a.p.NoteCommit(tree, message); err != nil {
		return err
	}
	e := a.event(journal.Checked)
	e.Tree, e.Tokens, e.Cost, e.Took = tree, agent.Tokens{}, agent.Cost{}, 0 // counted once, by done
	if err := a.record(ctx, e); err != nil {
		return err
	}
	return a.p.Land(ctx, tree, &a.out.Ending, func() error { return a.GitCommit(ctx, tree, left) })
}

// message is the message of the commit, from what the session said of its work.
func (a *Attempt) message() string {
	r := a.out.Result
	if a.finished != nil {
		r = *a.finished
	}
	return a.w.Masked(journal.CommitMessage(r.Subject, a.t.Subject, cmp.Or(a.folded, r.Summary), a.t.Trailer))
}

// GitCommit commits what was noted and is in the work tree.
func (a *Attempt) GitCommit(ctx context.Context, tree string, left *place.Leftover) error {
	said := &proc.Tail{}
	defer time.AfterFunc(slowCommit, func() {
		n := journal.About(a.t.Name, a.t.Role, a.try.N).Of(journal.SessionText, "")
		n.Reason = "git commit and its hooks"
		a.w.Report(n)
	}).Stop()
	defer a.w.lendToSign()()
	if err := journal.FreeOfLocks(a.w.Repo, time.Time{}); err != nil {
		return err
	}
	err := a.p.Commit(ctx, left.Formatted, said)
	if errors.Is(err, git.ErrLocked) {
		return err
	}
	if left.Formats = errors.Is(err, site.ErrFormatted); left.Formats {
		a.out.Fail("%s", err)
		return nil
	}
	if code := git.Code(err); code > 0 {
		if now, err := a.w.Repo.ReadCommit(ctx, "HEAD"); err == nil && now.Tree == tree && now.OID != a.p.Before.Head {
			a.out.Hopeless = true
			a.out.Fail("commit %.10s, made in the meantime, already has this step's files; if it completes the step, tick its box: git plan edit", now.OID)
			return nil
		}
		a.uncommitted = true
		a.out.Hopeless = code == git.Died // git could not sign, say, or not run a hook; if a hook refuses, the code is 1
		a.out.Fail("%s", refusal("git commit was refused", said.String()))
		return nil
	}
	if err != nil {
		return err
	}
	made, err := a.w.Repo.ReadCommit(ctx, "HEAD")
	if err != nil {
		return err
	}
	if made.OID == a.p.Before.Head {
		a.out.Fail("%s", refusal("git commit made no commit", said.String()))
		return nil
	}
	a.out.Commit = made.OID
	if made.Tree != tree {
		a.out.Reported = append(a.out.Reported, "a commit hook changed what was committed, after the checks")
	}
	return nil
}

// refusal returns a reason with what git and the hooks said. Its first line, which is often all
// that is shown, ends with their last one, in which most of them say why.
func refusal(what, said string) string {
	said = strings.TrimSpace(said)
	var lines []string
	for line := range strings.Lines(said) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) > 0 {
		what += ": " + strings.Join(lines[max(0, len(lines)-2):], "; ")
	}
	if len(lines) > 2 {
		what += "\n" + said
	}
	return what
}
