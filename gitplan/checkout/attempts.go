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
	Ending Ending
}

// Ending is how kept work ended, as the message of its commit records it.
type Ending struct {
	Reason      string // for people, in one line or more
	Interrupted bool   // a session was stopped, and the next one goes on from its work
	Message     string // of the commit that the work waits to become; "" if it needs a session
}

// Reasons of kept work. Older versions recorded no more than these, with the message of the commit after the first two.
const (
	PassedReason   = "it passed its checks, and waited to be committed"
	FinishedReason = "its session was done, and was stopped before the commit"
	KilledReason   = journal.Interrupted + ": git plan was killed, or ended by an error" // perhaps with a person's changes
)

// The subject of a commit that only keeps work is subject, the task's name, and how it ended.
const (
	subject     = "attempt at "
	kept        = ", kept"
	interrupted = ", interrupted"
	waits       = ", waits"
)

// EndingOf reads how kept work ended from its commit.
func EndingOf(commit git.Commit) Ending {
	first, body, _ := strings.Cut(commit.Message, "\n\n")
	if !strings.HasPrefix(first, subject) { // a step's own commit
		return Ending{Reason: "undone: " + commit.Subject()}
	}
	reason, message, _ := strings.Cut(body, "\n\n")
	older := strings.HasSuffix(first, kept)
	e := Ending{Reason: strings.TrimSpace(body)}
	e.Interrupted = strings.HasSuffix(first, interrupted) || older && strings.HasPrefix(reason, journal.Interrupted)
	if strings.HasSuffix(first, waits) || older && (reason == PassedReason || reason == FinishedReason) {
		e.Reason, e.Message = reason, strings.TrimSpace(message)
	}
	return e
}

// Attempts are the kept attempts of a plan, or of reviews without a plan: each is a ref below journal.AttemptPrefix.
type Attempts struct{ c *Checkout }

// Attempts returns the kept attempts of the loaded plan.
func (c *Checkout) Attempts() Attempts { return Attempts{c} }

// List returns the kept attempts of one task, or of all, by task and number.
func (a Attempts) List(ctx context.Context, step string) ([]KeptAttempt, error) {
	prefix := journal.AttemptPrefix + a.Owner() + "/"
	refs, err := a.c.Repo.Refs(ctx, prefix+step)
	if err != nil || len(refs) == 0 {
		return nil, err
	}
	var out []KeptAttempt
	for _, r := range refs {
		k := KeptAttempt{Name: strings.TrimPrefix(r.Name, prefix), Ref: r.Name, Commit: r.OID, Time: r.Time,
			Ending: Ending{Reason: r.Subject}}
		if commit, err := a.c.Repo.ReadCommit(ctx, r.OID); err == nil {
			k.Ending = EndingOf(commit)
		}
		out = append(out, k)
	}
	slices.SortFunc(out, func(one, two KeptAttempt) int {
		step, n := parseAttempt(one.Name)
		other, m := parseAttempt(two.Name)
		return cmp.Or(strings.Compare(step, other), n-m)
	})
	return out, nil
}

// Find returns a kept attempt by "<step>/<n>" or by its ref; of a step alone, the last one. ErrUnknownAttempt.
func (a Attempts) Find(ctx context.Context, name string) (KeptAttempt, error) {
	all, err := a.List(ctx, "")
	if err != nil {
		return KeptAttempt{}, err
	}
	step := name
	if s, ok := a.c.Doc.Plan.Step(name); ok {
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

// Prune removes the kept attempts that are older than age, and returns them.
func (a Attempts) Prune(ctx context.Context, age time.Duration) ([]KeptAttempt, error) {
	all, err := a.List(ctx, "")
	if err != nil {
		return nil, err
	}
	stashed := Stashed(a.c, a.c.Doc.ID).Kept // is nowhere else
	gone := slices.DeleteFunc(all, func(k KeptAttempt) bool { return time.Since(k.Time) < age || k.Ref == stashed })
	for i, k := range gone {
		if err := a.c.Repo.DeleteRef(ctx, k.Ref, k.Commit, "plan: pruned"); err != nil {
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

// Part returns an attempt's changes of some files as a commit without a ref, and the paths.
func (a Attempts) Part(ctx context.Context, kept git.Commit, asked func(path string) bool) (part git.Commit,
	paths []string, err error) {
	d, err := git.DiffTrees(ctx, a.c.Repo, ParentOf(kept), kept.OID)
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
	tree, err := worktree.WithEntries(ctx, a.c.Repo, ParentOf(kept), entries)
	if err != nil {
		return git.Commit{}, nil, err
	}
	oid, err := a.c.Store.WriteCommit(ctx, tree, kept.Parents, kept.Message)
	return git.Commit{OID: oid, Tree: tree, Parents: kept.Parents, Message: kept.Message}, paths, err
}

// NamedPart returns the part of an attempt in some files and folders, each of which it must have changed.
func (a Attempts) NamedPart(ctx context.Context, k KeptAttempt, kept git.Commit, names []string) (git.Commit, error) {
	used := map[string]bool{}
	part, _, err := a.Part(ctx, kept, func(path string) (is bool) {
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

// Keep commits a tree under the next free ref of a task's attempts, and returns the ref.
func (a Attempts) Keep(ctx context.Context, tree string, parents []string, name string, e Ending) (string, error) {
	if _, err := a.c.Repo.Resolve(ctx, tree+"^{tree}"); err != nil {
		return "", err // git gc took it: a commit of it would break the repository
	}
	how := kept
	if e.Interrupted {
		how = interrupted
	}
	if e.Message != "" {
		how = waits
	}
	message := visible.Text(strings.TrimSpace(e.Reason + "\n\n" + e.Message))
	commit, err := a.c.Store.WriteCommit(ctx, tree, parents, subject+name+how+"\n\n"+message+"\n")
	if err != nil {
		return "", err
	}
	return a.KeepCommit(ctx, commit, name)
}

// KeepCommit puts a commit under the next free ref of a task's attempts, if possible with the attempt's own number.
func (a Attempts) KeepCommit(ctx context.Context, commit, name string) (string, error) {
	c, owner := a.c, a.Owner()
	prefix := journal.AttemptPrefix + owner + "/" + name + "/"
	// which only a session makes
	for _, blocks := range []string{journal.AttemptPrefix + owner, strings.TrimSuffix(prefix, "/")} {
		oid, err := c.Repo.Resolve(ctx, blocks)
		if err == nil {
			if err = c.Repo.DeleteRef(ctx, blocks, oid, "plan: makes way for attempts"); err == nil {
				_, err = a.KeepCommit(ctx, oid, RefsName)
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

// Owner returns the name under which attempts are kept: the plan's, or that of reviews without a plan.
func (a Attempts) Owner() string { return cmp.Or(a.c.Loaded(), "none") }

func parseAttempt(name string) (task string, n int) {
	at := strings.LastIndexByte(name, '/')
	n, _ = strconv.Atoi(name[at+1:])
	return name[:max(at, 0)], n
}

// FixWaits reports whether a fix passed its checks, and waits to be committed.
func (a Attempts) FixWaits(ctx context.Context) bool {
	kept, _ := a.List(ctx, journal.FixPrefix)
	return slices.ContainsFunc(kept, func(k KeptAttempt) bool { return k.Ending.Message != "" })
}

// ShowCommand returns the command that shows a kept attempt.
func (a Attempts) ShowCommand(ref string) string {
	if a.c.Doc == nil {
		return "git diff " + visible.Shell(ref) + "^ " + visible.Shell(ref)
	}
	return "git plan attempts show " + visible.Shell(strings.TrimPrefix(ref, journal.AttemptPrefix+a.c.Doc.ID+"/"))
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

// StashedPlans returns the plans with a stash of this work tree, in order.
func StashedPlans(c *Checkout) (ids []string) {
	entries, _ := os.ReadDir(journal.NotesWithin(c.Repo, "set-aside").Dir)
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), "-"+integrity.RecordName(c.Repo, "")); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// KeepStash records a stash, made at head, under a ref before the changes are taken out of the tree.
func KeepStash(ctx context.Context, c *Checkout, commit, head string) (s Stash, err error) {
	s.Commit = commit
	tree, err := c.Repo.Resolve(ctx, commit+"^{tree}")
	if err != nil {
		return s, err
	}
	if s.Kept, err = c.Attempts().Keep(ctx, tree, []string{head, commit}, StashName,
		Ending{Reason: "what --autostash set aside"}); err != nil {
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
