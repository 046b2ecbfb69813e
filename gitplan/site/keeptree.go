package site

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// KeepTree commits a tree under the next free ref of a task's attempts.
func (s *Site) KeepTree(ctx context.Context, tree string, parents []string, name, reason string) (string, error) {
	who, err := s.Store.Who(ctx)
	if err != nil {
		return "", err
	}
	message := fmt.Sprintf(KeptSubject+"%s, kept\n\n%s\n", name, strings.TrimSpace(reason))
	commit, err := s.Repo.WriteCommit(ctx, tree, parents, who, who, message)
	if err != nil {
		return "", err
	}
	return s.KeepCommit(ctx, commit, name)
}

// KeepCommit puts a commit under the next ref of a task's attempts: one that no
// attempt ever had.
func (s *Site) KeepCommit(ctx context.Context, commit, name string) (string, error) {
	owner := ownerOf(s.Checkout)
	prefix := journal.AttemptPrefix + owner + "/" + name + "/"
	refs, err := s.Repo.Refs(ctx, prefix)
	if err != nil {
		return "", err
	}
	n := prunedAttempts(s.Repo, owner)[name]
	for _, r := range refs {
		_, number := parseAttempt(r.Name)
		n = max(n, number)
	}
	for n++; ; n++ {
		ref := fmt.Sprintf("%s%d", prefix, n)
		err := s.Repo.UpdateRef(ctx, ref, commit, "", "plan: attempt kept")
		if !errors.Is(err, git.ErrMoved) {
			return ref, err
		}
	}
}

// ownerOf returns under whose name attempts are kept: the plan's, or that of reviews without one.
func ownerOf(c *checkout.Checkout) string {
	if c.Doc == nil {
		return "none"
	}
	return c.Doc.ID
}

const (
	KeptSubject = "attempt at " // begins the message of a commit that only keeps something
)

// parseAttempt splits the name of a kept attempt, or its ref, into task and number.
func parseAttempt(name string) (task string, n int) {
	at := strings.LastIndexByte(name, '/')
	n, _ = strconv.Atoi(name[at+1:])
	return name[:max(at, 0)], n
}

// prunedAttempts returns the highest numbers of removed attempts, by task. They are noted so that
// what a message once named never means another attempt.
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

func prunedPath(r *git.Repo, id string) string { return r.PlanDir(id, "pruned.json") }
