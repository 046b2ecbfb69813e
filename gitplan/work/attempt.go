package work

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/place"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/setup"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Judge decides whether an attempt whose session says done is done. A commit hook
// that formats often refuses the commit and leaves the files as it wants them:
// these are then judged and committed, once, as a person adds them and tries again.
func (w *Worker) Judge(ctx context.Context, t Task, try prompt.Attempt, untouched setup.Setup, left *place.Leftover, out *Outcome) error {
	told := slices.Clone(out.Reported)
	refused, err := w.judgeOnce(ctx, t, try, untouched, left, out)
	if err != nil || refused == "" {
		return err
	}
	if left.Status, err = w.Look(ctx); err != nil {
		return err
	}
	left.Added = w.Added(left.Status)
	tree, err := w.Tree().Stage(ctx, left.Paths())
	if err != nil || tree == refused {
		return err
	}
	if left.Formats { // else the hook refused, and is to see what it wants
		left.Formatted, told = tree, append(told, "a commit hook changed what was to be committed; that was checked, too")
	}
	out.Status, out.Reason, out.Reported = agent.Done, "", told
	_, err = w.judgeOnce(ctx, t, try, untouched, left, out)
	return err
}

// judgeOnce returns the tree where nothing but git commit refused it.
func (w *Worker) judgeOnce(ctx context.Context, t Task, try prompt.Attempt, untouched setup.Setup, left *place.Leftover, out *Outcome) (refused string, err error) {
	if inside := w.inside(left.Status); len(inside) > 0 {
		out.Fail("%s is a submodule: what was changed in it is not committed there", visible.OneLine(inside[0], 200))
		return "", nil
	}
	if nested := w.Nested(left.Status); len(nested) > 0 {
		out.Fail("%s is a repository of its own: its files are not committed here", visible.Few(nested))
		return "", nil
	}
	if reason, hopeless := w.OutOfSight(t.asked(), left); reason != "" {
		out.Hopeless = hopeless
		out.Fail("%s", reason)
		return "", nil
	}
	if found := w.Shadowing(left.Status); len(found) > 0 {
		out.Fail("%s would be run in place of the system's own, and git ignores it: remove it", visible.Few(found))
		return "", nil
	}
	if found := w.GoneBy(t.asked(), left.Status); len(found) > 0 {
		out.Reported = append(out.Reported, "a check goes by "+visible.Few(found)+", which git ignores and the session wrote: no other clone has it")
	}
	if left.Empty() && t.Role == agent.Fixer && t.passed(try) { // nobody was asked for what is wrong now
		out.Fail("what waited is on the branch already")
		return "", nil
	}
	if left.Empty() && !t.Unchanged {
		out.Fail("the session changed nothing")
		return "", nil
	}
	tree, err := w.checked(ctx, t, untouched, left, out)
	if err != nil || out.Status != agent.Done {
		return "", err
	}
	change, err := w.Changeset(ctx, tree)
	if err != nil {
		return "", err
	}
	if links := place.Gitlinks(change.Diff); len(links) > 0 {
		out.Fail("%s is a repository of its own: its files are not committed here", visible.Few(links))
		return "", nil
	}
	if len(change.Diff.Files) == 0 {
		out.Commit = journal.None
		if !t.Unchanged {
			out.Fail("the session changed nothing")
			return "", nil
		}
		return "", w.inspect(ctx, t, change, out) // it may have been asked to change something
	}
	if t.Role == agent.Executor && !t.Unchanged {
		if reason := noWork(change, t.Files, w.Doc.Imported()); reason != "" {
			out.Fail("%s", reason)
			return "", nil
		}
	}
	if err := w.inspect(ctx, t, change, out); err != nil || out.Status != agent.Done {
		return "", err
	}
	if err := w.commit(ctx, t, try, tree, left, out); err != nil || out.Status == agent.Done {
		return "", err
	}
	return tree, nil
}

// inspect has the task look at what would come into the history.
func (w *Worker) inspect(ctx context.Context, t Task, change place.Changeset, out *Outcome) error {
	if t.Inspect == nil {
		return nil
	}
	failing, reported, err := t.Inspect(ctx, change)
	if err != nil {
		return err
	}
	for _, text := range reported {
		if !slices.Contains(out.Reported, text) {
			out.Reported = append(out.Reported, text)
		}
	}
	if len(failing) > 0 {
		out.Fail("%s", strings.Join(failing, "\n"))
	}
	return nil
}

// checked runs the task's checks and returns the tree that passed them, staged.
// Files that a check itself writes are no part of it, but what it changes in
// tracked ones is: many checks format.
func (w *Worker) checked(ctx context.Context, t Task, untouched setup.Setup, left *place.Leftover, out *Outcome) (tree string, err error) {
	if len(t.Checks) == 0 {
		return w.stage(ctx, left.Paths(), out)
	}
	if w.passed != "" {
		if tree, err = w.stage(ctx, left.Paths(), out); err != nil || out.Status != agent.Done || tree == w.passed {
			return tree, err
		}
	}
	failure := w.JudgedAsCommitted(ctx, t.asked(), left.Status, func(ctx context.Context) error { return w.Judged(ctx, t) })
	if ctx.Err() != nil {
		return "", failure
	}
	after, err := w.InPlace(context.WithoutCancel(ctx), t.Name, untouched, &out.Ending)
	if err != nil || after == nil {
		return "", err
	}
	added := w.withoutByproducts(left.Added, after.Added)
	w.withoutByproducts(w.inside(left.Status), w.inside(after.Status))
	w.ByChecks(left.Status, after.Status)
	var f *place.CheckFailure
	if errors.As(failure, &f) {
		if t.Agent != nil { // a person was shown what it printed
			failure = explain(failure)
		}
		out.Fail("%s", failure)
		return "", nil
	}
	if failure != nil || out.Status != agent.Done {
		return "", failure
	}
	return w.stage(ctx, append(after.Status.Unstaged(), added...), out)
}

// stage stages paths. What git refuses, for its line ends say, another session may mend.
func (w *Worker) stage(ctx context.Context, paths []string, out *Outcome) (tree string, err error) {
	tree, err = w.Tree().Stage(ctx, paths)
	var refused *git.Error
	if errors.As(err, &refused) && refused.Code == git.Died && !errors.Is(err, git.ErrLocked) {
		out.Fail("%s", refusal("git refuses to add what it did", refused.Stderr))
		return "", nil
	}
	return tree, err
}

// inside are the submodules that hold what a session left there uncommitted: no commit
// here can have it.
func (w *Worker) inside(s *git.Status) (out []string) {
	for _, p := range s.Inside {
		if !w.Byproducts[p] && !slices.Contains(w.Before.Inside, p) {
			out = append(out, p)
		}
	}
	return out
}

// withoutByproducts notes the files that came while checks ran, and returns
// those of the session that are still there.
func (w *Worker) withoutByproducts(before, after []string) []string {
	var out []string
	for _, p := range after {
		if slices.Contains(before, p) {
			out = append(out, p)
		} else {
			w.Byproducts[p] = true
		}
	}
	return out
}

// slowCommit is how long git commit may take before the person is told what is
// being waited for: hooks that run a test suite take minutes.
const slowCommit = 3 * time.Second

// commit makes the one commit, after an event that says what is about to be committed: a
// crash in between is healed from it.
func (w *Worker) commit(ctx context.Context, t Task, try prompt.Attempt, tree string, left *place.Leftover, out *Outcome) error {
	subject, body := out.Result.Subject, out.Result.Summary
	if n := len(left.Folded); n > 0 {
		body = left.Folded[n-1].Message
	}
	message := journal.CommitMessage(subject, t.Subject, body, t.Trailer)
	w.Own.Head, w.Own.Tree, w.Own.Message = journal.OrNone(w.Before.Head), tree, message
	if err := w.NoteProgress(); err != nil {
		return err
	}
	e := w.ended(journal.Checked, try, *out)
	e.Tree, e.Tokens, e.Cost, e.Took = tree, agent.Tokens{}, agent.Cost{}, 0 // counted once, by done
	if err := w.record(ctx, t, e); err != nil {
		return err
	}
	if w.Clone == nil {
		return w.GitCommit(ctx, t, try, tree, left, out)
	}
	return w.ThroughWorkTree(ctx, tree, &out.Ending, func() error { return w.GitCommit(ctx, t, try, tree, left, out) })
}

// GitCommit commits what was noted and is in the work tree.
func (w *Worker) GitCommit(ctx context.Context, t Task, try prompt.Attempt, tree string, left *place.Leftover, out *Outcome) error {
	said := &proc.Tail{}
	defer time.AfterFunc(slowCommit, func() {
		n := journal.About(t.Name, t.Role, try.N).Of(journal.SessionText, "")
		n.Reason = "git commit, whose hooks take their time"
		w.Tell(n)
	}).Stop()
	if w.Lend != nil && w.Config.Git.Bool("commit.gpgsign", false) {
		defer w.Lend()()
	}
	if err := journal.FreeOfLocks(w.Repo, time.Time{}); err != nil {
		return err
	}
	err := w.MakeCommit(ctx, left.Formatted, said)
	if errors.Is(err, git.ErrLocked) {
		return err
	}
	if left.Formats = errors.Is(err, place.ErrFormatted); left.Formats {
		out.Fail("%s", err)
		return nil
	}
	if code := git.Code(err); code > 0 {
		out.Hopeless = code == git.Died // it could not sign, say; where a hook refuses it is 1
		out.Fail("%s", refusal("git commit was refused", said.String()))
		return nil
	}
	if err != nil {
		return err
	}
	made, err := w.Repo.ReadCommit(ctx, "HEAD")
	if err != nil {
		return err
	}
	if made.OID == w.Before.Head {
		out.Fail("%s", refusal("git commit made no commit", said.String()))
		return nil
	}
	out.Commit = made.OID
	if made.Tree != tree {
		out.Reported = append(out.Reported, "a commit hook changed what was committed, after the checks")
	}
	return nil
}

// refusal is a reason with what git and the hooks said: its first line, which is
// often all that is shown, has the end of that, where most of them say why.
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
