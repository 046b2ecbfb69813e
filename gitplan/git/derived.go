package git

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// WithFiles returns this repository with another folder, top, as its work tree, and with HEAD
// and index in gitDir. Apart is set. It shares objects, configuration and filters with this
// one. settings are keys and values in turn, and take precedence over all others. Close it.
func (r *Repo) WithFiles(top, gitDir string, settings ...string) *Repo {
	e := &Repo{Top: top, GitDir: gitDir, CommonDir: r.CommonDir, HooksDir: os.DevNull, Format: r.Format, Apart: true,
		OnWrite: r.OnWrite, Trusted: r.Trusted, silenced: r.silenced, filters: r.filters, confined: r.confined, objects: &reader{}}
	e.env = WithSettings(append(withoutPlace(r.env), "GIT_DIR="+gitDir, "GIT_COMMON_DIR="+r.CommonDir, "GIT_WORK_TREE="+top), settings...)
	return e
}

// Again returns this repository for another goroutine: with a process of its own that reads objects.
// OnWrite and Trusted are not set. Close it.
func (r *Repo) Again() *Repo {
	e := &Repo{Top: r.Top, GitDir: r.GitDir, CommonDir: r.CommonDir, HooksDir: r.HooksDir, Format: r.Format, Apart: r.Apart, objects: &reader{}}
	e.env, e.pinned, e.severed, e.silenced = slices.Clone(r.env), slices.Clone(r.pinned), slices.Clone(r.severed), slices.Clone(r.silenced)
	return e
}

// Unbound returns a Repo that runs git in dir and leaves it to git to find a repository, with
// the same Trusted. Only methods that run git may be called on it.
func (r *Repo) Unbound(dir string, env ...string) *Repo {
	return &Repo{GitDir: dir, Trusted: r.Trusted, silenced: r.silenced, env: append(withoutPlace(r.env), env...)}
}

// WithEnv returns this repository with more variables in git's environment, and with settings,
// keys and values in turn, that take precedence over all others. Only methods that run git may
// be called on it.
func (r *Repo) WithEnv(env []string, settings ...string) *Repo {
	return &Repo{Top: r.Top, GitDir: r.GitDir, silenced: r.silenced, env: WithSettings(append(slices.Clip(r.env), env...), settings...)}
}

// Submodule returns the repository of a submodule: gitDir lies in the modules folder of this
// repository, and top is its work tree. Only methods that run git may be called on it.
func (r *Repo) Submodule(top, gitDir string) *Repo {
	return &Repo{Top: top, GitDir: gitDir, CommonDir: gitDir, env: r.env, severed: r.severed, silenced: r.silenced, filters: r.filters, confined: r.confined,
		pinned: []string{"GIT_DIR=" + gitDir, "GIT_WORK_TREE=" + top}}
}

// Beyond returns this repository, whose new objects go into another folder, and which reads those of
// both: what is put there can be looked at, and thrown away. Close it.
func (r *Repo) Beyond(objects string) *Repo {
	own := filepath.Join(r.CommonDir, "objects")
	more := ""
	for _, kv := range r.env {
		if v, ok := strings.CutPrefix(kv, "GIT_OBJECT_DIRECTORY="); ok && v != "" {
			own = v
		}
		if v, ok := strings.CutPrefix(kv, "GIT_ALTERNATE_OBJECT_DIRECTORIES="); ok && v != "" {
			more = string(filepath.ListSeparator) + v
		}
	}
	e := *r.Again()
	e.OnWrite, e.Trusted, e.filters, e.confined = r.OnWrite, r.Trusted, r.filters, r.confined
	e.env = append(e.env, "GIT_OBJECT_DIRECTORY="+objects, "GIT_ALTERNATE_OBJECT_DIRECTORIES="+strconv.Quote(own)+more)
	return &e
}
