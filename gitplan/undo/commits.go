package undo

import (
	"context"
	"fmt"
	"slices"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
)

const maxCommits = 200 // of one step

// commitsOf returns a step's commits, newest first, of which last is the newest: those right
// below it that name the step, and those without a name that were made between its start and the
// done event, including merges.
func (s *undoing) commitsOf(ctx context.Context, id string, done int, last string) ([]git.Commit, error) {
	all, err := s.Repo.Log(ctx, "--first-parent", fmt.Sprintf("--max-count=%d", maxCommits), last)
	if err != nil {
		return nil, err
	}
	made := s.madeFor(ctx, id, done, last)
	n := 1
	for n < len(all) && (made(all[n]) || checkout.NamesStep(all[n].Message, s.Doc.ID, id)) {
		n++
	}
	return all[:n], nil
}

// beside returns the commits that do a step in another line of history than the given one:
// another clone did it too, and was merged.
func (s *undoing) beside(ctx context.Context, id, commit string) ([]git.Commit, error) {
	others, err := s.Repo.Log(ctx, "--no-merges", commit+"..HEAD")
	if err != nil {
		return nil, err
	}
	noted := map[string]bool{}
	for i, e := range s.Doc.Events {
		if e.Kind == journal.Done && slices.Contains(e.Steps, id) && slices.ContainsFunc(others, func(c git.Commit) bool { return c.OID == e.Head }) {
			all, err := s.commitsOf(ctx, id, i, e.Head)
			if err != nil {
				return nil, err
			}
			for _, c := range all {
				noted[c.OID] = true
			}
		}
	}
	return slices.DeleteFunc(others, func(c git.Commit) bool {
		return !noted[c.OID] && !checkout.NamesStep(c.Message, s.Doc.ID, id)
	}), nil
}

// madeFor recognises the commits without a step's name that were made between the start
// of a step and its done event. A rebase gives them other names: if last is none
// of them, they are known by their messages.
func (s *undoing) madeFor(ctx context.Context, id string, done int, last string) func(git.Commit) bool {
	var since []git.Commit
	if i := slices.IndexFunc(s.Doc.Events, func(e journal.Event) bool {
		return e.Kind == journal.Done && e.Head == last && slices.Contains(e.Steps, id)
	}); i >= 0 {
		done = i // another clone has done it, too
	}
	e := s.Doc.Events[done]
	for _, began := range slices.Backward(s.Doc.Events[:done]) {
		if began.Kind == journal.Started && slices.Contains(began.Steps, id) {
			made := began.Head + ".." + e.Head
			if began.Head == journal.None {
				made = e.Head
			}
			since, _ = s.Repo.Log(ctx, made) // none of commits that are gone since
			break
		}
	}
	name := func(c git.Commit) string { return c.OID }
	if !slices.ContainsFunc(since, func(c git.Commit) bool { return c.OID == last }) {
		name = func(c git.Commit) string { return c.Message }
	}
	return func(c git.Commit) bool {
		return len(journal.NamedPlans(c.Message)) == 0 && slices.ContainsFunc(since, func(m git.Commit) bool { return name(m) == name(c) })
	}
}
