//go:build unix

package proc

import (
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// A command-line agent keeps the variables that it needs, and no other agent's key.
func TestVariablesOfAnAgent(t *testing.T) {
	for _, name := range []string{"GIT_DIR", "CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "MY_OWN", "HARMLESS"} {
		t.Setenv(name, "x")
	}
	env := ProgramEnv([]string{"MY_OWN"}, "ANTHROPIC_*", "CLAUDE_CODE_OAUTH_TOKEN")
	for name, want := range map[string]int{"GIT_DIR": 0, "CLAUDECODE": 0, "CLAUDE_CODE_SESSION_ID": 0, "OPENAI_API_KEY": 0, "MY_OWN": 0,
		"CLAUDE_CODE_OAUTH_TOKEN": 1, "ANTHROPIC_API_KEY": 1, "HARMLESS": 1} {
		n := 0
		for _, kv := range env {
			if kv == name+"=x" {
				n++
			}
		}
		if n != want {
			t.Errorf("%s is there %d times, want %d", name, n, want)
		}
	}
}

// git itself lists the variables that bind a process to a repository.
func TestNoVariableThatBindsToARepositoryIsInherited(t *testing.T) {
	out, err := exec.Command("git", "rev-parse", "--local-env-vars").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields(string(out)) {
		t.Setenv(name, "x")
	}
	t.Setenv("CLAUDECODE", "1")
	t.Setenv("SOME_API_KEY", "secret")
	t.Setenv("GIT_AUTHOR_NAME", "kept")
	for name, env := range map[string][]string{"sessions": CheckEnv(nil), "persons": CheckEnv(nil, "*")} {
		for _, name := range append(strings.Fields(string(out)), "CLAUDECODE", "SOME_API_KEY") {
			if has(env, name) {
				t.Errorf("%s is inherited", name)
			}
		}
		if !slices.Contains(env, "GIT_AUTHOR_NAME=kept") {
			t.Errorf("%s: GIT_AUTHOR_NAME is not inherited", name)
		}
	}
}

func has(env []string, name string) bool {
	return slices.ContainsFunc(env, func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
}

// Sessions inherit the listed variables and those that the person passes, and no secret by accident; tools
// are told that they run unattended.
func TestInheritedVariables(t *testing.T) {
	for _, name := range []string{"GOFLAGS", "LC_TIME", "HTTPS_PROXY", "DATABASE_URL", "DB_HOST", "AWS_SECRET_ACCESS_KEY",
		"GOOGLE_APPLICATION_CREDENTIALS", "GITHUB_TOKEN", "DB_API_KEY", "OPENAI_API_KEY", "MINE", "EDITOR"} {
		t.Setenv(name, "x")
	}
	for _, c := range []struct {
		pass []string
		want string
	}{
		{nil, "GOFLAGS LC_TIME HTTPS_PROXY"},
		{[]string{"DATABASE_URL", "DB_*"}, "GOFLAGS LC_TIME HTTPS_PROXY DATABASE_URL DB_HOST"},
		{[]string{"OPENAI_API_KEY", "MINE"}, "GOFLAGS LC_TIME HTTPS_PROXY OPENAI_API_KEY MINE"},
		{[]string{"*"}, "GOFLAGS LC_TIME HTTPS_PROXY DATABASE_URL DB_HOST AWS_SECRET_ACCESS_KEY GOOGLE_APPLICATION_CREDENTIALS GITHUB_TOKEN"},
	} {
		env := CheckEnv([]string{"MINE"}, c.pass...)
		var got []string
		for _, name := range strings.Fields("GOFLAGS LC_TIME HTTPS_PROXY DATABASE_URL DB_HOST AWS_SECRET_ACCESS_KEY " +
			"GOOGLE_APPLICATION_CREDENTIALS GITHUB_TOKEN DB_API_KEY OPENAI_API_KEY MINE") {
			if has(env, name) {
				got = append(got, name)
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("with %v they inherit %s; want %s", c.pass, s, c.want)
		}
		name, args := Shell(`test "$EDITOR$CI$GIT_TERMINAL_PROMPT" = true10`)
		if exit, err := Run(t.Context(), Cmd{Name: name, Args: args, Env: env}); err != nil || !exit.OK() {
			t.Errorf("with %v a program is not told that it runs unattended", c.pass)
		}
	}
	if w := Withheld(CheckEnv(nil)); !slices.Contains(w, "DATABASE_URL") || slices.Contains(w, "GOFLAGS") {
		t.Errorf("withheld: %v", w)
	}
}

// A star matches the rest of a name, at one end of it.
func TestPatternsOfVariables(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{{"LC_*", "LC_TIME", true}, {"LC_*", "LC_", true}, {"LC_*", "XLC_A", false}, {"*_API_KEY", "X_API_KEY", true}, {"*_API_KEY", "X_API_KEYS", false},
		{"HOME", "HOME", true}, {"HOME", "HOMES", false}, {"*", "ANY", true}, {"home", "HOME", runtime.GOOS == "windows"}} {
		if got := matchesPattern(c.pattern, c.name); got != c.want {
			t.Errorf("%s fits %s: %v", c.name, c.pattern, got)
		}
	}
	env := GitEnv([]string{"OPENAI_API_KEY=x", "ANTHROPIC_AUTH_TOKEN=x", "MY_API_KEY=x", "HOME=/h", "odd"})
	if got := strings.Join(env, " "); got != "MY_API_KEY=x HOME=/h odd" {
		t.Errorf("without the keys of models: %s", got)
	}
}
