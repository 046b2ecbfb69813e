package settings

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mvdan.cc/sh/v3/shell"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/builtin"
	"github.com/git-plan/git-plan/gitplan/agent/model"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/testdata/repository"
)

// configured returns the settings in force in a repository with some lines "key=value".
func configured(t *testing.T, lines ...string) *Config {
	t.Helper()
	dir := repository.New(t)
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENROUTER_API_KEY", "AZURE_OPENAI_API_KEY", "SSL_CERT_FILE"} {
		t.Setenv(name, "")
	}
	r, err := git.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	for _, line := range lines {
		key, value, _ := strings.Cut(line, "=")
		if err := r.SetConfig(t.Context(), key, value); err != nil {
			t.Fatal(err)
		}
	}
	c, err := r.Config(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return New(c)
}

// A value is git's, else the repository's proposal, else the default; the error about an invalid one names
// its key.
func TestValues(t *testing.T) {
	c := configured(t, "plan.attempts=5", "plan.push=Step", "plan.drift=perhaps", "plan.maxTime=1h", "plan.checkTimeout=soon",
		"plan.reviewRounds=many", "plan.jobs=0", "plan.executor.timeout=2m", "plan.reviewers=a, b c")
	c.Proposed = map[string]string{"plan.branchprefix": "w/", "plan.attempts": "1"}
	text := func(v any, err error) string {
		if err != nil && !errors.Is(err, fault.ErrAgentSetup) {
			t.Errorf("%v is of another kind", err)
		}
		return strings.TrimSuffix(fmt.Sprint(v, " ", err), " <nil>")
	}
	for _, row := range [][2]string{
		{text(c.Int("plan.attempts")), "5"},
		{c.String("plan.branchPrefix"), "w/"},
		{text(c.Int("plan.jobs")), `0 plan.jobs is "0": it must be a number from 1 up`},
		{text(c.Int("plan.reviewRounds")), `0 plan.reviewRounds is "many": it must be a number from 1 up`},
		{text(c.Word("plan.push")), "step"},
		{text(c.Word("plan.prePush")), "warn"},
		{text(c.Word("plan.drift")), `fail plan.drift is "perhaps": it must be declared, report or fail`},
		{text(c.Duration("plan.maxTime")), "1h0m0s"},
		{text(c.Duration("plan.checkTimeout")), `0s plan.checkTimeout is "soon": it must be a time such as 90s or 10m`},
		{c.Role(agent.Executor, "timeout"), "2m"},
		{c.Role(agent.Fixer, "timeout"), "60m"},
		{strings.Join(c.List("plan.reviewers"), "|"), "a|b|c"},
	} {
		if row[0] != row[1] {
			t.Errorf("%q, want %q", row[0], row[1])
		}
	}
}

// Each key has a kind, and so has its default.
func TestDefaultsAreOfTheirKinds(t *testing.T) {
	c := configured(t)
	for _, k := range Keys {
		var err error
		switch k.Kind {
		case Text, Command:
		case Number:
			_, err = strconv.Atoi(k.Default)
		case Time:
			_, err = c.DurationOf(k.Name, k.Default)
		case Budget:
			if k.Default != "none" {
				err = errors.New("a budget holds only if it is set")
			}
		default:
			_, err = c.Word(k.Name)
			if strings.Contains(k.Name, "<") {
				err = errors.New("Word does not find its row")
			}
		}
		if err != nil {
			t.Errorf("%s, of kind %s, is %q by default: %v", k.Name, k.Kind, k.Default, err)
		}
	}
}

// A repository may make the program do less, never more, and nothing else.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ key, value, want string }{
		{"plan.attempts", "2", ""}, {"PLAN.ATTEMPTS", "3", ""}, {"plan.branchPrefix", "work/", ""},
		{"plan.attempts", "4", "it is more than the default, 3"}, {"plan.reviewRounds", "-1", "it is not a number"},
		{"plan.attempts", "some", "it is not a number"}, {"planAgent.x.command", "rm", "a repository may not set it"},
	} {
		if got := Refused(c.key, c.value); got != c.want {
			t.Errorf("%s=%s: %q, want %q", c.key, c.value, got, c.want)
		}
	}
}

// Each key that is set is listed with its origin; so is an unknown one.
func TestSettings(t *testing.T) {
	c := configured(t, "plan.attempts=5", "planAgent.mine.command=do it", "plan.executor.model=big", "plan.atempts=2")
	c.Proposed = map[string]string{"plan.branchprefix": "work/"}
	all := map[string]Setting{}
	for _, s := range c.Settings() {
		all[s.Key] = s
	}
	for key, want := range map[string]string{
		"plan.attempts": "5 local", "planAgent.mine.command": "do it local", "plan.executor.model": "big local",
		"plan.branchPrefix": "work/ repository", "plan.push": "never default", "planAgent.<name>.model": " default", "plan.atempts": "2 unknown",
	} {
		if s := all[key]; s.Value+" "+s.Scope != want {
			t.Errorf("%s is %q of %q, want %q", key, s.Value, s.Scope, want)
		}
	}
	for key, want := range map[string]string{
		"plan.attempts": "plan.attempts", "PLAN.push": "plan.push", "plan.<role>.model": "plan.executor.model",
		"planAgent.<name>.command": "planAgent.mine.command", "plan.fixer.agent": "plan.fixer.agent", "plan.nobody.agent": "", "core.editor": "",
	} {
		var keys []string
		for _, s := range c.Matching(key) {
			keys = append(keys, s.Key)
		}
		if got := strings.Join(keys, " "); got != want {
			t.Errorf("%s matches %q, want %q", key, got, want)
		}
	}
}

func TestArguments(t *testing.T) {
	t.Setenv("HOME", "/h")
	for line, want := range map[string]string{
		"": "", " a  b\tc ": "a|b|c", `'a b' "c d"`: "a b|c d", `a\ b "\"" '\'`: `a b|"|\`, `"" x`: "|x", `$HOME *`: "/h|*", "~/bin/a": "/h/bin/a", "a;b": "error", "$(a)": "error", "C:/x {a}": "C:/x|{a}",
		`"a`: "error", `'`: "error",
	} {
		out, err := shell.Fields(line, nil)
		got := strings.Join(out, "|")
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%q gives %q, want %q", line, got, want)
		}
	}
}

// Keys choose the agent of a role; the error about a wrong configuration names what to set.
func TestAgents(t *testing.T) {
	const local = "planAgent.local.baseURL=http://127.0.0.1:9/v1"
	for _, c := range []struct{ name, lines, want string }{
		{"a command", "plan.agent=mine;planAgent.mine.command=do it", "mine"},
		{"of the role", "plan.agent=mine;plan.executor.agent=other;planAgent.other.command=do it", "other"},
		{"an endpoint here", "plan.agent=local;planAgent.local.model=small;" + local, "local"},
		{"without a model", "plan.agent=local;" + local, "agent local has no model: planAgent.local.model names it"},
		{"without an address", "plan.agent=local", "agent local is not set up: neither planAgent.local.command nor planAgent.local.baseURL is set"},
		{"without a scheme", "plan.agent=local;planAgent.local.baseURL=here:1/v1", "the base URL of agent local has no scheme: is it http://here:1/v1?"},
		{"without a host", "plan.agent=local;planAgent.local.baseURL=http://", "the base URL of agent local names no host"},
		{"with a query", "plan.agent=local;planAgent.local.model=m;" + local + "?a=b", "agent local: its base URL must be http:// or https://, a host and a path, and no more"},
		{"far away without a key", "plan.agent=far;planAgent.far.model=m;planAgent.far.baseURL=https://example.com/v1", "planAgent.far.apiKeyEnv does not name the variable with the key for example.com"},
		{"with an empty key", "plan.agent=far;planAgent.far.model=m;planAgent.far.apiKeyEnv=FAR;planAgent.far.baseURL=https://example.com/v1", "FAR is empty: no key for example.com"},
		{"a key over plain HTTP", "plan.agent=r;planAgent.r.model=m;planAgent.r.baseURL=http://openrouter.ai/api/v1", "planAgent.r.baseURL is not https, so OPENROUTER_API_KEY would go to openrouter.ai unencrypted"},
		{"a router's key", "plan.agent=r;planAgent.r.model=m;planAgent.r.baseURL=https://openrouter.ai/api/v1", "OPENROUTER_API_KEY is empty: no key for openrouter.ai"},
		{"openai", "plan.agent=openai", "OPENAI_API_KEY is empty: no key for api.openai.com"},
		{"a wrong price", "plan.agent=mine;planAgent.mine.command=x;planAgent.mine.price=cheap", `planAgent.mine.price is "cheap": it must be three or four numbers: in, cached, out, written to the cache`},
		{"not installed", "plan.agent=claude;planAgent.claude.program=/nowhere/claude", "agent claude is not installed: there is no program /nowhere/claude"},
		{"a word for a shell", "plan.agent=codex;planAgent.codex.program=codex <(ls)", "planAgent.codex.program: <( and >( need a shell"},
		{"wrong arguments", "plan.agent=codex;planAgent.codex.program='", "planAgent.codex.program: 1:1: reached EOF without closing quote `'`"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := configured(t, strings.Split(c.lines, ";")...).Agent(agent.Executor)
			got := ""
			if err != nil {
				got = err.Error()
			} else {
				got = a.Name()
			}
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// Model and effort of a role belong to its own agent; a step or a fallback can choose another.
func TestOtherAgents(t *testing.T) {
	c := configured(t, "plan.agent=mine", "planAgent.mine.command=do it", "planAgent.mine.price=1, 0.5, 2", "plan.executor.model=big",
		"plan.executor.effort=high", "planAgent.other.command=x", "planAgent.other.model=small", "plan.executor.fallback=other", "planAgent.k.apiKeyEnv=MY_KEY",
		"planAgent.local.baseURL=http://localhost:1", "plan.fixer.agent=local")
	if m, e := c.Model("mine", agent.Executor); m+e != "bighigh" {
		t.Errorf("mine has %q and %q", m, e)
	}
	if m, e := c.Model("other", agent.Executor); m != "small" || e != "" {
		t.Errorf("other has %q and %q", m, e)
	}
	if a, err := c.StepAgent(&plan.Step{Agent: "other"}, agent.Executor); err != nil || a.Name() != "other" {
		t.Errorf("a step's agent: %v, %v", a, err)
	}
	if a, err := c.Fallback(agent.Executor); err != nil || a.Name() != "other" {
		t.Errorf("the fallback: %v, %v", a, err)
	}
	if a, err := c.Fallback(agent.Planner); a != nil || err != nil {
		t.Errorf("no fallback: %v, %v", a, err)
	}
	if p, err := c.Price("mine"); err != nil || p != (agent.Price{In: 1, Cached: 0.5, Out: 2, Written: 1.25}) {
		t.Errorf("the price: %v, %v", p, err)
	}
	if got := c.AgentKey(agent.Fixer) + " " + c.AgentKey(agent.Executor); got != "plan.fixer.agent plan.agent" {
		t.Errorf("the keys are %s", got)
	}
	for role, want := range map[agent.Role]int{agent.Fixer: model.LocalWindow, agent.Executor: model.UsualWindow} {
		if got := c.Window(role); got != want {
			t.Errorf("the window of the %s is %d, want %d", role, got, want)
		}
	}
	if !slices.Contains(c.KeyVariables(), "MY_KEY") || !c.KnowsAgent("codex") || !c.KnowsAgent("other") || c.KnowsAgent("nobody") {
		t.Errorf("the keys are in %v", c.KeyVariables())
	}
	if got := c.FullPrompt(&plan.Step{}, agent.Session{Role: agent.Executor, Prompt: agent.Prompt{User: "do this"}}); !strings.Contains(got, "do this") {
		t.Errorf("a session is sent %q", got)
	}
}

// Model keys are passed neither to checks nor to a person's other commands; a person's command that is the
// agent itself keeps them.
func TestEnvironment(t *testing.T) {
	c := configured(t, "planAgent.mine.command=do it", "planAgent.k.apiKeyEnv=MY_KEY", "plan.passEnv=MY_OWN")
	t.Setenv("MY_KEY", "secret")
	t.Setenv("MY_OWN", "1")
	mine, err := c.NamedAgent("mine", agent.Executor)
	if err != nil {
		t.Fatal(err)
	}
	has := func(env []string, name string) bool {
		return slices.ContainsFunc(env, func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
	}
	if env := c.Environment(mine); !has(env, "MY_KEY") {
		t.Error("a command of the person's own lacks its key")
	}
	if env := c.Environment(nil); has(env, "MY_KEY") || !has(env, "MY_OWN") {
		t.Errorf("checks have %v", env)
	}
	if env := c.PersonsEnvironment(); has(env, "MY_KEY") || !has(env, "MY_OWN") {
		t.Errorf("a person's checks have %v", env)
	}
}

// A key is sent only to its own host.
func TestKeys(t *testing.T) {
	c := configured(t, "planAgent.far.apiKeyEnv=FAR", "planAgent.empty.apiKeyEnv=NONE")
	t.Setenv("FAR", "f")
	t.Setenv("OPENAI_API_KEY", "o")
	for _, row := range []struct{ got, want string }{
		{keyOf(c, "far", "https://example.com"), "f FAR <nil>"},
		{keyOf(c, "far", "http://localhost:1"), "f FAR <nil>"},
		{keyOf(c, "openai", model.OpenAI), "o OPENAI_API_KEY <nil>"},
		{keyOf(c, "other", "http://localhost:1"), "  <nil>"},
		{keyOf(c, "other", "http://127.evil.com"), "  planAgent.other.apiKeyEnv does not name the variable with the key for 127.evil.com"},
		{keyOf(c, "empty", "http://localhost:1"), " NONE NONE is empty: no key for localhost"},
	} {
		if row.got != row.want {
			t.Errorf("%q, want %q", row.got, row.want)
		}
	}
}

func keyOf(c *Config, name, base string) string {
	o := &builtin.Agent{Endpoint: model.Endpoint{AgentName: name}}
	err := c.key(o, base, false)
	return fmt.Sprint(o.Endpoint.Key, " ", o.Endpoint.KeyVariable, " ", err)
}

// Writable paths of a sandbox are absolute, and never the home folder itself.
func TestSandboxPaths(t *testing.T) {
	home := t.TempDir()
	for _, c := range []struct{ value, want string }{
		{"", "true"}, {"caches, /srv/data", "/srv/data true"}, {"~/data", "HOME/data false"}, {"/a,/b", "/a /b false"},
		{"data", `plan.sandboxWritable names "data": paths must be absolute, or such as ~/data`},
		{"~", "plan.sandboxWritable names HOME: the home folder itself is never opened"},
	} {
		var lines []string
		if c.value != "" {
			lines = []string{"plan.sandboxWritable=" + c.value}
		}
		paths, caches, err := configured(t, lines...).SandboxPaths("plan.sandboxWritable", home, new(disk.Links))
		got := strings.TrimSpace(fmt.Sprint(strings.Join(paths, " "), " ", caches))
		if err != nil {
			got = err.Error()
		}
		if got = strings.ReplaceAll(got, home, "HOME"); got != c.want {
			t.Errorf("%q gives %q, want %q", c.value, got, c.want)
		}
	}
}

// Caches are listed one by one; those of installed tools are created.
func TestCaches(t *testing.T) {
	home, bin := t.TempDir(), t.TempDir()
	for _, name := range []string{"XDG_CACHE_HOME", "CARGO_HOME", "GOPATH", "GOMODCACHE", "GOCACHE", "GRADLE_USER_HOME", "npm_config_cache"} {
		t.Setenv(name, "")
	}
	t.Setenv("PATH", bin)
	t.Setenv("HOME", home)
	for _, tool := range []string{"go", "go.exe"} {
		if err := os.WriteFile(filepath.Join(bin, tool), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	Caches(home, false)
	CachedRepositories(home, false)
	if made, err := os.ReadDir(home); err != nil || len(made) > 0 {
		t.Errorf("%v is made though nothing is run, %v", made, err)
	}
	all := Caches(home, true)
	for name, made := range map[string]bool{"go/pkg/mod": true, ".cargo/registry": false, ".npm/_cacache": false} {
		path := filepath.Join(home, filepath.FromSlash(name))
		_, err := os.Stat(path)
		if !slices.Contains(all, path) || (err == nil) != made {
			t.Errorf("%s is named: %t, is there: %v", name, slices.Contains(all, path), err)
		}
	}
	if slices.Contains(all, filepath.Join(home, ".cache")) || slices.Contains(all, home) {
		t.Error("a folder of everything is named")
	}
	if repos := CachedRepositories(home, true); len(repos) != 3 || repos[0] != filepath.Join(home, "go", "pkg", "mod", "cache", "vcs") {
		t.Errorf("the cached repositories are %v", repos)
	}
	if got, err := HomeFolder(); err != nil || got != home {
		t.Errorf("home is %q, %v", got, err)
	}
}

// A rate limit is waited out for as long as is configured, and shorter if there is a fallback.
func TestPatience(t *testing.T) {
	for lines, want := range map[string]time.Duration{
		"plan.waitOnLimit=5m": 5 * time.Minute, "plan.waitOnLimit=5m;plan.executor.fallback=other": 30 * time.Second,
		"plan.waitOnLimit=10s;plan.executor.fallback=other": 10 * time.Second, "plan.waitOnLimit=5m;plan.executor.fallback=me": 5 * time.Minute,
	} {
		o := builtin.Agent{Endpoint: model.Endpoint{AgentName: "me"}}
		if err := configured(t, strings.Split(lines, ";")...).timeouts(&o.Endpoint, agent.Executor); err != nil || o.Endpoint.Wait != want || o.Endpoint.Idle != 2*time.Minute {
			t.Errorf("%s: waits %v, idle %v, %v", lines, o.Endpoint.Wait, o.Endpoint.Idle, err)
		}
	}
}
