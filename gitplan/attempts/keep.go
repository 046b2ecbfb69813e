package attempts

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

// Keep commits a tree under the next free ref of a task's attempts.
func Keep(ctx context.Context, c *checkout.Checkout, tree string, parents []string, name, reason string) (string, error) {
	who, err := c.Store.Who(ctx)
	if err != nil {
		return "", err
	}
	message := fmt.Sprintf(Subject+"%s, kept\n\n%s\n", name, strings.TrimSpace(reason))
	commit, err := c.Repo.WriteCommit(ctx, tree, parents, who, who, message)
	if err != nil {
		return "", err
	}
	return KeepCommit(ctx, c, commit, name)
}

// KeepCommit puts a commit under the next ref of a task's attempts: one that no
// attempt ever had.
func KeepCommit(ctx context.Context, c *checkout.Checkout, commit, name string) (string, error) {
	owner := Owner(c)
	prefix := journal.AttemptPrefix + owner + "/" + name + "/"
	refs, err := c.Repo.Refs(ctx, prefix)
	if err != nil {
		return "", err
	}
	n := prunedAttempts(c.Repo, owner)[name]
	for _, r := range refs {
		_, number := parseAttempt(r.Name)
		n = max(n, number)
	}
	for n++; ; n++ {
		ref := fmt.Sprintf("%s%d", prefix, n)
		err := c.Repo.UpdateRef(ctx, ref, commit, "", "plan: attempt kept")
		if !errors.Is(err, git.ErrMoved) {
			return ref, err
		}
	}
}

// Owner returns under whose name attempts are kept: the plan's, or that of reviews without one.
func Owner(c *checkout.Checkout) string {
	if c.Doc == nil {
		return "none"
	}
	return c.Doc.ID
}

// Subject begins the message of a commit that only keeps something.
const Subject = "attempt at "

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
