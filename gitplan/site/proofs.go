package site

import (
	"slices"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// Proof is how a check of the plan ended on a tree, in a place where sessions work.
type Proof struct {
	Tree    string
	Where   string // the settings by which the place is made: see Steps.where
	Command string
	Exit    proc.Exit // OK if it passed
	Why     string    // why it failed, in a line
	Tested  bool      // it ran tests, as their runner says
}

// Missing reports whether the check failed because a program is not there, or cannot be started:
// sh says so about the last command that it ran.
func (p Proof) Missing() bool { return p.Exit.Code == 126 || p.Exit.Code == 127 }

// mostProofs bounds what is noted of a plan; the oldest go first.
const mostProofs = 300

// proofsNote returns the note of what is known of the checks of a plan.
func (s *Site) proofsNote() journal.Note {
	return journal.NotesOf(s.Repo, "proofs").Note(s.Doc.ID + journal.NoteExt)
}

// Proofs returns what is known of the checks of the plan, the oldest first.
func (s *Site) Proofs() (out []Proof) {
	data, err := s.proofsNote().Read()
	if err != nil || journal.DecodeNote(data, &out) != nil {
		return nil
	}
	return out
}

// Prove notes how checks ended, in place of what was known about them.
func (s *Site) Prove(proofs []Proof) error {
	if len(proofs) == 0 {
		return nil
	}
	all := slices.DeleteFunc(s.Proofs(), func(old Proof) bool {
		return slices.ContainsFunc(proofs, func(p Proof) bool {
			return p.Tree == old.Tree && p.Where == old.Where && p.Command == old.Command
		})
	})
	all = append(all, proofs...)
	data, err := journal.EncodeNote(all[max(0, len(all)-mostProofs):])
	if err != nil {
		return err
	}
	return s.proofsNote().Write(data)
}
