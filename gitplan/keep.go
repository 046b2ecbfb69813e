package gitplan

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// diffSoFar is what is changed against the task's beginning, as text for the
// next session.
func (w *Worker) diffSoFar(ctx context.Context) (string, error) {
	if w.before.Head != "" {
		// What a refused commit had staged is only in the tree again.
		if err := w.tree().Run(ctx, git.Command{Args: []string{"reset", "--quiet"}, Writes: true}); err != nil {
			return "", err
		}
	}
	s, err := w.tree().Status(ctx)
	if err != nil {
		return "", err
	}
	left := &leftover{status: s, added: w.added(s)}
	if left.empty() {
		return "", nil
	}
	tree, err := w.tree().Snapshot(ctx, left.added)
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
	s, err := w.tree().Status(ctx)
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

const (
	attemptPrefix = "refs/plan-attempts/"
	keptSubject   = "attempt at " // begins the message of what is committed only to be kept
)

func (w *Worker) keepAt(ctx context.Context, s *git.Status, name, reason string) (string, error) {
	left := &leftover{status: s, added: w.added(s)}
	if left.empty() && s.Head == w.before.Head {
		return "", nil
	}
	tree, err := w.tree().Snapshot(ctx, left.added)
	if err != nil {
		return "", err
	}
	var parents []string
	if s.Head != "" {
		parents = []string{s.Head}
	}
	if w.before.Head != "" && s.Head != w.before.Head { // what it changed is what it committed, too
		parents = append([]string{w.before.Head}, parents...)
	}
	return w.keepTree(ctx, tree, parents, name, reason)
}

// keepTree commits a tree under the next free ref of a task's attempts.
func (w *Worker) keepTree(ctx context.Context, tree string, parents []string, name, reason string) (string, error) {
	who, err := w.Store.who(ctx)
	if err != nil {
		return "", err
	}
	message := fmt.Sprintf(keptSubject+"%s, kept\n\n%s\n", name, strings.TrimSpace(reason))
	commit, err := w.Repo.WriteCommit(ctx, tree, parents, who, who, message)
	if err != nil {
		return "", err
	}
	return w.keepCommit(ctx, commit, name)
}

// keepCommit puts a commit under the next ref of a task's attempts: one that no
// attempt ever had.
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
	n := prunedAttempts(w.Repo, owner)[name]
	for _, r := range refs {
		_, number := parseAttempt(r.Name)
		n = max(n, number)
	}
	for n++; ; n++ {
		ref := fmt.Sprintf("%s%d", prefix, n)
		err := w.Repo.UpdateRef(ctx, ref, commit, "", "plan: attempt kept")
		if !errors.Is(err, git.ErrMoved) {
			return ref, err
		}
	}
}
