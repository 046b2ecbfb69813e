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
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Config reads the keys of the table.
type Config struct {
	Git          *git.Config        // git's own keys are read from here
	Proposed     map[string]string  // what the repository proposes, by keys in lower case
	capabilities model.Capabilities // what this process learned of endpoints
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
	v, all := strings.ToLower(c.String(key)), row.Kind.Words()
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

// Names returns each x for which section.x.variable is set, sorted.
func (c *Config) Names(section, variable string) []string {
	return c.Git.Subsections(section, variable)
}

// Roles are all roles, in the order in which a plan needs them.
var Roles = []agent.Role{agent.Planner, agent.Critic, agent.Executor, agent.Reviewer, agent.Verifier, agent.Fixer}

// Roles returns the roles in use: the critic only if one is set.
func (c *Config) Roles() []agent.Role {
	return slices.DeleteFunc(slices.Clone(Roles), func(r agent.Role) bool { return r == agent.Critic && !c.HasCritic() })
}

// Kind is what the values of a key are: one of those below, or the words among which it is: "never|step|run".
type Kind string

const (
	Text    Kind = "text"
	Number  Kind = "number"  // at least 1
	Time    Kind = "time"    // as 90s or 10m
	Command Kind = "command" // for the shell
	Budget  Kind = "budget"  // package work reads it
)

// Words returns the words of a kind that is made of them, else nil.
func (k Kind) Words() []string {
	if words := strings.Split(string(k), "|"); len(words) > 1 {
		return words
	}
	return nil
}

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
	if row.Kind == Budget { // whose default is no limit
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
