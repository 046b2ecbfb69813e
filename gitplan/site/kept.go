package site

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/checkout"
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
func Attempts(ctx context.Context, c *checkout.Checkout, step string) ([]Kept, error) {
	prefix := journal.AttemptPrefix + ownerOf(c) + "/"
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
			if k.Reason = visible.FirstLine(body); !strings.HasPrefix(commits[i].Subject(), KeptSubject) {
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

// RepairMessage is PassedMessage without its round, which may differ now.
func RepairMessage(kept git.Commit) string {
	message, _, _ := strings.Cut(PassedMessage(kept), "\n\n"+journal.ReviewTrailer+": ")
	return message
}

// HowToSee returns the command that shows a kept attempt.
func HowToSee(c *checkout.Checkout, ref string) string {
	if c.Doc == nil {
		return "git diff " + visible.Shell(ref) + "^ " + visible.Shell(ref)
	}
	return "git plan attempts show " + visible.Shell(strings.TrimPrefix(ref, journal.AttemptPrefix+c.Doc.ID+"/"))
}

// AttemptNames returns the names of the kept attempts of the branch's plan, without reading them.
func AttemptNames(ctx context.Context, c *checkout.Checkout) ([]string, error) {
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

// FindAttempt finds a kept attempt by "<step>/<n>" or by its ref.
func FindAttempt(ctx context.Context, c *checkout.Checkout, name string) (Kept, error) {
	all, err := Attempts(ctx, c, "")
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

// PruneAttempts removes the kept attempts of the plan that are older than age, and returns them;
// after that their commits can only be found by their own names.
func PruneAttempts(ctx context.Context, c *checkout.Checkout, age time.Duration) ([]Kept, error) {
	all, err := Attempts(ctx, c, "")
	if err != nil {
		return nil, err
	}
	gone := slices.DeleteFunc(all, func(k Kept) bool { return time.Since(k.Time) < age })
	if err := notePruned(c, gone); err != nil {
		return nil, err
	}
	for i, k := range gone {
		if err := c.Repo.DeleteRef(ctx, k.Ref, k.Commit, "plan: pruned"); err != nil {
			return gone[:i], err
		}
	}
	return gone, nil
}

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

// Unjudged reports whether a kept attempt was stopped between the end of its session and its commit.
func Unjudged(kept git.Commit) bool {
	_, body, _ := strings.Cut(kept.Message, "\n\n")
	return strings.HasPrefix(body, FinishedReason+"\n\n")
}

const WaitingReason = "it passed its checks; the next run commits it once the tree is clean"

// What is kept and needs no session, with the message of its commit below: what passed its
// checks, and then the branch had moved or git did not commit it; and what a session said was
// done.
const (
	PassedReason   = "it passed its checks, and waited to be committed"
	FinishedReason = "its session was done, and was stopped before the commit"
)

// DescribeAside says which files of a kept attempt are not put back, and how a person gets them.
func DescribeAside(c *checkout.Checkout, ref string, files []string) string {
	return fmt.Sprintf("left out, since the step does not name it: %s. If you changed it after git plan was killed: %s", visible.Few(files), HowToRestore(c, ref, files))
}

const restoring = "git plan attempts restore "

// NamedToRestore returns the ref of the attempt that a reason names by HowToRestore.
func NamedToRestore(c *checkout.Checkout, reason string) (ref string, ok bool) {
	_, rest, ok := strings.Cut(reason, restoring)
	if !ok {
		return "", false
	}
	name, _, _ := strings.Cut(rest, " ")
	return journal.AttemptPrefix + ownerOf(c) + "/" + name, true
}

// HowToRestore returns the command that puts some files of a kept attempt into the work tree.
func HowToRestore(c *checkout.Checkout, ref string, files []string) string {
	command := restoring + visible.Shell(strings.TrimPrefix(ref, journal.AttemptPrefix+ownerOf(c)+"/"))
	if len(files) > 6 {
		return command + " FILE"
	}
	for _, f := range files {
		command += " " + visible.Shell(f)
	}
	return command
}

// KilledReason is the reason of an attempt whose git plan was killed: it holds what was in the
// tree when the next command came, some of which may be the person's doing.
const KilledReason = journal.Interrupted + ": git plan was killed"

// Killed reports whether the git plan of a kept attempt was killed.
func Killed(kept git.Commit) bool {
	_, body, _ := strings.Cut(kept.Message, "\n\n")
	return strings.TrimSpace(body) == KilledReason
}

func notePruned(c *checkout.Checkout, gone []Kept) error {
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
