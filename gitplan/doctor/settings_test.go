package doctor

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/prompt"
)

// What is set and cannot be read is wrong; so is a key that nobody reads.
func TestExamineSettings(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"plan.attempts 5", ""},
		{"plan.attempts many", "git config plan.attempts 3"},
		{"plan.checkTimeout 5m", ""},
		{"plan.checkTimeout soon", "git config plan.checkTimeout 10m"},
		{"plan.push step", ""},
		{"plan.push always", "git config plan.push never"},
		{"plan.maxCost 3.50", ""},
		{"plan.maxCost cheap", "git config plan.maxCost none"},
		{"plan.sandbox chroot", ""}, // which is said of the sandbox
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

// The repository's own prompts are read as the base has them; a broken one would end each
// session of its role.
func TestExaminePrompts(t *testing.T) {
	w := newWorld(t)
	says(t, ExaminePrompts(t.Context(), w.open()), "prompts")
	folder := filepath.Join(w.dir, filepath.FromSlash(prompt.PromptFolder))
	w.write(filepath.Join(folder, "executor.md"), prompt.Builtin[agent.Executor], 0o644)
	w.write(filepath.Join(folder, "fixer.md"), "Fix {{everything}}.\n", 0o644)
	w.write(filepath.Join(folder, "reviewer.md"), "Review.\n", 0o644)
	w.write(filepath.Join(folder, "README"), "read me\n", 0o644)
	w.git("add .", "commit -q -m prompts")
	ignored := " is ignored => the name of one that counts is .gitplan/prompts/ROLE.md, for planner, executor, fixer"
	says(t, ExaminePrompts(t.Context(), w.open()), "prompts", "- .gitplan/prompts/README"+ignored, "ok .gitplan/prompts/executor.md",
		"WRONG .gitplan/prompts/fixer.md of main, line 1: ...", "- .gitplan/prompts/reviewer.md"+ignored)

	w.git("switch -q -c work", "rm -q -r .gitplan", "commit -q -m without")
	if found := ExaminePrompts(t.Context(), w.open()); len(found) != 4 {
		t.Errorf("on a branch without them: %+v", found)
	}
}
