package journal

import (
	"context"

	"github.com/git-plan/git-plan/gitplan/git"
)

// IsPlans reports whether a commit, given by its name or its tree's, can be one of a plan's
// chain: it holds the plan's text and nothing that this program does not write.
func (s *Store) IsPlans(ctx context.Context, commit string) bool {
	tree, err := s.Repo.Read(ctx, commit+"^{tree}")
	if err != nil {
		return false
	}
	entries, err := git.ParseTree(tree.Data, s.Repo.Format)
	text := false
	for _, e := range entries {
		text = text || e.Name == PlanFile
		if e.Mode != "100644" || e.Name != PlanFile && e.Name != ReviewFile {
			return false
		}
	}
	return err == nil && text
}
