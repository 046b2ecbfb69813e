package proc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-plan/git-plan/gitplan/disk"
)

// Environment variables that this program sets for its children.
const (
	// EnvSession marks all processes that a session or a check starts.
	EnvSession = "GIT_PLAN_SESSION"
	// EnvDepth is set in sessions and checks, where no plan is executed and our hooks do nothing.
	EnvDepth = "GIT_PLAN_DEPTH"
	// envParent says to a git plan that RunGracefully started it.
	envParent = "GIT_PLAN_PARENT"
)

// boundToRepository are the variables of `git rev-parse --local-env-vars` (a test compares the two).
var boundToRepository = []string{
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_CONFIG", "GIT_CONFIG_COUNT",
	"GIT_CONFIG_PARAMETERS", "GIT_DIR", "GIT_GRAFT_FILE", "GIT_IMPLICIT_WORK_TREE",
	"GIT_INDEX_FILE", "GIT_INTERNAL_SUPER_PREFIX", "GIT_NO_REPLACE_OBJECTS",
	"GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE", "GIT_WORK_TREE",
}

// agentMarkers are the variables by which coding agents recognise that they run inside one another.
var agentMarkers = []string{
	"CLAUDECODE", "CLAUDE_CODE_*", "CLAUDE_PID", "AI_AGENT", "AGENT", "CODEX_CI", "CODEX_THREAD_ID", "CODEX_SESSION_ID",
	"CODEX_SANDBOX*", "CODEX_VERSION", "CODEX_MANAGED_*", "GEMINI_CLI", "GEMINI_CLI_*", "OPENCODE", "OPENCODE_PID",
	"npm_config_user_agent", "QWEN_CODE", "GOOSE_TERMINAL", "CLINE_ACTIVE", "CURSOR_AGENT",
}

// modelKeys are the variables with credentials of model providers, which only an agent itself needs.
var modelKeys = []string{
	"OPENAI_*", "ANTHROPIC_*", "AZURE_OPENAI_*", "OPENROUTER_*", "GEMINI_API_KEY", "GOOGLE_API_KEY",
	"MISTRAL_API_KEY", "DEEPSEEK_API_KEY", "GROQ_API_KEY", "XAI_API_KEY", "*_API_KEY",
}

// GitEnv returns env without the keys of model providers, for git, which may run what a session wrote.
func GitEnv(env []string) []string { return without(env, modelKeys[:len(modelKeys)-1]) }

// CleanEnv returns the environment without variables that bind a child to a repository or tell it that an agent runs it.
func CleanEnv() []string {
	return without(os.Environ(), boundToRepository, agentMarkers, []string{"GIT_CONFIG_KEY_*", "GIT_CONFIG_VALUE_*"})
}

// OtherRepoEnv returns the environment for git plan in another work tree; it keeps the settings of git -c.
func OtherRepoEnv() []string {
	bound := slices.DeleteFunc(slices.Clone(boundToRepository),
		func(name string) bool { return strings.HasPrefix(name, "GIT_CONFIG_") })
	return without(os.Environ(), bound)
}

// inherited are the variables that checks and commands of the built-in agent inherit besides those of plan.passEnv.
// Stars are used only where no tool keeps a token under such a name.
var inherited = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TZ", "LANG", "LANGUAGE", "LC_*", "XDG_*",
	// Go's by name: GO* would be Google's credentials too.
	"GO111MODULE", "GO386", "GOAMD64", "GOARCH", "GOARM*", "GOAUTH", "GOBIN", "GOCACHE", "GOCACHEPROG", "GOCOVERDIR",
	"GODEBUG", "GOENV", "GOEXPERIMENT", "GOFIPS140", "GOFLAGS", "GOGC", "GOINSECURE", "GOMAXPROCS", "GOMEMLIMIT",
	"GOMODCACHE", "GONOPROXY", "GONOSUMDB", "GOOS", "GOPATH", "GOPRIVATE", "GOPROXY", "GORACE", "GOROOT", "GOSUMDB",
	"GOTMPDIR", "GOTOOLCHAIN", "GOTRACEBACK", "GOVCS", "GOWORK", "CGO_*", "CC", "CXX", "CPP", "LD", "AR", "CFLAGS",
	"CXXFLAGS", "CPPFLAGS", "LDFLAGS", "PKG_CONFIG*", "CMAKE_*", "CCACHE_*", "SCCACHE_DIR", "LD_LIBRARY_PATH",
	"LIBRARY_PATH", "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "CARGO_HOME", "CARGO_TARGET_DIR", "CARGO_BUILD_*",
	"CARGO_NET_*", "CARGO_HTTP_*", "CARGO_INCREMENTAL", "RUSTUP_*", "RUSTFLAGS", "RUSTC*", "RUSTDOCFLAGS",
	"RUST_BACKTRACE", "RUST_LOG", "JAVA_HOME", "JAVA_OPTS", "JDK_*", "MAVEN_HOME", "MAVEN_OPTS", "M2_HOME", "GRADLE_HOME",
	"GRADLE_OPTS", "GRADLE_USER_HOME", "ANDROID_HOME", "ANDROID_SDK_ROOT", "KOTLIN_HOME", "SDKMAN_*", "DOTNET_*",
	"NUGET_PACKAGES", "NODE_ENV", "NODE_OPTIONS", "NODE_PATH", "NODE_EXTRA_CA_CERTS", "NVM_DIR", "NVM_BIN", "NVM_INC",
	"FNM_*", "VOLTA_*", "COREPACK_HOME", "PNPM_HOME", "YARN_CACHE_FOLDER", "BUN_INSTALL", "DENO_DIR", "npm_config_cache",
	"npm_config_registry", "npm_config_prefix", "PYTHON*", "PYENV_*", "VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV",
	"CONDA_EXE", "PIPX_HOME", "PIP_CACHE_DIR", "PIP_CERT", "PIP_FIND_LINKS", "PIP_DISABLE_PIP_VERSION_CHECK",
	"PIP_DEFAULT_TIMEOUT", "PIP_CONFIG_FILE", "POETRY_HOME", "POETRY_CACHE_DIR", "POETRY_VIRTUALENVS_*", "UV_CACHE_DIR",
	"UV_PYTHON*", "UV_TOOL_DIR", "RBENV_*", "GEM_HOME", "GEM_PATH", "RUBYLIB", "RUBYOPT", "BUNDLE_PATH", "BUNDLE_GEMFILE",
	"RAILS_ENV", "RACK_ENV", "COMPOSER_HOME", "COMPOSER_CACHE_DIR", "PERL5LIB", "PERL_*", "OPAM*", "STACK_ROOT",
	"GHCUP_*", "MIX_ENV", "MIX_HOME", "HEX_HOME", "ASDF_*", "MISE_DATA_DIR", "MISE_CONFIG_DIR", "HOMEBREW_PREFIX",
	"HOMEBREW_CELLAR", "HOMEBREW_REPOSITORY", "NIX_*", "BAZELISK_HOME", "OMP_NUM_THREADS", "CUDA_HOME", "CUDA_PATH",
	"CUDA_VISIBLE_DEVICES", "HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy",
	"https_proxy", "ftp_proxy", "all_proxy", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR", "NIX_SSL_CERT_FILE",
	"REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "GIT_AUTHOR_*", "GIT_COMMITTER_*",
	"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CEILING_DIRECTORIES", "GIT_EXEC_PATH",
	"GIT_TEMPLATE_DIR", "GIT_PLAN_TRACE",
	// Windows needs these for anything to start.
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "USERNAME", "HOMEDRIVE",
	"HOMEPATH", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES*", "COMMONPROGRAMFILES*", "NUMBER_OF_PROCESSORS",
	"PROCESSOR_*", "OS", "MSYSTEM",
}

// unattended tells programs that no person is there to answer or to watch.
var unattended = []string{
	"CI=1", "TERM=dumb", "NO_COLOR=1", "PAGER=cat", "GIT_PAGER=cat", "EDITOR=true", "VISUAL=true", "GIT_EDITOR=true",
	"GIT_SEQUENCE_EDITOR=true", "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=true", "SSH_ASKPASS=true", "GIT_OPTIONAL_LOCKS=0",
	"DEBIAN_FRONTEND=noninteractive", "PIP_PROGRESS_BAR=off", "TQDM_DISABLE=1", "PYTHONUNBUFFERED=1", "npm_config_yes=true",
}

// CheckEnv returns the environment of checks and of commands of the built-in agent: the variables that are inherited or
// match pass, without those that match secrets. A model provider's key is passed only if pass has its full name.
func CheckEnv(secrets []string, pass ...string) []string {
	env := slices.DeleteFunc(CleanEnv(), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return !slices.Contains(pass, name) &&
			(!matchesAny(inherited, name) && !matchesAny(pass, name) || matchesAny(modelKeys, name) || matchesAny(secrets, name))
	})
	return append(append(env, unattended...), EnvDepth+"=1")
}

// launcherVariables are variables of commands that start a worker on another machine; none holds a secret.
var launcherVariables = []string{"SSH_AUTH_SOCK", "KRB5CCNAME", "SLURM_CONF", "SLURM_JOB_ID", "KUBECONFIG", "DOCKER_HOST",
	"DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY",
	"CONTAINER_HOST", "CONTAINERS_CONF", "CONTAINERS_STORAGE_CONF", "NOMAD_ADDR", "NOMAD_REGION", "NOMAD_NAMESPACE"}

// LauncherEnv returns the environment of a command that connects us with a remote worker. The command may pass all of it
// on, as srun does, so it has no key, nothing that matches secrets, and no address with a password.
func LauncherEnv(secrets []string) []string {
	return slices.DeleteFunc(without(CleanEnv(), modelKeys, secrets), func(kv string) bool {
		name, value, _ := strings.Cut(kv, "=")
		return !matchesAny(inherited, name) && !matchesAny(launcherVariables, name) ||
			strings.Contains(value, "://") && strings.Contains(value, "@")
	})
}

// ProgramEnv returns the environment of a command-line agent: all but keys and secrets, and the variables of keep.
func ProgramEnv(secrets []string, keep ...string) []string {
	env := CheckEnv(secrets, "*")
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); matchesAny(keep, name) && !slices.Contains(env, kv) {
			env = append(env, kv)
		}
	}
	return env
}

// Variable returns the last value of a variable in an environment; "" without one.
func Variable(env []string, name string) string {
	for _, kv := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(kv, name+"="); ok {
			return value
		}
	}
	return ""
}

// Withheld returns the names of this process's environment variables that env lacks.
func Withheld(env []string) (out []string) {
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if name != "" && !slices.ContainsFunc(env, func(kv string) bool { return strings.HasPrefix(kv, name+"=") }) {
			out = append(out, name)
		}
	}
	return out
}

// matchesAny reports whether a name matches one of the patterns.
func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matchesPattern(p, name) })
}

// without returns env without the variables whose names match the patterns of some lists.
func without(env []string, lists ...[]string) []string {
	all := slices.Concat(lists...)
	return slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return matchesAny(all, name)
	})
}

// matchesPattern compares a name with a pattern that may begin or end with a star; on Windows regardless of case.
func matchesPattern(pattern, name string) bool {
	if runtime.GOOS == "windows" {
		pattern, name = strings.ToUpper(pattern), strings.ToUpper(name)
	}
	switch {
	case strings.HasPrefix(pattern, "*"):
		return strings.HasSuffix(name, pattern[1:])
	case strings.HasSuffix(pattern, "*"):
		return strings.HasPrefix(name, pattern[:len(pattern)-1])
	}
	return pattern == name
}

// PathOutside returns PATH without relative folders and without folders in the work tree of the current folder, such as
// .venv/bin or node_modules/.bin, where a session may have written a program named git.
func PathOutside() string {
	dirs := slices.DeleteFunc(filepath.SplitList(os.Getenv("PATH")), inTree(WorkTrees()))
	return strings.Join(dirs, string(os.PathListSeparator))
}

// linkFree caches paths without symbolic links and outside of work trees, which no session can change.
var linkFree sync.Map

// inTree returns a function that reports whether a path is, or leads, below one of tops, or is relative.
func inTree(tops []string) func(path string) bool {
	return func(path string) bool {
		if !filepath.IsAbs(path) {
			return true
		}
		within := func(p string) bool {
			return slices.ContainsFunc(tops, func(top string) bool { return disk.Within(top, p) })
		}
		if _, ok := linkFree.Load(path); ok || within(filepath.Clean(path)) {
			return within(filepath.Clean(path))
		}
		real, err := filepath.EvalSymlinks(path)
		if real == path {
			linkFree.Store(path, true)
		}
		return err == nil && within(real)
	}
}

// WorkTrees returns the folders with a .git from the current one upwards, the nearest first, and then the one that
// GIT_WORK_TREE names: a session may have made the nearest in another. Above the nearest it leaves out the home, and a
// temporary folder with an empty .git, which codex makes in /tmp. It runs no git, since it decides which git may run.
func WorkTrees() (out []string) {
	dir, err := os.Getwd()
	dir = disk.Real(dir)
	home, _ := os.UserHomeDir()
	temporary := []string{disk.Real(os.TempDir()), disk.Real("/tmp")}
	for above := ""; err == nil && dir != above; dir = filepath.Dir(dir) {
		_, none := os.Lstat(filepath.Join(dir, ".git"))
		entries, unread := os.ReadDir(filepath.Join(dir, ".git"))
		empty := unread == nil && len(entries) == 0 && slices.Contains(temporary, dir)
		if none == nil && (out == nil || dir != disk.Real(home) && !empty) {
			out = append(out, dir)
		}
		above = dir
	}
	if named, err := filepath.Abs(os.Getenv("GIT_WORK_TREE")); err == nil && os.Getenv("GIT_WORK_TREE") != "" {
		out = append(out, disk.Real(named))
	}
	return out
}

// FindOutside is Find for a program that runs unconfined. inside: only the work tree has one of that name.
func FindOutside(name string) (path string, inside, ok bool) {
	if !strings.ContainsRune(name, filepath.Separator) {
		if p, err := findOutside(name); err == nil {
			return p, false, true
		}
	}
	p, err := exec.LookPath(name)
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return "", false, false
	}
	abs, err := filepath.Abs(p)
	return p, err != nil || inTree(WorkTrees())(abs), true
}

// findOutside returns the path of a program outside of the work tree.
func findOutside(name string) (string, error) {
	in := inTree(WorkTrees())
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if p, err := exec.LookPath(filepath.Join(dir, name)); err == nil && !in(dir) && !in(p) {
			return p, nil
		}
	}
	if p, err := exec.LookPath(name); err == nil {
		return "", fmt.Errorf("%s lies in the work tree, where sessions write", p)
	}
	return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
}

// Mark returns the variable that marks a session's processes, as name=value.
func Mark(session string) string { return EnvSession + "=" + session }

// Sweep kills every process that has the mark of a session in its environment, as even a daemon has.
func Sweep(mark string) {
	if mark == "" || mark == Mark("") {
		return
	}
	for range 5 { // a process may start another one, or execute another program, during the search
		found, unsure := markedProcesses(mark)
		if len(found) == 0 && !unsure {
			return
		}
		for _, pid := range found {
			if p, err := os.FindProcess(pid); err == nil {
				_ = p.Kill()
			}
		}
		if len(found) == 0 {
			time.Sleep(time.Millisecond)
		}
	}
}

// markedProcesses returns the other processes with a mark. unsure: the environment of some cannot be read at this moment.
func markedProcesses(mark string) (pids []int, unsure bool) {
	wanted := []byte("\x00" + mark + "\x00")
	for _, pid := range processes() {
		if pid == os.Getpid() {
			continue
		}
		env, known := environ(pid)
		unsure = unsure || !known
		if bytes.Contains(append([]byte{0}, env...), wanted) {
			pids = append(pids, pid)
		}
	}
	return pids, unsure
}

// environmentAfterArguments returns the environment in KERN_PROCARGS2 of macOS, which is the number of arguments, the
// program's path, NULs up to the next boundary, the arguments and the environment, each ended by a NUL.
func environmentAfterArguments(b []byte) []byte {
	if len(b) < 4 {
		return nil
	}
	n := int(int32(binary.NativeEndian.Uint32(b)))
	_, b, found := bytes.Cut(b[4:], []byte{0})
	b = bytes.TrimLeft(b, "\x00")
	for ; n > 0 && found; n-- {
		_, b, found = bytes.Cut(b, []byte{0})
	}
	if !found {
		return nil
	}
	return b
}
