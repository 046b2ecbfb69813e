package hooks_test

import (
	"strings"
	"testing"

	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/testdata/hooked"
)

// The fast path also checks history, which no verdict covers.
func TestVerdictCoversNeitherRemovedSecretsNorFixups(t *testing.T) {
	for what, commits := range map[string][2]string{
		"config.js: GitHub token": {token() + "\n", "Remove the token"},
		"is a fixup! commit":      {"some\n", "fixup! Configure"},
	} {
		t.Run(what, func(t *testing.T) {
			b := project(t)
			hooked.Commit(t, b.Repo, "config.js", commits[0], "Configure")
			hooked.Commit(t, b.Repo, "config.js", "none\n", commits[1])
			b.verdict(t, "feature", nil, ledger.Clean)
			hooked.Contains(t, strings.Join(b.push(t, "origin", "feature").Lines, "\n"), what)
		})
	}
}
