package checkout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// KeptAttempt is what a session left that was not committed on the branch.
type KeptAttempt struct {
	Name   string // "<step>/<n>", as commands take it
	Ref    string
	Commit string
	Time   time.Time
	Reason string // its first line
	Whole  string
}

// KeptAttempts lists the kept attempts of the branch's plan, of one step or of all, by step and number.
func KeptAttempts(ctx context.Context, c *Checkout, step string) ([]KeptAttempt, error) {
	prefix := journal.AttemptPrefix + AttemptOwner(c) + "/"
	refs, err := c.Repo.Refs(ctx, prefix+step)
	if err != nil || len(refs) == 0 {
		return nil, err
	}
	var out []KeptAttempt
	for _, r := range refs {
		k := KeptAttempt{Name: strings.TrimPrefix(r.Name, prefix), Ref: r.Name, Commit: r.OID, Time: r.Time, Reason: r.Subject}
		if commit, err := c.Repo.ReadCommit(ctx, r.OID); err == nil {
			_, body, _ := strings.Cut(commit.Message, "\n\n")
			k.Whole = body
			if k.Reason = visible.FirstLine(body); !strings.HasPrefix(commit.Subject(), attemptSubject) {
				k.Reason = "undone: " + commit.Subject() // a step's own commit
			}
		}
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b KeptAttempt) int {
		step, n := parseAttempt(a.Name)
		other, m := parseAttempt(b.Name)
		return cmp.Or(strings.Compare(step, other), n-m)
	})
	return out, nil
}

// FindAttempt finds a kept attempt by "<step>/<n>" or by its ref; of a step alone, the last one.
func FindAttempt(ctx context.Context, c *Checkout, name string) (KeptAttempt, error) {
	all, err := KeptAttempts(ctx, c, "")
	if err != nil {
		return KeptAttempt{}, err
	}
	step := name
	if s, ok := c.Doc.Plan.Step(name); ok {
		step = s.ID
	}
	var names []string
	for _, k := range slices.Backward(all) {
		if k.Name == name || k.Ref == name || strings.HasPrefix(k.Name, step+"/") {
			return k, nil
		}
		names = slices.Insert(names, 0, k.Name)
	}
	return KeptAttempt{},
		fault.New(fault.ErrUnknownAttempt, "there is no kept attempt %s; kept: %s", name, cmp.Or(visible.Few(names), "none"))
}

// PruneAttempts removes the kept attempts of the plan that are older than age, and returns them.
func PruneAttempts(ctx context.Context, c *Checkout, age time.Duration) ([]KeptAttempt, error) {
	all, err := KeptAttempts(ctx, c, "")
	if err != nil {
		return nil, err
	}
	stashed := Stashed(c, c.Doc.ID).Kept // is nowhere else
	gone := slices.DeleteFunc(all, func(k KeptAttempt) bool { return time.Since(k.Time) < age || k.Ref == stashed })
	for i, k := range gone {
		if err := c.Repo.DeleteRef(ctx, k.Ref, k.Commit, "plan: pruned"); err != nil {
			return gone[:i], err
		}
	}
	return gone, nil
}

// ParentOf returns the commit on which an attempt was made; "" if none.
func ParentOf(kept git.Commit) string {
	if len(kept.Parents) == 0 {
		return ""
	}
	return kept.Parents[0]
}

// PartOfAttempt returns a kept attempt's changes of some files as a commit without a ref, and the paths.
func PartOfAttempt(ctx context.Context, c *Checkout, kept git.Commit, asked func(path string) bool) (part git.Commit,
	paths []string, err error) {
	d, err := git.DiffTrees(ctx, c.Repo, ParentOf(kept), kept.OID)
	if err != nil {
		return git.Commit{}, nil, err
	}
	var entries []worktree.Entry
	add := func(e worktree.Entry) {
		if asked(e.Path) {
			entries, paths = append(entries, e), append(paths, e.Path)
		}
	}
	for _, f := range d.Files {
		if f.OldPath != f.Path && f.Status == 'R' {
			add(worktree.Entry{Path: f.OldPath})
		}
		if f.Status == 'D' {
			add(worktree.Entry{Path: f.Path})
		} else {
			add(worktree.Entry{Path: f.Path, Mode: f.NewMode, OID: f.NewOID})
		}
	}
	if len(entries) == 0 {
		return git.Commit{}, nil, nil
	}
	tree, err := worktree.WithEntries(ctx, c.Repo, ParentOf(kept), entries)
	if err != nil {
		return git.Commit{}, nil, err
	}
	oid, err := c.Store.WriteCommit(ctx, tree, kept.Parents, kept.Message)
	return git.Commit{OID: oid, Tree: tree, Parents: kept.Parents, Message: kept.Message}, paths, err
}

// NamedPart returns the part of an attempt in some files and folders, each of which it must have changed.
func NamedPart(ctx context.Context, c *Checkout, k KeptAttempt, kept git.Commit, names []string) (git.Commit, error) {
	used := map[string]bool{}
	part, _, err := PartOfAttempt(ctx, c, kept, func(path string) (is bool) {
		for _, n := range names {
			if at := strings.TrimSuffix(n, "/"); path == at || strings.HasPrefix(path, at+"/") || at == "." {
				used[n], is = true, true
			}
		}
		return is
	})
	for _, n := range names {
		if err == nil && !used[n] {
			err = fault.New(fault.ErrUnknownAttempt, "attempt %s did not change %s", k.Name, n)
		}
	}
	return part, err
}

// KeepAttempt commits a tree under the next free ref of a task's attempts.
func KeepAttempt(ctx context.Context, c *Checkout, tree string, parents []string, name, reason string) (string, error) {
	if _, err := c.Repo.Resolve(ctx, tree+"^{tree}"); err != nil {
		return "", err // git gc took it: a commit of it would break the repository
	}
	message := fmt.Sprintf(attemptSubject+"%s, kept\n\n%s\n", name, visible.Text(strings.TrimSpace(reason)))
	commit, err := c.Store.WriteCommit(ctx, tree, parents, message)
	if err != nil {
		return "", err
	}
	return KeepCommit(ctx, c, commit, name)
}

// KeepCommit puts a commit under the next free ref of a task's attempts, if possible with the attempt's own number.
func KeepCommit(ctx context.Context, c *Checkout, commit, name string) (string, error) {
	owner := AttemptOwner(c)
	prefix := journal.AttemptPrefix + owner + "/" + name + "/"
	// which only a session makes
	for _, blocks := range []string{journal.AttemptPrefix + owner, strings.TrimSuffix(prefix, "/")} {
		oid, err := c.Repo.Resolve(ctx, blocks)
		if err == nil {
			if err = c.Repo.DeleteRef(ctx, blocks, oid, "plan: makes way for attempts"); err == nil {
				_, err = KeepCommit(ctx, c, oid, RefsName)
			}
			if err != nil {
				return "", err
			}
		}
	}
	refs, err := c.Repo.Refs(ctx, prefix)
	if err != nil {
		return "", err
	}
	n, last := 0, git.Ref{}
	for _, r := range refs {
		if _, number := parseAttempt(r.Name); number > n {
			n, last = number, r
		}
	}
	var events []journal.Event
	if c.Doc != nil {
		events = c.Doc.Events
	}
	before := progress.Numbers(events, name).Last - 1 // the attempts before this one may have left nothing
	was, none := c.Repo.ReadCommit(ctx, last.OID)
	if now, err := c.Repo.ReadCommit(ctx, commit); n > before && none == nil && err == nil && was.Tree == now.Tree &&
		was.Message == now.Message && slices.Equal(was.Parents, now.Parents) {
		return last.Name, nil // it is kept already
	}
	n = max(n, before)
	for _, e := range events {
		if at, ok := strings.CutPrefix(e.Kept, prefix); ok { // it may have been pruned
			_, number := parseAttempt("/" + at)
			n = max(n, number)
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

// AttemptOwner returns the name under which attempts are kept: the plan's, or that of reviews without a plan.
func AttemptOwner(c *Checkout) string { return cmp.Or(c.Loaded(), "none") }

// attemptSubject begins the message of a commit that only keeps something.
const attemptSubject = "attempt at "

func parseAttempt(name string) (task string, n int) {
	at := strings.LastIndexByte(name, '/')
	n, _ = strconv.Atoi(name[at+1:])
	return name[:max(at, 0)], n
}

// Reasons of what needs no session, with the message of its commit below.
const (
	PassedReason   = "it passed its checks, and waited to be committed"
	FinishedReason = "its session was done, and was stopped before the commit"
)

// KilledReason is the reason of an attempt whose git plan was killed; some of it may be the person's doing.
const KilledReason = journal.Interrupted + ": git plan was killed, or ended by an error"

// Waiting returns the message with which a kept attempt was about to be committed, or "".
func Waiting(kept git.Commit) string {
	_, body, _ := strings.Cut(kept.Message, "\n\n")
	reason, message, _ := strings.Cut(body, "\n\n")
	if reason != PassedReason && reason != FinishedReason {
		return ""
	}
	return strings.TrimSpace(message)
}

// FixWaits reports whether a fix passed its checks, and waits to be committed.
func FixWaits(ctx context.Context, c *Checkout) bool {
	kept, _ := KeptAttempts(ctx, c, journal.FixPrefix)
	return slices.ContainsFunc(kept, func(k KeptAttempt) bool { return k.Reason == PassedReason })
}

// ShowCommand returns the command that shows a kept attempt.
func ShowCommand(c *Checkout, ref string) string {
	if c.Doc == nil {
		return "git diff " + visible.Shell(ref) + "^ " + visible.Shell(ref)
	}
	return "git plan attempts show " + visible.Shell(strings.TrimPrefix(ref, journal.AttemptPrefix+c.Doc.ID+"/"))
}

// StashName is the name under which --autostash keeps the user's changes, as if it were a step's.
const StashName = "_autostash"

// RefsName is the name under which is kept what refs were at, if a session moved them, and files outside of a task.
const RefsName = "_refs"

// StashRef is the ref of git stash, whose log is its list.
const StashRef = "refs/stash"

// Stashes returns the list of git stash, newest first.
func Stashes(ctx context.Context, r *git.Repo) []git.Commit {
	if _, err := r.Resolve(ctx, StashRef); err != nil {
		return nil
	}
	list, _ := r.Log(ctx, "--walk-reflogs", StashRef)
	return list
}

// Stash is what --autostash took out of a work tree, off the list of git stash, where a session could pop it.
type Stash struct {
	Commit string // as git stash create makes it
	Kept   string // the ref, whose commit has Commit as its second parent
}

// stashNote returns the note of this work tree's stash for a plan, until it is restored.
func stashNote(c *Checkout, plan string) journal.Note {
	return journal.NotesWithin(c.Repo, "set-aside").Note(plan + "-" + integrity.RecordName(c.Repo, ""))
}

// Stashed returns the stash made for a plan; the zero value without one.
func Stashed(c *Checkout, plan string) Stash { return journal.Loaded[Stash](stashNote(c, plan)) }

// AllStashed returns this work tree's stashes by their plans.
func AllStashed(c *Checkout) map[string]Stash {
	entries, _ := os.ReadDir(journal.NotesWithin(c.Repo, "set-aside").Dir)
	all := map[string]Stash{}
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), "-"+integrity.RecordName(c.Repo, "")); ok {
			all[id] = Stashed(c, id)
		}
	}
	return all
}

// KeepStash records a stash, made at head, under a ref before the changes are taken out of the tree.
func KeepStash(ctx context.Context, c *Checkout, commit, head string) (s Stash, err error) {
	s.Commit = commit
	tree, err := c.Repo.Resolve(ctx, commit+"^{tree}")
	if err != nil {
		return s, err
	}
	if s.Kept, err = KeepAttempt(ctx, c, tree, []string{head, commit}, StashName, "what --autostash set aside"); err != nil {
		return s, err
	}
	return s, stashNote(c, c.Doc.ID).Save(s)
}

// ForgetStash forgets a stash. Once all of it is in the tree again, its ref is removed, too.
func ForgetStash(ctx context.Context, c *Checkout, s Stash, restored bool) {
	stashNote(c, c.Doc.ID).Remove()
	if oid, err := c.Repo.Resolve(ctx, s.Kept); restored && s.Kept != "" && err == nil {
		_ = c.Repo.DeleteRef(ctx, s.Kept, oid, "plan: restored")
	}
}
