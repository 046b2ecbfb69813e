package ledger

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/setup"
)

// Last returns the ledger of the last review of a branch: the one kept with its
// plan, or if doc is nil the branch's own in this clone; nil without one.
func Last(ctx context.Context, s *journal.Store, doc *journal.Document, branch string) (*Ledger, error) {
	if doc != nil {
		return Of(ctx, s, doc)
	}
	data, err := os.ReadFile(filepath.Join(setup.ReviewDir(s.Repo, branch), journal.ReviewFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return Parse(data)
}

// Of returns the ledger that is kept with a plan; nil without one.
func Of(ctx context.Context, s *journal.Store, doc *journal.Document) (*Ledger, error) {
	data, err := s.File(ctx, doc, journal.ReviewFile)
	if err != nil || data == nil {
		return nil, err
	}
	return Parse(data)
}
