package doctor

import (
	"strings"
	"testing"
)

// An invalid value is wrong; so is an unknown key.
func TestExamineSettings(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"plan.attempts 5", ""},
		{"plan.attempts many", "git config plan.attempts 3"},
		{"plan.checkTimeout 5m", ""},
		{"plan.checkTimeout soon", "git config plan.checkTimeout 10m"},
		{"plan.push step", ""},
		{"plan.push always", "git config plan.push never"},
		{"plan.maxCost 3.50", ""},
		{"plan.maxCost cheap", "git config plan.maxCost NUMBER"}, // none would remove the limit
		{"plan.maxTime soon", "git config plan.maxTime TIME"},
		{"plan.sandbox chroot", ""}, // which is reported for the sandbox
		{"planAgent.mine.command true", ""},
		{"plan.atempts 5", ""},
	} {
		w := newWorld(t)
		w.git("config " + c.set)
		key := strings.Fields(c.set)[0]
		got := ""
		for _, s := range examineSettings(w.open()) {
			if s.About != key && s.About != strings.ToLower(key) || s.Found != Wrong || s.Text == "" {
				t.Errorf("%s: found %+v", c.set, s)
			}
			got = s.Fix
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.set, got, c.want)
		}
	}
}
