package git

import (
	"os"
	"slices"
)

// WithFiles returns this repository with the files of another folder, top, whose HEAD and
// index are kept in gitDir: Apart is set. Objects, configuration and filters are this
// repository's. settings are a key and its value each, and come before all others. Close it.
func (r *Repo) WithFiles(top, gitDir string, settings ...string) *Repo {
	e := &Repo{Top: top, GitDir: gitDir, CommonDir: r.CommonDir, HooksDir: os.DevNull, Format: r.Format, Apart: true,
		OnWrite: r.OnWrite, Guard: r.Guard, silenced: r.silenced, filters: r.filters, confined: r.confined, objects: &reader{}}
	e.env = withSettings(append(withoutPlace(r.env), "GIT_DIR="+gitDir, "GIT_COMMON_DIR="+r.CommonDir, "GIT_WORK_TREE="+top), settings...)
	return e
}

// Unbound returns git as it is run in dir, bound to no repository, with the same guard. Only
// Run, and what only runs git, may be called on it.
func (r *Repo) Unbound(dir string, env ...string) *Repo {
	return &Repo{GitDir: dir, Guard: r.Guard, silenced: r.silenced, env: append(withoutPlace(r.env), env...)}
}

// WithEnv returns this repository with more variables in the environment of git, and with
// settings that come before all others. Only Run, and what only runs git, may be called on it.
func (r *Repo) WithEnv(env []string, settings ...string) *Repo {
	return &Repo{Top: r.Top, GitDir: r.GitDir, silenced: r.silenced, env: withSettings(append(slices.Clip(r.env), env...), settings...)}
}

// Submodule returns the repository of a submodule, which lies in the modules folder of this
// one and has its files in top. Only Run, and what only runs git, may be called on it.
func (r *Repo) Submodule(top, gitDir string) *Repo {
	return &Repo{Top: top, GitDir: gitDir, CommonDir: gitDir, env: r.env, severed: r.severed, silenced: r.silenced, filters: r.filters, confined: r.confined,
		pinned: []string{"GIT_DIR=" + gitDir, "GIT_WORK_TREE=" + top}}
}
