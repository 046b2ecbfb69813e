package checkout

import (
	"context"
	"os"
	"path/filepath"
)

// PathInTree returns the path in the repository of a file that a plan was read from; "" if it
// is no regular file of the work tree.
func PathInTree(c *Checkout, name string) string {
	file, err := filepath.Abs(name)
	if err == nil {
		file, err = filepath.EvalSymlinks(file)
	}
	if err != nil {
		return ""
	}
	info, err := os.Stat(file)
	top, terr := filepath.EvalSymlinks(c.Repo.Top)
	rel, rerr := filepath.Rel(top, file)
	if err != nil || terr != nil || rerr != nil || !info.Mode().IsRegular() || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// IsTracked reports whether git tracks a file, by its path in the repository; "" is no file.
func IsTracked(ctx context.Context, c *Checkout, path string) bool {
	if path == "" {
		return false
	}
	tracked, err := c.Repo.Output(ctx, "--literal-pathspecs", "ls-files", "--", path)
	return err == nil && tracked != ""
}
