package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/git-plan/git-plan/gitplan/proc"
)

// A session may have written anything in a work tree. So every git gets its environment from environ:
//
//   - It works in this repository and no other: if its .git is removed or replaced later, git fails.
//   - It is the git that is installed, and no program of that name in the work tree.
//   - It starts no hooks, file system monitor, git in a submodule, or program that checks signatures.
//
// A Command with Hooks is the exception: the person's own git, as if they had typed it. What only the
// configuration can name (filters, drivers, helpers) stays on, since the same files would be read differently:
// the configuration is compared after a session, before git is asked anything (package integrity).

// safeConfig lists settings, keys and values in turn, by which git runs nothing of a repository except hooks.
var safeConfig = []string{
	"core.fsmonitor", "false",
	"core.alternateRefsCommand", "true", // without it git asks the other repository, by its settings
	"log.showSignature", "false", "submodule.recurse", "false", "fetch.recurseSubmodules", "false",
	"push.recurseSubmodules", "no", "status.submoduleSummary", "false",
	"core.trustctime", "true", // a session can set back every other time of a file
	"core.checkStat", "default",
	"core.ignoreStat", "false", // true marks each file that git checks out assume-unchanged
}

// events lists the events for which git may run hooks. Since git 2.54 hooks can be configured, regardless of
// core.hooksPath. Since 2.55 all of an event can be switched off; before that, only each by its name.
var events = []string{"applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit",
	"prepare-commit-msg", "commit-msg", "post-commit", "pre-rebase", "post-checkout", "post-merge", "pre-push",
	"reference-transaction", "push-to-checkout", "pre-auto-gc", "post-rewrite", "post-index-change", "fsmonitor-watchman",
	"pre-receive", "update", "proc-receive", "post-receive", "post-update", "sendemail-validate"}

// withoutHooks is safeConfig with the settings that switch hooks off.
var withoutHooks = func() []string {
	out := append(slices.Clip(safeConfig), "core.hooksPath", os.DevNull)
	for _, event := range events {
		out = append(out, "hook."+event+".enabled", "false")
	}
	return out
}()

// environ returns the environment in which git runs the command c.
func (r *Repo) environ(c Command) []string {
	if c.Hooks { // a hook may start git in another repository, so this one is not pinned
		return WithSettings(r.env, safeConfig...)
	}
	env := append(slices.Clip(r.env), "PATH="+proc.PathOutside()) // git looks there for helpers
	if r.pinned != nil {
		env = append(withoutRepository(env), r.pinned...)
	}
	if c.isConfigQuery {
		return env
	}
	env = append(WithSettings(env, slices.Concat(withoutHooks, r.disabledHooks)...), r.transports...)
	if f := r.filters; f != nil && !c.runsNothing() { // Trusted, which runs before such a command, sets the filters
		env = append(WithSettings(env, f.settings...), f.env...)
	}
	return env
}

// runsNothing reports whether a command, with hooks off, executes nothing that is configured.
func (c Command) runsNothing() bool {
	if c.isConfigQuery {
		return true
	}
	name, rest := subcommand(c.Args)
	switch name {
	case "cat-file":
		return !slices.Contains(rest, "--filters")
	case "check-ref-format", "config", "for-each-ref", "ls-files", "ls-tree", "merge-base", "reflog", "rev-list", "rev-parse",
		"symbolic-ref", "update-ref", "version":
		return !c.Hooks
	case "log": // but not with a patch, for which git runs textconv
		return !slices.ContainsFunc(rest, func(arg string) bool { return arg == "-p" || strings.HasPrefix(arg, "--patch") })
	case "hash-object":
		return slices.Contains(rest, "--stdin")
	case "var": // others name programs that the caller will run
		return len(rest) == 1 && strings.HasSuffix(rest[0], "_IDENT")
	}
	return false
}

// ForbidTransports keeps every later git of r from reaching another repository, since the current configuration may
// name a program for that. The process that reads objects is restarted under the same rule.
func (r *Repo) ForbidTransports() {
	r.transports = []string{"GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1"}
	r.objects.close()
}

// environment returns the person's environment with absolute paths, since git runs in the top folder, and
// without the keys of model providers, since hooks and filters may run what a session wrote. Replace refs and
// grafts, which a session may write, are off; git warns of any file of grafts that exists.
func environment() []string {
	env := append(proc.GitEnv(os.Environ()), "GIT_NO_REPLACE_OBJECTS=1", "GIT_GRAFT_FILE="+os.DevNull+"/none",
		"GIT_LITERAL_PATHSPECS=0", "GIT_GLOB_PATHSPECS=0", "GIT_NOGLOB_PATHSPECS=0", "GIT_ICASE_PATHSPECS=0")
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

// withoutRepository returns an environment without the variables that say which repository to use.
func withoutRepository(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains([]string{"GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"}, name)
	})
}

// WithSettings returns an environment in which git prefers some settings, keys and values in turn.
func WithSettings(env []string, settings ...string) []string {
	n, _ := strconv.Atoi(proc.Variable(env, "GIT_CONFIG_COUNT"))
	env = slices.Grow(slices.Clip(env), len(settings)+1)
	for i := 0; i < len(settings); i, n = i+2, n+1 {
		number := strconv.Itoa(n) + "="
		env = append(env, "GIT_CONFIG_KEY_"+number+settings[i], "GIT_CONFIG_VALUE_"+number+settings[i+1])
	}
	return append(env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", n))
}

// confinedIn is the variable by which filters learn the bounds of their sandbox.
const confinedIn = "GIT_PLAN_FILTERS"

// Filter is a configured command: filter.NAME.clean, smudge or process, or merge.NAME.driver.
type Filter struct{ Key, Command string }

// filters has the confined filters of one configuration.
type filters struct {
	once     sync.Once
	err      error
	settings []string // keys and values in turn, set by ConfineFilters
	env      []string // confinedIn, which the commands in settings need
}

// ConfinedOnce calls confine once for all repositories that read the same configuration as r, and returns its error.
func (r *Repo) ConfinedOnce(confine func() error) error {
	r.filters.once.Do(func() { r.filters.err = confine() })
	return r.filters.err
}

// ConfineFilters makes later gits of r, except those with Hooks, run the filters by program, which is this one, within
// the bounds of spec. If such a filter fails git fails, too: its unfiltered input may be meant to be encrypted.
func (r *Repo) ConfineFilters(config *Config, program, spec string, confined []Filter) {
	to := r.filters
	for _, f := range confined {
		dot := strings.LastIndexByte(f.Key, '.')
		name, variable := f.Key[:dot], f.Key[dot+1:]
		if strings.HasPrefix(strings.ToLower(name), "filter.") {
			to.settings = append(to.settings, name+".required", "true")
			for _, other := range []string{".clean", ".smudge"} { // a required filter needs both
				if v, _ := config.Get(name + other); v == "" {
					to.settings = append(to.settings, name+other, "cat")
				}
			}
		}
		to.settings = append(to.settings, f.Key, confinedCommand(program, f.Command, placeholders[variable]))
	}
	to.env = []string{confinedIn + "=" + spec}
}

// placeholders has the letters that git replaces in a filter's command, by its variable.
var placeholders = map[string]string{"clean": "f", "smudge": "f", "driver": "OABLP", "process": ""}

// confinedCommand returns a command line that runs command in the sandbox. Each placeholder of git becomes an argument,
// since within the quotes its value could become another command.
func confinedCommand(program, command, letters string) string {
	var args []string
	if letters != "" {
		command = regexp.MustCompile("%[%"+letters+"]").ReplaceAllStringFunc(command, func(at string) string {
			if at == "%%" {
				return "%"
			}
			args = append(args, at)
			return fmt.Sprintf(`"${%d}"`, len(args))
		})
		command, program = strings.ReplaceAll(command, "%", "%%"), strings.ReplaceAll(program, "%", "%%")
	}
	return strings.Join(append([]string{fmt.Sprintf(`%s="$%s"`, proc.ConfinedVariable, confinedIn),
		quotedForShell(program), "sh -c", quotedForShell(command), "sh"}, args...), " ")
}

func quotedForShell(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// SameFile reports whether two states of a file are of the same one without a write between them, by times and size.
func SameFile(was, is fs.FileInfo) bool {
	return os.SameFile(was, is) && was.Size() == is.Size() && was.ModTime().Equal(is.ModTime()) &&
		proc.Changed(was).Equal(proc.Changed(is))
}

// writtenFolders are those in a repository where git or this program writes or reads files with predictable names, and
// the one from which git-lfs, which runs outside of the sandbox, copies files into the work tree.
var writtenFolders = []string{"refs", "logs", "info", "objects", "reftable", "plan", "lfs", "rebase-merge",
	"rebase-apply", "sequencer"}

// SpecialFiles returns the links, pipes and devices where git, or this program, writes, by path, each with its kind and
// the target of a link. A link could lead to any file of the person's, and at a pipe git would wait forever.
func SpecialFiles(r *Repo) map[string]string {
	out := map[string]string{}
	objects, plans := filepath.Join(r.CommonDir, "objects"), r.PlanDir()
	var look func(dir string, into func(name string) bool)
	look = func(dir string, into func(name string) bool) {
		entries, err := os.ReadDir(dir)
		if errors.Is(err, fs.ErrPermission) && os.Chmod(dir, 0o700) == nil { // a session may have made it unreadable
			entries, _ = os.ReadDir(dir)
		}
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			switch {
			case e.Type().IsRegular():
			case !e.IsDir():
				to, _ := os.Readlink(path)
				out[path] = e.Type().String() + to
			case into(e.Name()):
				look(path, func(name string) bool {
					// Files of objects have no predictable names; the work tree of a queue is compared as a tree.
					return (path != objects || len(name) > 2) && (dir != plans || name != "tree")
				})
			}
		}
	}
	for _, dir := range slices.Compact([]string{r.CommonDir, r.GitDir}) {
		look(dir, func(name string) bool { return slices.Contains(writtenFolders, name) })
	}
	return out
}

// Planted returns the special files that were created or changed since SpecialFiles returned before; nil for nil.
func Planted(r *Repo, before map[string]string) (out []string) {
	if before == nil {
		return nil
	}
	for path, is := range SpecialFiles(r) {
		if was, ok := before[path]; !ok || was != is {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}
