package settings

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/model"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Key is a row of the table of keys. In its name, <role> stands for a role and <name> for any name.
type Key struct {
	Name    string
	Kind    Kind
	Default string // the value if nothing is set, or the default in words
	Doc     string
}

// Keys is the table of all configuration keys.
var Keys = []Key{
	{"plan.agent", Text, "detected", "which agent runs sessions: openai, claude, codex, gemini, opencode, or a name of your own"},
	{"plan.<role>.agent", Text, "", "the agent for one role: planner, critic, executor, reviewer, verifier, fixer; a critic with an agent or a model of its own reads each new plan before you do"},
	{"plan.<role>.model", Text, "", "the model for one role"},
	{"plan.<role>.effort", Text, "", "the reasoning effort for one role"},
	{"plan.<role>.fallback", Text, "none", "the agent for one role when its own meets a limit or is not authorised"},
	{"plan.<role>.timeout", Time, "60m", "how long a session may take"},
	{"plan.<role>.idleTimeout", Time, "10m", "how long a session may be silent"},
	{"planAgent.<name>.command", Command, "", "a command that runs a session"},
	{"planAgent.<name>.acp", Command, "",
		"a command, split as in a shell, that starts an agent which speaks the Agent Client Protocol, such as copilot --acp"},
	{"planAgent.<name>.program", Text, "its name",
		"how to start claude, codex, gemini or opencode: a path or a name on PATH, and more arguments, split as in a shell"},
	{"planAgent.<name>.baseURL", Text, "", "an OpenAI-compatible endpoint, or replay:FILE for a recorded conversation"},
	{"planAgent.<name>.apiKeyEnv", Text, "", "the environment variable that holds its key"},
	{"planAgent.<name>.model", Text, "", "its model"},
	{"planAgent.<name>.price", Text, "", "US dollars per million tokens: in, cached, out, written to the cache"},
	{"plan.jobs", Number, "1", "how many independent steps git plan run works on at once, each in a clone"},
	{"plan.attempts", Number, "3", "sessions per step before it is blocked"},
	{"plan.maxTokens", Budget, "none", "tokens a plan may use, in and out together"},
	{"plan.maxCost", Budget, "none", "US dollars a plan may cost"},
	{"plan.maxTime", Budget, "none", "time the sessions of a plan may take"},
	{"plan.waitOnLimit", Time, "30m", "how long to wait out rate limits and outages, but not a command that exits with 75"},
	{"plan.reviewRounds", Number, "3", "rounds of the review loop"},
	{"plan.reviewers", Text, "auto", "the reviewers, separated by commas; or all; or auto: your own, quality and fidelity, other built-in ones if a change is larger than 10 KB or its paths call for them, and of these quality alone for a few lines of a plan of one step"},
	{"plan.blockOn", "critical|high|medium|low", "high", "the lowest severity that blocks"},
	{"planReviewer.<name>.command", Command, "", "a reviewer that is a command, such as a linter: SARIF, rdjsonl or JSON"},
	{"planReviewer.<name>.model", Text, "", "the model of one reviewer, in place of plan.reviewer.model"},
	{"plan.base", Text, "detected", "the branch to compare the work with"},
	{"plan.branchPrefix", Text, "plan/", "the prefix of new branches"},
	{"plan.drift", "declared|report|fail", "declared", "whether a session may change files outside the step's Files, or remove tests: declared (only if it says why), report or fail"},
	{"plan.checkTimeout", Time, "10m", "how long one check may take, or git commit with its hooks and signature"},
	{"plan.isolation", Text, "tree", "where sessions run: tree (this work tree), clone (a private clone for each step), or the name of a launcher (on another machine: gitplan-elsewhere(7))"},
	{"planLauncher.<name>.command", Command, "", "a command that starts git-plan worker on another machine and connects its standard input and output, such as ssh box git-plan worker"},
	{"planLauncher.<name>.passEnv", Text, "", "the variables to send to that worker, keys included, separated by commas"},
	{"plan.worktreeSetup", Command, "", "a command that prepares each clone, such as npm ci"},
	{"plan.sandbox", "auto|bwrap|landlock|seatbelt|none", "auto",
		"what confines commands and checks of sessions: auto, bwrap, landlock, seatbelt (macOS) or none"},
	{"plan.hooksSandbox", "on|off", "on", "on or off: whether that sandbox also confines your hooks when git plan commits or pushes a session's work, filters that may run files of the tree, and reviewers that are commands, since all of these run what the session wrote"},
	{"plan.sandboxWritable", Text, "caches", "what sessions and checks may write in addition to the tree and the temporary folder, separated by commas; caches means build caches"},
	{"plan.sandboxReadable", Text, "",
		"what they may read in homes in addition to what builds need, such as ~/src/library, separated by commas"},
	{"plan.passEnv", Text, "", "variables that they see besides the usual ones, such as NAME or NAME_*"},
	{"plan.push", "never|step|run", "never", "when branch and plan are pushed automatically, never forced: never, step (after each step) or run (when all went well)"},
	{"plan.prePush", "off|warn|block", "warn", "the gate at push: off; warn, which stops secrets, conflict markers and anything it could not search, and reports the rest; or block, which also stops unreviewed work"},
	{"plan.notify", Text, "none", "! and a command to run at the end of a run or review, with GIT_PLAN_TITLE, GIT_PLAN_TEXT and GIT_PLAN_STATE in its environment; can be set several times"},
	{"plan.protect", Text, "base branches",
		"branches on which steps never run: names or patterns such as release/*, separated by commas"},
}

// rowOf returns the table's row of a key, or of its name there; an empty one if there is none.
func rowOf(key string) Key {
	for _, k := range Keys {
		if _, fits := k.names(key); fits || k.Name == key {
			return k
		}
	}
	return Key{}
}

// Setting is one configuration key with its value in force.
type Setting struct {
	Key     string `json:"key"`
	Value   string `json:"value"`
	Default string `json:"default"`
	// Scope is git's, or "default", "repository" if .gitplan/config proposes the value, "unknown" if it has no effect.
	Scope  string `json:"scope"`
	Origin string `json:"origin,omitempty"` // the origin as git prints it, such as file:.git/config
	Doc    string `json:"doc,omitempty"`
	Kind   Kind   `json:"-"`
}

// Matching returns the settings that a person means by a key: it, or all that match one with <role> or <name> in it.
func (c *Config) Matching(key string) []Setting {
	out := slices.DeleteFunc(c.Settings(), func(s Setting) bool {
		_, fits := Key{Name: key}.names(s.Key)
		return !fits && !strings.EqualFold(s.Key, key)
	})
	for _, k := range Keys {
		if _, fits := k.names(key); fits && len(out) == 0 {
			return []Setting{c.setting(k, key)}
		}
	}
	return out
}

// Settings returns all keys of the table with their values, each time that they are set, and then the unknown ones.
func (c *Config) Settings() []Setting {
	var set []string
	for _, s := range []string{"plan", "planAgent", "planReviewer", "planLauncher"} {
		set = append(set, c.Git.Keys(s)...)
	}
	var out []Setting
	known := map[string]bool{}
	for _, k := range Keys {
		row := len(out)
		for _, key := range set {
			if _, fits := k.names(key); fits {
				known[key], out = true, append(out, c.setting(k, key))
			}
		}
		if len(out) == row {
			out = append(out, c.setting(k, k.Name))
		}
	}
	for _, key := range set {
		if !known[key] {
			v, _ := c.Get(key)
			out = append(out, Setting{Key: key, Value: v, Scope: "unknown", Origin: c.Git.Origin(key).Place})
		}
	}
	return out
}

// DidYouMean ends an error about a key that is unknown, if it is like one of the table.
func DidYouMean(key string) string {
	first, last := strings.IndexByte(key, '.')+1, strings.LastIndexByte(key, '.')
	middle := key[first:max(first, last)]
	var names []string
	for _, k := range Keys {
		for _, role := range Roles {
			names = append(names, strings.NewReplacer("<role>", string(role), "<name>", middle).Replace(k.Name))
		}
	}
	return plan.DidYouMean(key, names)
}

// setting returns the value in force of a key that row k describes.
func (c *Config) setting(k Key, key string) Setting {
	spelled, _ := k.names(key)
	s := Setting{Key: spelled, Value: c.String(key), Default: k.Default, Doc: k.Doc, Kind: k.Kind}
	_, proposed := c.Proposed[strings.ToLower(key)]
	if _, set := c.Get(key); set {
		o := c.Git.Origin(key)
		s.Scope, s.Origin = o.Scope, o.Place
	} else if proposed {
		s.Scope, s.Origin = "repository", RepositoryConfig
	} else {
		s.Scope, s.Value = "default", k.Default
	}
	return s
}

// names reports whether a key fits this row, and how the table spells it: git keeps the case of the middle only.
func (k Key) names(key string) (spelled string, ok bool) {
	before, rest, variable := strings.Cut(k.Name, "<")
	kind, after, _ := strings.Cut(rest, ">")
	at := len(key) - len(after)
	if !variable {
		return k.Name, strings.EqualFold(k.Name, key)
	}
	if at <= len(before) || !strings.EqualFold(key[:len(before)], before) || !strings.EqualFold(key[at:], after) {
		return k.Name, false
	}
	name := key[len(before):at]
	return before + name + after, kind != "role" || slices.Contains(Roles, agent.Role(name))
}

// Config reads the keys of the table.
type Config struct {
	Git          *git.Config        // the configuration in force
	Proposed     map[string]string  // the repository's proposals, by keys in lower case
	capabilities model.Capabilities // the knowledge of this process about endpoints
}

// New returns the settings of git's configuration, without a repository's proposals yet.
func New(c *git.Config) *Config { return &Config{Git: c} }

// Get returns the value of a key in git's configuration; ok is false if it is not set.
func (c *Config) Get(key string) (string, bool) {
	v, ok := c.Git.Get(key)
	return strings.TrimSpace(v), ok
}

// String returns the value in force: git's, or what the repository proposes, or the table's default.
func (c *Config) String(key string) string {
	if v, ok := c.Get(key); ok {
		return v
	}
	if v, ok := c.Proposed[strings.ToLower(key)]; ok {
		return v
	}
	return rowOf(key).Default
}

// Int returns a number, at least 1. Any other value is an error.
func (c *Config) Int(key string) (int, error) {
	v := c.String(key)
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 {
		return 0, c.MustBe(key, v, "a number from 1 up")
	}
	return n, nil
}

// strict are the words that an unknown value of a key stands for: it was set to protect.
var strict = map[string]string{"plan.prePush": "block", "plan.drift": "fail", "plan.blockOn": "low"}

// Word returns the value of a key that takes one of a few words, in lower case. For any other value it returns
// the strictest one that may be meant, else the default, and an error.
func (c *Config) Word(key string) (string, error) {
	row := rowOf(key)
	v, all := strings.ToLower(c.String(key)), strings.Split(string(row.Kind), "|")
	if slices.Contains(all, v) {
		return v, nil
	}
	last := len(all) - 1
	return cmp.Or(strict[row.Name], row.Default), c.MustBe(key, v, strings.Join(all[:last], ", ")+" or "+all[last])
}

// Duration returns a duration such as "90s" or "10m".
func (c *Config) Duration(key string) (time.Duration, error) { return c.DurationOf(key, c.String(key)) }

// DurationOf reads v as the duration of a key, which its error names.
func (c *Config) DurationOf(key, v string) (time.Duration, error) {
	d, err := time.ParseDuration(v)
	if err != nil || d < 0 {
		return 0, c.MustBe(key, v, "a time such as 90s or 10m")
	}
	return d, nil
}

// Role returns plan.<role>.<variable>, or the table's default.
func (c *Config) Role(role agent.Role, variable string) string {
	return c.String("plan." + string(role) + "." + variable)
}

// List returns the names in a value of git's configuration, without the table's default.
func (c *Config) List(key string) []string {
	v, _ := c.Get(key)
	return SplitNames(v)
}

// SplitNames returns the names of a list, separated by commas or blanks.
func SplitNames(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

// Roles are all roles, in the order in which a plan needs them.
var Roles = []agent.Role{agent.Planner, agent.Critic, agent.Executor, agent.Reviewer, agent.Verifier, agent.Fixer}

// Roles returns the roles in use: the critic only if one is set.
func (c *Config) Roles() []agent.Role {
	return slices.DeleteFunc(slices.Clone(Roles), func(r agent.Role) bool { return r == agent.Critic && !c.HasCritic() })
}

// Kind is the kind of a key's values: one of the constants, or a choice of words such as "never|step|run".
type Kind string

const (
	Text    Kind = "text"
	Number  Kind = "number"  // an integer of at least 1
	Time    Kind = "time"    // a duration such as 90s or 10m
	Command Kind = "command" // a command line for the shell
	Budget  Kind = "budget"  // an amount that package work parses
)

// Wrong returns an error about a key, and the command that sets it to a value, or a word in capitals for one.
func (c *Config) Wrong(key, value, format string, args ...any) error {
	return &fault.Fault{Kind: fault.ErrAgentSetup, Setting: key, Text: fmt.Sprintf(format, args...),
		Next: "fix the setting: " + setting(key, value)}
}

func setting(key, value string) string {
	return "git config " + visible.Shell(key) + " " + visible.Shell(value)
}

// MustBe returns the error for a value that a key cannot have.
func (c *Config) MustBe(key, value, what string) error {
	row := rowOf(key)
	right := cmp.Or(row.Default, "VALUE")
	if row.Kind == Budget { // the default is no limit
		right = map[bool]string{true: "NUMBER", false: "TIME"}[what == "a number"]
	}
	return c.Wrong(key, right, "%s is %q: it must be %s", key, visible.OneLine(value, 80), what)
}

// RepositoryConfig is the file in which a repository proposes settings, which all other layers override.
const RepositoryConfig = ".gitplan/config"

// mayPropose lists the keys that a repository may set: none runs or sends anything, or weakens a check.
var mayPropose = []string{"plan.attempts", "plan.reviewRounds", "plan.branchPrefix"}

// Refused returns why a repository may not set a key to a value, or "" if it may.
func Refused(key, value string) string {
	row := rowOf(key)
	limit, _ := strconv.Atoi(row.Default)
	n, err := strconv.Atoi(value)
	switch {
	case !slices.Contains(mayPropose, row.Name):
		return "a repository may not set it"
	case row.Kind != Number:
		return ""
	case err != nil || n < 0:
		return "it is not a number"
	case n > limit:
		return fmt.Sprintf("it is more than the default, %d", limit)
	}
	return ""
}
