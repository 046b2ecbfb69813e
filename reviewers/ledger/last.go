package ledger

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// Last returns the ledger of the last review of a branch: that of its plan, or if doc is nil the branch's own in this
// clone; nil without one.
func Last(ctx context.Context, s *journal.Store, doc *journal.Document, branch string) (*Ledger, error) {
	if doc != nil {
		data, err := s.File(ctx, doc, journal.ReviewFile)
		if err != nil || data == nil {
			return nil, err
		}
		return Parse(data)
	}
	data, err := os.ReadFile(filepath.Join(integrity.ReviewDir(s.Repo, branch), journal.ReviewFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return Parse(data)
}

// End is how a review ended.
type End string

// The ends of a review. Only the first three are passes.
const (
	Clean       End = "clean"       // every reviewer answered and nothing is open
	Notes       End = "notes"       // only findings below the bar, or advice
	Explained   End = "dismissed"   // the fixer explained each finding away and the verifier agreed
	Stalemate   End = "stalemate"   // HEAD did not move and something still blocks, or one finding was "fixed" twice
	Oscillation End = "oscillation" // the tree is one that an earlier round had
	RoundsUp    End = "rounds"      // as many rounds as are allowed
	Moved       End = "moved"       // somebody else moved the branch
	Found       End = "findings"    // something blocks and nobody is to fix it
	Budget      End = "budget"      // tokens, money or time are spent
	Incomplete  End = "incomplete"  // somebody who must judge did not
)

// Passes reports whether the branch is good as far as the review goes.
func (e End) Passes() bool { return e == Clean || e == Notes || e == Explained }

// Code returns the exit code of the end.
func (e End) Code() int {
	switch e {
	case Clean, Notes, Explained:
		return 0
	case Moved:
		return 5
	case Budget:
		return 6
	}
	return 4
}

func (e End) words() string {
	if e == Notes {
		return "passed with notes"
	}
	return string(e)
}
