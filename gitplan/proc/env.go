package proc

import (
	"os"
	"strings"
)

// Environment variables that this program sets for its children.
const (
	// EnvSession marks every process that a session or a check starts.
	EnvSession = "GIT_PLAN_SESSION"
	// EnvDepth is set in sessions and checks; where it is set, no plan is
	// executed (a plan inside a plan's session) and our hooks do nothing.
	EnvDepth = "GIT_PLAN_DEPTH"
)

// boundToRepository are the variables that tie a git process to one
// repository or index, as `git rev-parse --local-env-vars` lists them (a test
// holds the two equal). A hook, an alias or `git -C` sets some of them; a child
// that works somewhere else must not see them.
var boundToRepository = []string{
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_CONFIG", "GIT_CONFIG_COUNT",
	"GIT_CONFIG_PARAMETERS", "GIT_DIR", "GIT_GRAFT_FILE", "GIT_IMPLICIT_WORK_TREE",
	"GIT_INDEX_FILE", "GIT_INTERNAL_SUPER_PREFIX", "GIT_NO_REPLACE_OBJECTS",
	"GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE", "GIT_WORK_TREE",
}

// nested are the variables by which coding agents recognise that they run
// inside one another; a session is never inside the one we may run under.
var nested = []string{
	"CLAUDECODE", "CLAUDE_CODE_*", "CLAUDE_PID", "AI_AGENT", "AGENT",
	"CODEX_CI", "CODEX_THREAD_ID", "CODEX_SESSION_ID", "CODEX_SANDBOX*", "CODEX_VERSION", "CODEX_MANAGED_*",
	"GEMINI_CLI", "GEMINI_CLI_*", "OPENCODE", "OPENCODE_PID",
}

// keys are the names under which the credentials of model providers are kept.
// Nothing a session or a check starts needs them but the agent itself.
var keys = []string{
	"OPENAI_*", "ANTHROPIC_*", "AZURE_OPENAI_*", "OPENROUTER_*", "GEMINI_API_KEY", "GOOGLE_API_KEY",
	"MISTRAL_API_KEY", "DEEPSEEK_API_KEY", "GROQ_API_KEY", "XAI_API_KEY", "*_API_KEY",
}

// WithoutModelKeys is an environment without the keys of model providers that
// this program itself may have been given.
func WithoutModelKeys(env []string) []string { return without(env, keys[:len(keys)-1]) }

// Clean is this process's environment without what binds a child to a
// repository and without the marks of the agent we may run under.
func Clean() []string {
	return without(os.Environ(), boundToRepository, nested, []string{"GIT_CONFIG_KEY_*", "GIT_CONFIG_VALUE_*"})
}

// Worker is the environment of checks and of the commands of the built-in
// agent: Clean, without the keys of model providers and those named by
// secrets, told not to expect a person. A name in keep stays.
func Worker(secrets []string, keep ...string) []string {
	env := without(Clean(), exceptNames(append(append([]string{}, keys...), secrets...), keep))
	env = append(env, kept(keep)...)
	return append(env,
		"GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true", "GIT_SEQUENCE_EDITOR=true", "GIT_PAGER=cat", "PAGER=cat",
		"GIT_OPTIONAL_LOCKS=0", "TERM=dumb", "NO_COLOR=1", "CI=1", EnvDepth+"=1")
}

// exceptNames drops the patterns that are exactly one of names.
func exceptNames(patterns, names []string) []string {
	var out []string
	for _, p := range patterns {
		if !contains(names, p) {
			out = append(out, p)
		}
	}
	return out
}

// kept are the variables named, where a wider pattern would have taken them.
func kept(names []string) []string {
	var out []string
	for _, n := range names {
		if v, ok := os.LookupEnv(n); ok {
			out = append(out, n+"="+v)
		}
	}
	return out
}

func without(env []string, lists ...[]string) []string {
	out := make([]string, 0, len(env))
next:
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		for _, list := range lists {
			for _, p := range list {
				if matches(p, name) {
					continue next
				}
			}
		}
		out = append(out, kv)
	}
	return out
}

// matches compares a name with a pattern that may begin or end with a star.
func matches(pattern, name string) bool {
	switch {
	case strings.HasPrefix(pattern, "*"):
		return strings.HasSuffix(name, pattern[1:])
	case strings.HasSuffix(pattern, "*"):
		return strings.HasPrefix(name, pattern[:len(pattern)-1])
	}
	return pattern == name
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
