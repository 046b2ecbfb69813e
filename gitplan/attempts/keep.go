package attempts

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Keep commits a tree under the next free ref of a task's attempts.
func Keep(ctx context.Context, c *checkout.Checkout, tree string, parents []string, name, reason string) (string, error) {
	if _, err := c.Repo.Resolve(ctx, tree+"^{tree}"); err != nil {
		return "", err // git gc took it: a commit of it would break the repository
	}
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

// KeepCommit puts a commit under the next ref of a task's attempts: one that no event names.
func KeepCommit(ctx context.Context, c *checkout.Checkout, commit, name string) (string, error) {
	owner := Owner(c)
	prefix := journal.AttemptPrefix + owner + "/" + name + "/"
	refs, err := c.Repo.Refs(ctx, prefix)
	if err != nil {
		return "", err
	}
	n := 0
	for _, r := range refs {
		_, number := parseAttempt(r.Name)
		n = max(n, number)
	}
	if c.Doc != nil {
		for _, e := range c.Doc.Events {
			if at, ok := strings.CutPrefix(e.Kept, prefix); ok { // it may have been pruned
				_, number := parseAttempt("/" + at)
				n = max(n, number)
			}
		}
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

// WaitingReason is why a task does not begin while what it did waits in its clone.
const WaitingReason = "it passed its checks; the next run commits it once the tree is clean"

// What is kept and needs no session, with the message of its commit below: what passed its
// checks, and then the branch had moved or git did not commit it; and what a session said was
// done.
const (
	PassedReason   = "it passed its checks, and waited to be committed"
	FinishedReason = "its session was done, and was stopped before the commit"
)

// KilledReason is the reason of an attempt whose git plan was killed: it holds what was in the
// tree when the next command came, some of which may be the person's doing.
const KilledReason = journal.Interrupted + ": git plan was killed"

// PassedMessage returns the message with which a kept attempt was about to be committed, if it
// had passed, or its session was done.
func PassedMessage(kept git.Commit) string {
	_, body, _ := strings.Cut(kept.Message, "\n\n")
	reason, message, _ := strings.Cut(body, "\n\n")
	if reason == PassedReason || reason == FinishedReason {
		return strings.TrimSpace(message)
	}
	return ""
}

// RepairMessage is PassedMessage without its round, which may differ now.
func RepairMessage(kept git.Commit) string {
	message, _, _ := strings.Cut(PassedMessage(kept), "\n\n"+journal.ReviewTrailer+": ")
	return message
}

// Unjudged reports whether a kept attempt was stopped between the end of its session and its commit.
func Unjudged(kept git.Commit) bool {
	_, body, _ := strings.Cut(kept.Message, "\n\n")
	return strings.HasPrefix(body, FinishedReason+"\n\n")
}

// ShowCommand returns the command that shows a kept attempt.
func ShowCommand(c *checkout.Checkout, ref string) string {
	if c.Doc == nil {
		return "git diff " + visible.Shell(ref) + "^ " + visible.Shell(ref)
	}
	return "git plan attempts show " + visible.Shell(strings.TrimPrefix(ref, journal.AttemptPrefix+c.Doc.ID+"/"))
}

const restoring = "git plan attempts restore "

// RestoreCommand returns the command that puts some files of a kept attempt into the work tree.
func RestoreCommand(c *checkout.Checkout, ref string, files []string) string {
	command := restoring + visible.Shell(strings.TrimPrefix(ref, journal.AttemptPrefix+Owner(c)+"/"))
	if len(files) > 6 {
		return command + " FILE"
	}
	for _, f := range files {
		command += " " + visible.Shell(f)
	}
	return command
}
