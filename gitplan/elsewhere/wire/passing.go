package wire

import (
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/pattern"
)

// What decides there which programs are run, where files are, and what git does: those names are the
// other machine's own.
var (
	itsOwn    = []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "ENV", "IFS", "CDPATH", "TMPDIR", "TMP", "TEMP", "PWD", "OLDPWD", "PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PERL5LIB", "PERL5OPT", "RUBYOPT", "RUBYLIB", "NODE_OPTIONS", "NODE_PATH", "JAVA_TOOL_OPTIONS"}
	itsOwnTo  = []string{"GIT_", "LD_", "DYLD_", "BASH_", "SSH_", "XDG_", "SLURM_", "GORACE", "GODEBUG", "GOTRACEBACK", "GOCOVERDIR", "GLIBC_", "MALLOC_"}
	variables = pattern.Of(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// MayPass reports whether a worker may be sent a variable of this name.
func MayPass(name string) bool {
	upper := strings.ToUpper(name)
	return variables.MatchString(name) && !slices.Contains(itsOwn, upper) && !slices.ContainsFunc(itsOwnTo, func(with string) bool { return strings.HasPrefix(upper, with) })
}

// MaySet reports whether a worker may be sent this setting of git's.
func MaySet(key string) bool {
	lower := strings.ToLower(key)
	return lower == "user.name" || lower == "user.email" || strings.HasPrefix(lower, "plan.") || strings.HasPrefix(lower, "planagent.")
}
