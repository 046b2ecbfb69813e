package git

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/proc"
)

// Whatever lies in a work tree may have been written by a session: a repository in a
// submodule's place, a hook in a folder that core.hooksPath names, another repository
// around this one. So every git that this package starts is started by environ, here:
//
//   - in this repository and no other. It is found once, by Open, and pinned: a .git
//     that is removed or replaced later makes git fail, and never find another one.
//   - the git that is installed, and no program of that name in the work tree.
//   - unable to run anything on its own account. No hooks, no file system monitor, no
//     git in a submodule, no signature program for a log.
//
// A Command with Hooks is the exception: the person's own git, as they would type it.
// What only the configuration can name (filters, drivers, helpers) is not switched off,
// since files would then be read as other ones; the configuration is compared before
// git is asked anything after a session (package gitplan, setup.go). Filters that may run
// what lies in the tree are run confined (filters.go).

// quiet are the settings, a key and its value each, under which git runs nothing that a
// repository says but its hooks.
var quiet = []string{
	"core.fsmonitor", "false",
	"core.alternateRefsCommand", "true", // without it git asks the other repository, by its settings
	"log.showSignature", "false",
	"submodule.recurse", "false",
	"fetch.recurseSubmodules", "false",
	"push.recurseSubmodules", "no",
	"status.submoduleSummary", "false",
	"core.trustctime", "true", // a session can set all else of a file back, see RawFile
	"core.checkStat", "default",
}

// events are those of the hooks that git may run for us. From git 2.54 a hook can be
// configured, which core.hooksPath leaves alone; from 2.55 an event can be switched off, and
// before that each hook by its name.
var events = []string{"applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg", "commit-msg", "post-commit",
	"pre-rebase", "post-checkout", "post-merge", "pre-push", "reference-transaction", "push-to-checkout", "pre-auto-gc", "post-rewrite", "post-index-change", "fsmonitor-watchman",
	"pre-receive", "update", "proc-receive", "post-receive", "post-update", "sendemail-validate"}

// withoutHooks are quiet with what switches hooks off.
var withoutHooks = func() []string {
	out := append(slices.Clip(quiet), "core.hooksPath", os.DevNull)
	for _, event := range events {
		out = append(out, "hook."+event+".enabled", "false")
	}
	return out
}()

// silence returns the settings that switch off the hooks which are configured, by their names.
func silence(hooks []string) (out []string) {
	for _, name := range hooks {
		if !slices.Contains(events, name) {
			out = append(out, "hook."+name+".enabled", "false")
		}
	}
	return out
}

// environ returns the environment in which git runs a command.
func (r *Repo) environ(c Command) []string {
	if c.Hooks { // those may start git in other repositories, so none is pinned
		return withSettings(r.env, quiet...)
	}
	env := append(slices.Clip(r.env), "PATH="+proc.PathOutside()) // git looks there for what it starts
	if r.pinned != nil {
		env = append(withoutPlace(env), r.pinned...)
	}
	if c.asks {
		return env
	}
	env = withSettings(env, slices.Concat(withoutHooks, r.silenced, r.filters)...)
	return slices.Concat(env, r.severed, r.confined)
}

// runsNothing reports that a command reads objects, refs and settings, or writes refs and
// settings, and so executes nothing of what is configured, where hooks are off.
func (c Command) runsNothing() bool {
	if c.asks {
		return true
	}
	name, rest := subcommand(c.Args)
	switch name {
	case "cat-file":
		return !slices.Contains(rest, "--filters")
	case "check-ref-format", "config", "for-each-ref", "ls-files", "ls-tree", "merge-base", "reflog", "rev-list", "rev-parse",
		"symbolic-ref", "update-ref", "version":
		return !c.Hooks
	case "log": // no patch, which a textconv would be asked for
		return !slices.ContainsFunc(rest, func(arg string) bool { return arg == "-p" || strings.HasPrefix(arg, "--patch") })
	case "hash-object":
		return slices.Contains(rest, "--stdin")
	case "var": // the others name programs that will be run
		return len(rest) == 1 && strings.HasSuffix(rest[0], "_IDENT")
	}
	return false
}

// pin has every later git of this value use the repository that was found.
func (r *Repo) pin() {
	r.pinned = []string{"GIT_DIR=" + r.GitDir, "GIT_COMMON_DIR=" + r.CommonDir}
	if r.Top != "" {
		r.pinned = append(r.pinned, "GIT_WORK_TREE="+r.Top)
	}
	for _, kv := range r.env {
		if strings.HasPrefix(kv, "GIT_INDEX_FILE=") {
			r.pinned = append(r.pinned, kv)
		}
	}
}

// Distrust keeps every later git of this value from reaching another repository: what
// is configured now may name a program for that. The process that reads objects is
// started again, so that it knows.
func (r *Repo) Distrust() {
	r.severed = []string{"GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1"}
	r.objects.close()
}

// environment returns the person's own, with the variables that name places made
// absolute, since git is run in the top folder whatever the current one is. So
// GIT_DIR, `git -c`, identity and transport variables all keep their meaning.
//
// The keys of model providers are not git's: what hooks and filters run may be
// what a session wrote.
//
// Objects are what they are: a replace ref or a graft, which a session may write too,
// would show one history here while a push sends another. The file of grafts is one
// that cannot exist, since git has a word to say about each that does.
func environment() []string {
	env := append(proc.WithoutModelKeys(os.Environ()), "GIT_NO_REPLACE_OBJECTS=1", "GIT_GRAFT_FILE="+os.DevNull+"/none")
	for i, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		switch name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY":
			if abs, err := filepath.Abs(value); err == nil && value != "" {
				env[i] = name + "=" + abs
			}
		}
	}
	return slices.Clip(env)
}

// withoutPlace returns an environment without what says which repository is meant.
func withoutPlace(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains([]string{"GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"}, name)
	})
}

// withSettings returns an environment in which git takes some settings, a key and its value
// each, before those of all files.
func withSettings(env []string, settings ...string) []string {
	n := 0
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, "GIT_CONFIG_COUNT="); ok {
			n, _ = strconv.Atoi(v)
		}
	}
	env = slices.Grow(slices.Clip(env), len(settings)+1)
	for i := 0; i < len(settings); i, n = i+2, n+1 {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n, settings[i]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, settings[i+1]))
	}
	return append(env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", n))
}
