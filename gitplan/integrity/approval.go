package integrity

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// An approval says that a person has read what the plan means. It is the approved meaning itself, kept for this
// clone only, so that it cannot be pushed, where no sandbox lets a session write (see journal.Notes).

// approvals is the kind of these notes; those of the kind brought say that others may have changed the plan since.
const approvals, brought = "approvals", "brought"

func noteOf(r *git.Repo, kind, id string) journal.Note {
	return journal.NotesOf(r, kind).Note(id + journal.NoteExt)
}

func approvalNote(r *git.Repo, id string) journal.Note { return noteOf(r, approvals, id) }

// Brought records that another text of a plan, fetched or left in an editor's file, may not be this person's. Until it
// is approved, the approval holds for the approved text alone: titles and context reach sessions, too.
func Brought(r *git.Repo, id string) error {
	if approved, err := ApprovedMeaning(r, id); approved == nil || err != nil {
		return err
	}
	return noteOf(r, brought, id).Write([]byte("fetched\n"))
}

// IsApproved reports whether a person approved all that the plan is to do. Titles, context and estimates may differ.
func IsApproved(r *git.Repo, id string, p *plan.Plan) (bool, error) {
	u, err := NotApproved(r, id, p)
	return err == nil && u.None() && p.Approvable() == nil, err
}

// NotApproved returns what a person has yet to approve of a plan.
func NotApproved(r *git.Repo, id string, p *plan.Plan) (plan.Unapproved, error) {
	approved, err := ApprovedMeaning(r, id)
	if err != nil || bytes.Equal(approved, p.Meaning()) {
		return plan.Unapproved{}, err
	}
	if _, err := noteOf(r, brought, id).Read(); approved == nil || !errors.Is(err, fs.ErrNotExist) { // one that cannot be read counts
		return plan.Unapproved{Whole: "the plan"}, nil
	}
	old, err := plan.Parse(approved)
	if err != nil { // no version of this program approved it
		return plan.Unapproved{Whole: "the plan"}, nil
	}
	return plan.NotApproved(p, old), nil
}

// Waits is NotApproved without the steps that are skipped: they are not run.
func Waits(r *git.Repo, id string, p *plan.Plan) (plan.Unapproved, error) {
	u, err := NotApproved(r, id, p)
	u.Steps = slices.DeleteFunc(u.Steps, func(step string) bool {
		s, _ := p.Step(step)
		return s.Status.Word == "skipped"
	})
	return u, err
}

// ApprovedMeaning returns the meaning that was approved last; nil if none was.
func ApprovedMeaning(r *git.Repo, id string) ([]byte, error) {
	data, err := approvalNote(r, id).Read()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// Approve records that a person approved what the plan means now, and saw what sessions changed in the set-up.
func Approve(r *git.Repo, id string, text []byte) error {
	p, err := ApproveText(r, id, text)
	if err == nil {
		noteOf(r, brought, id).Remove()
		Forget(r, id, p.Branch)
	}
	return err
}

// ApproveText records that a text is approved, and nothing else: of what a planner wrote within Bounds, for example.
func ApproveText(r *git.Repo, id string, text []byte) (*plan.Plan, error) {
	p, err := plan.Parse(text)
	if err == nil {
		err = p.Approvable()
	}
	if err == nil {
		err = approvalNote(r, id).Write(plan.Meaning(text))
	}
	return p, err
}

// Revoke takes an approval back. If it cannot be removed, the error is ErrUnapproved.
func Revoke(r *git.Repo, id string) error {
	at := approvalNote(r, id)
	at.Remove()
	if _, err := at.Read(); !errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.ErrUnapproved, "the approval cannot be removed: %s", at.Path)
	}
	return nil
}

// ReviewDir returns the folder of the review of a branch, where no sandbox lets a session write: the answers in it
// count when an interrupted review goes on. Two branches never share one.
func ReviewDir(r *git.Repo, branch string) string {
	sum := sha256.Sum256([]byte(branch))
	return filepath.Join(journal.NotesOf(r, "reviews").Dir, plan.Slug(branch, 60)+"-"+hex.EncodeToString(sum[:4]))
}

// VerdictDir returns the folder of the verdicts of a repository's reviews, where no session may write either.
func VerdictDir(r *git.Repo) string { return journal.NotesOf(r, "verdicts").Dir }

// DismissalNote returns the note of the dismissed findings about a plan, or about a branch without one.
func DismissalNote(r *git.Repo, plan, branch string) journal.Note {
	name := cmp.Or(plan, filepath.Base(ReviewDir(r, branch)))
	return noteOf(r, "dismissals", name)
}
