package checkout

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git/worktree"
)

// installs lists the folders that package managers fill, the file that says with what, and the command that does it.
var installs = []struct{ folder, lock, command string }{
	{"node_modules", "package-lock.json", "npm ci"},
	{"node_modules", "pnpm-lock.yaml", "pnpm install --frozen-lockfile"},
	{"node_modules", "yarn.lock", "yarn install --immutable"},
	{"vendor", "composer.lock", "composer install"},
	{".venv", "uv.lock", "uv sync"},
	{".venv", "requirements.txt", "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt"},
}

// CloneSetup returns a folder of packages that clones lack, since git does not track it, and the command that has it
// made there; "" without one, and if plan.worktreeSetup is set.
func CloneSetup(ctx context.Context, c *Checkout) (lacks, command string) {
	if c.Config.String("plan.worktreeSetup") != "" {
		return "", ""
	}
	for _, i := range installs {
		if info, err := os.Stat(filepath.Join(c.Repo.Top, i.folder)); err != nil || !info.IsDir() {
			continue
		}
		tracked := worktree.Tracked(ctx, c.Repo)
		below := func(p string) bool { return strings.HasPrefix(p, i.folder+"/") }
		if slices.Contains(tracked, i.lock) && !slices.ContainsFunc(tracked, below) {
			return i.folder, i.command
		}
	}
	return "", ""
}
