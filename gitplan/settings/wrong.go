package settings

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Wrong returns an error about the value of a key. The command that comes next sets it to
// value: one that would do, or a word in capitals for what only a person knows.
func (c *Config) Wrong(key, value, format string, args ...any) error {
	return &fault.Fault{Kind: fault.ErrAgentSetup, Setting: key, Text: fmt.Sprintf(format, args...), Next: "fix the setting: " + setting(key, value)}
}

func setting(key, value string) string {
	return "git config " + visible.Shell(key) + " " + visible.Shell(value)
}

// MustBe returns the error for a value that a key cannot have.
func (c *Config) MustBe(key, value, what string) error {
	row := rowOf(key)
	if parts := strings.Split(key, "."); row.Name == "" && len(parts) == 3 {
		row = rowOf("plan.<role>." + parts[2])
	}
	return c.Wrong(key, cmp.Or(row.Default, "VALUE"), "%s is %q: it must be %s", key, visible.OneLine(value, 80), what)
}
