package workspace

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Failure is why the work of an attempt is not committed. Any other error stops the task and says nothing of the work.
type Failure struct {
	Reason    string   // its first line says what failed; output may follow
	Tampering bool     // the session changed something that it must leave alone
	Hopeless  bool     // another session would fail in the same way
	Setup     []string // what changed in the set-up: a person looks first, nothing else is run
	Kept      string   // the ref of the work that was taken out of the tree
	Notes     []string // for the person

	Refused bool // git commit refuses work that passed, and nothing else does
	Formats bool // a commit hook changed the files to commit
}

func (f *Failure) Error() string {
	if f.Tampering {
		return integrity.Tampered(f.Reason)
	}
	return f.Reason
}

// Failf returns a Failure.
func Failf(format string, args ...any) error { return &Failure{Reason: fmt.Sprintf(format, args...)} }

// FailureOf returns the Failure that an error is, or nil.
func FailureOf(err error) *Failure {
	f, _ := errors.AsType[*Failure](err)
	return f
}

func tampered(what ...string) *Failure {
	return &Failure{Tampering: true, Reason: strings.Join(what, "; ")}
}

// AlsoSay adds to a reason in its first line, which events and the command's last line show.
func AlsoSay(reason, text string) string {
	first, rest, _ := strings.Cut(reason, "\n")
	return strings.TrimSuffix(first+"; "+text+"\n"+rest, "\n")
}

// Collect compares the workspace with its state before the session, and returns the changes: after the session, and
// again after the checks, which run its files. The set-up comes first, since every later git may execute the
// configuration. The error is a Failure if that or HEAD changed, ErrMovedBranch if another process moved the branch.
func (w *Workspace) Collect(ctx context.Context) (*Changes, error) {
	if w.InClone() && !w.Watch.Setup.StillClone(w.Dir()) {
		_ = disk.RemoveTree(w.Tree().GitDir) // so that no command takes the current tree for work
		return nil, fault.New(fault.ErrClone, "the session removed the clone that it worked in, or put another folder in its place")
	}
	w.Tree().MakeTopAccessible()
	changed, moved, err := w.Watch.Restore(ctx)
	if err != nil {
		return nil, err
	}
	if len(changed) > 0 {
		w.Tree().ForbidTransports()
		return nil, setupFailure(changed, moved)
	}
	hidden, err := w.unhide(ctx)
	if err != nil {
		return nil, err
	}
	if hidden != "" {
		moved = append(moved, hidden)
	}
	status, err := w.status(ctx)
	if err == nil && w.Task.Session {
		err = w.Files.setAside(ctx, status)
	}
	// A moved base is for a person to judge, like a changed set-up: they may have merged meanwhile.
	took, unread := w.Watch.BasesTook(ctx)
	if err = cmp.Or(err, unread); err != nil {
		return nil, err
	}
	if strayed, err := w.headMoved(ctx, status); err != nil {
		return nil, err
	} else if strayed != "" {
		f := &Failure{Reason: strings.Join(slices.Concat([]string{strayed}, took, moved), "; "), Setup: took}
		f.Tampering = len(took)+len(moved) > 0 // otherwise a person may have switched branches
		if w.byHand() {                        // the user's own switch stays
			return nil, f
		}
		return nil, cmp.Or[error](w.putBack(ctx, status, f), f)
	}
	if len(took) > 0 {
		return nil, setupFailure(took, moved)
	}
	changes, err := w.fold(ctx, status)
	if err != nil {
		return nil, err
	}
	changes.Folded = visible.Text(w.Runner.Masked(changes.Folded))
	if changes.Status, err = w.Files.unstage(ctx, changes.Status); err != nil {
		return nil, err
	}
	changes.Added = w.Files.added(changes.Status)
	if len(moved) > 0 {
		changes.Wrong = tampered(moved...)
	} else {
		changes.Wrong = w.closed(status)
	}
	return changes, nil
}

// headMoved says where HEAD of the work tree is if a session may not leave it there, and not who moved it, else "".
func (w *Workspace) headMoved(ctx context.Context, s *worktree.Status) (string, error) {
	if w.InClone() {
		return "", nil
	}
	branch := visible.OneLine(w.Checkout.Branch, 200)
	who, during := who(w.state)
	op := w.Checkout.Repo.Operation()
	switch {
	case op != "":
		return "a " + op + " was left under way " + during, nil
	case s.Branch != w.Checkout.Branch:
		return fmt.Sprintf("branch %s was no longer checked out after %s", branch, who), nil
	case s.Head == w.Before.Head || w.Before.Head == "":
		return "", nil
	case s.Head == "":
		return "the branch was deleted " + during, nil
	}
	ok, err := w.Checkout.Repo.IsAncestor(ctx, w.Before.Head, s.Head)
	if err != nil || ok {
		return "", err
	}
	return fmt.Sprintf("branch %s was rewound %s", branch, during), nil
}

func (w *Workspace) fold(ctx context.Context, s *worktree.Status) (*Changes, error) {
	if w.InClone() { // all but the message of its commits is in the files
		const messageFile, maxMessage = ".git/COMMIT_EDITMSG", 64 << 10 // where git commit writes its message; bytes
		top := w.Dir()                                                  // where the session may have written anything
		text, err := disk.ReadRegular(filepath.Join(top, messageFile))
		text, _, _ = bytes.Cut(text, []byte{0})
		if text = bytes.TrimSpace(text); err != nil || len(text) > maxMessage || !disk.Direct(top, messageFile) {
			text = nil
		}
		return &Changes{Status: s, Folded: string(text)}, nil
	}
	if s.Head == w.Before.Head {
		return &Changes{Status: s}, nil
	}
	last, err := w.Checkout.Repo.ReadCommit(ctx, s.Head)
	if err != nil {
		return nil, err
	}
	// The branch goes back to where the task began; index, tree, and a commit of another process stay.
	own, known, err := w.Runner.MadeBySession(ctx, w.Before.Head)
	switch {
	case err != nil:
	case known && !own:
		err = fault.New(fault.ErrMovedBranch, "someone committed to %s while a session was working there; the session's work is in the tree, not committed", w.Checkout.Branch)
	case w.Before.Head == "": // the branch was unborn, and becomes so again
		err = w.Checkout.Repo.DeleteRef(ctx, "refs/heads/"+w.Checkout.Branch, s.Head, "plan: folded into the step")
	default:
		err = w.Checkout.Repo.Run(ctx, git.Command{Args: []string{"reset", "--soft", "--quiet", w.Before.Head}, Writes: true})
	}
	if err != nil {
		return nil, err
	}
	status, err := w.status(ctx)
	return &Changes{Status: status, Folded: last.Message}, err
}

func setupFailure(changed, moved []string) *Failure {
	return &Failure{Tampering: true, Setup: changed,
		Reason: strings.Join(append([]string{integrity.ChangedDuring(changed)}, moved...), "; ")}
}

// unhide makes git see the files again that the session hid from it, and says so, or "".
func (w *Workspace) unhide(ctx context.Context) (did string, err error) {
	if w.index == nil { // a person may hide files
		return "", nil
	}
	hidden, err := w.index.Hidden(ctx)
	if git.Code(err) == git.Fatal && !errors.Is(err, git.ErrLocked) {
		return "git cannot read the index that the session left; it is as it was before", w.index.Restore()
	}
	if err == nil {
		err = w.index.Distrust(ctx)
	}
	if err != nil || len(hidden) == 0 {
		return "", err
	}
	return "the session hid files from git: " + visible.OneLine(strings.Join(hidden, ", "), 400),
		worktree.Unhide(ctx, w.Tree(), hidden)
}

// putBack puts HEAD and the branch back. The tree, and commits that no ref holds then, are kept and named in f.
func (w *Workspace) putBack(ctx context.Context, s *worktree.Status, f *Failure) (err error) {
	changes, err := w.keepable(ctx, s)
	if err != nil {
		return err
	}
	if !changes.Empty() {
		if f.Kept, err = w.keepChanges(ctx, changes, checkout.Ending{Reason: f.Error()}); err != nil {
			return err
		}
		if how := w.HowToRestore(f.Kept, changes.Paths()); how != "" {
			f.Reason = AlsoSay(f.Reason, "if some of that was yours: "+how)
		}
	}
	if op := w.Checkout.Repo.Operation(); op != "" && op != "merge" {
		quit := []string{op, "--quit"}
		if op == "bisect" {
			quit = []string{"bisect", "reset", "HEAD"}
		}
		if err := w.Checkout.Repo.Run(ctx, git.Command{Args: quit, Writes: true}); err != nil {
			return err
		}
	}
	ref := "refs/heads/" + w.Checkout.Branch
	now, err := w.Checkout.Repo.Lookup(ctx, ref)
	if err != nil {
		return err
	}
	visited := append([]string{s.Head, now}, w.Runner.Visited(ctx, "HEAD", w.Before.Head, w.state.Began)...)
	visited = append(visited, w.Runner.Visited(ctx, ref, w.Before.Head, w.state.Began)...) // its log is deleted with the branch
	if err := w.keepCommits(ctx, visited, f); err != nil {
		return err
	}
	if err := w.Runner.BranchBack(ctx, w.Before.Head, now, "plan: put back after a session"); err != nil {
		return err
	}
	if err := w.Runner.AttachAgain(ctx); err != nil { // deleting a branch deletes its keys
		return err
	}
	return w.restore(ctx, changes.Added)
}

// keepCommits keeps, and names in the failure, those commits that no ref will hold once HEAD and the branch are back.
func (w *Workspace) keepCommits(ctx context.Context, oids []string, f *Failure) error {
	args := append([]string{"--ignore-missing"}, slices.DeleteFunc(oids, func(oid string) bool { return oid == "" })...)
	args = append(args, "--not", "--exclude=HEAD", "--exclude=refs/heads/"+w.Checkout.Branch, "--all")
	began := parents(w.Before.Head)
	lost, err := w.Checkout.Repo.Log(ctx, append(args, began...)...)
	if err != nil {
		return err
	}
	builtOn := map[string]bool{}
	for _, c := range lost {
		for _, parent := range c.Parents {
			builtOn[parent] = true
		}
	}
	for _, c := range lost {
		if builtOn[c.OID] {
			continue // the one that builds on it keeps it
		}
		text := fmt.Sprintf("commit %.10s (%s), made or left during the session, is on no branch", c.OID,
			visible.OneLine(c.Subject(), 100))
		ref, err := w.Checkout.Attempts().Keep(ctx, c.Tree, append(slices.Clone(began), c.OID), w.state.Name,
			checkout.Ending{Reason: text})
		if err != nil {
			return err
		}
		f.Kept = cmp.Or(f.Kept, ref)
		f.Notes = append(f.Notes, text+"; see it: "+w.Runner.Checkout.Attempts().ShowCommand(ref))
	}
	return nil
}

// closed is the Failure of folders that git cannot read, and could before the session.
func (w *Workspace) closed(s *worktree.Status) *Failure {
	folders := slices.DeleteFunc(slices.Clone(s.Unread), func(path string) bool { return slices.Contains(w.Before.Unread, path) })
	if len(folders) == 0 {
		return nil
	}
	return &Failure{Reason: "git cannot read " + visible.Few(folders) + ": what is in there would not be committed"}
}
