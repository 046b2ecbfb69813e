package settings

import (
	"os"
	"os/user"
	"path/filepath"
	"strings"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// buildFolders returns what plan.sandboxWritable allows to be written, for agents with a
// sandbox of their own.
func (c *Config) buildFolders() ([]string, error) {
	home, err := HomeFolder()
	if err != nil {
		return nil, err
	}
	paths, withCaches, err := c.SandboxPaths("plan.sandboxWritable", home, new(disk.Links))
	if withCaches {
		paths = append(paths, Caches(home)...)
	}
	return paths, err
}

// SandboxPaths returns the absolute paths that a key names; "~" stands for home.
// withCaches reports that the word "caches" is among them, the default of
// plan.sandboxWritable, which stands for the build caches. Its errors are of kind
// ErrSandbox: a path that is relative, or home itself.
func (c *Config) SandboxPaths(key, home string, at *disk.Links) (paths []string, withCaches bool, err error) {
	values := c.Git.All(key)
	if len(values) == 0 {
		values = []string{rowOf(key).Default}
	}
	for _, v := range strings.FieldsFunc(strings.Join(values, ","), func(r rune) bool { return r == ',' }) {
		v = strings.TrimSpace(v)
		switch rest, inHome := strings.CutPrefix(v, "~"); {
		case v == "":
			continue
		case v == "caches":
			withCaches = true
			continue
		case inHome && (rest == "" || rest[0] == '/'):
			v = home + rest
		}
		switch {
		case !filepath.IsAbs(v):
			return nil, false, fault.New(fault.ErrSandbox, "%s names %q: paths must be absolute, or such as ~/data", key, visible.OneLine(v, 200))
		case at.There(v) && disk.Within(at.Real(v), at.Real(home)):
			return nil, false, fault.New(fault.ErrSandbox, "%s names %s: the home folder itself is never opened", key, visible.OneLine(v, 200))
		}
		paths = append(paths, v)
	}
	return paths, withCaches, nil
}

// HomeFolder returns the person's home folder, by HOME or else by the system's accounts.
func HomeFolder() (string, error) {
	home, err := os.UserHomeDir()
	if err == nil {
		return home, nil
	}
	if u, uerr := user.Current(); uerr == nil && u.HomeDir != "" {
		return u.HomeDir, nil
	}
	return "", fault.New(fault.ErrSandbox, "cannot tell which files are secret: %v", err)
}
