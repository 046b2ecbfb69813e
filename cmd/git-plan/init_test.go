package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/doctor"
	"github.com/git-plan/git-plan/testdata/repository"
)

// here makes a repository with a commit, and a PATH with only git and the named programs.
func here(t *testing.T, programs ...string) (open func() *checkout.Checkout) {
	t.Helper()
	repository.Here(t)
	repository.Write(t, "Makefile", "test:\n\ttrue\n")
	repository.Commit(t, "begin")
	path := repository.OnlyGit(t)
	for _, name := range programs {
		repository.Write(t, filepath.Join(path, name), "#!/bin/sh\n")
		if err := os.Chmod(filepath.Join(path, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", path)
	for _, key := range []string{"OPENAI_API_KEY", "OPENAI_BASE_URL"} {
		t.Setenv(key, "")
	}
	return func() *checkout.Checkout {
		co, err := checkout.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { co.Close() })
		return co
	}
}

// proposed returns the proposed settings, and the rows before them, as init prints them.
func proposed(t *testing.T, co *checkout.Checkout) (all []proposal, rows string) {
	t.Helper()
	var out strings.Builder
	all, err := lookAround(&command{Context: t.Context(), Out: &out, Err: &out}, co)
	if err != nil {
		t.Fatal(err)
	}
	return all, strings.Join(strings.FieldsFunc(out.String(), func(r rune) bool { return r == ' ' }), " ")
}

func commandsOf(all []proposal) (out string) {
	for _, p := range all {
		out += p.command + "\n"
	}
	return out
}

// In a new repository each row says what is installed, and hooks are proposed; once all proposals are
// accepted, there are no more questions.
func TestInitProposesMissingSettings(t *testing.T) {
	open := here(t, "copilot")
	all, rows := proposed(t, open())
	for _, want := range []string{"agent none: install claude", "checks make test (not tried)\n", "hooks 0 of ", "remote none found\n"} {
		if !strings.Contains(rows, want) {
			t.Errorf("%q is not in\n%s", want, rows)
		}
	}
	if got, want := commandsOf(all), "git plan hooks install\n"; got != want {
		t.Errorf("proposed:\n%s", got)
	}
	for _, p := range all {
		if err := p.do(t.Context()); err != nil {
			t.Error(err)
		}
	}
	repository.Git(t, "", "config", "plan.agent", "copilot")
	if all, rows = proposed(t, open()); commandsOf(all) != "" || !strings.Contains(rows, "agent copilot (plan.agent)\n") {
		t.Errorf("then:\n%s%s", rows, commandsOf(all))
	}
}

// Of several agents the row of the first names the others, and how one is chosen.
func TestSeveralAgentsAreNamed(t *testing.T) {
	_, rows := proposed(t, here(t, "claude", "codex")())
	for _, want := range []string{"agent claude", "also here: codex", "git config plan.agent claude\n"} {
		if !strings.Contains(rows, want) {
			t.Errorf("%q is not in\n%s", want, rows)
		}
	}
}

// The skill is proposed if the agent lacks it; a skill that a person wrote is not replaced.
func TestTheSkillIsOffered(t *testing.T) {
	open := here(t, "claude", "codex")
	home := t.TempDir()
	t.Setenv("HOME", home)
	mine := filepath.Join(home, ".claude/skills/git-plan/SKILL.md")
	repository.Write(t, mine, "# mine\n")
	all, rows := proposed(t, open())
	if strings.Contains(commandsOf(all), mine) {
		t.Errorf("%s%s", rows, commandsOf(all))
	}
	for _, p := range all {
		if strings.Contains(p.command, "git plan skill >") {
			if err := p.do(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}
	if text, err := os.ReadFile(filepath.Join(home, ".agents/skills/git-plan/SKILL.md")); err != nil || string(text) != skill {
		t.Errorf("%s, %v", text, err)
	}
	if all, _ := proposed(t, open()); strings.Contains(commandsOf(all), "skill") {
		t.Error(commandsOf(all))
	}
}

// A wrong setting is reported with a way to fix it.
func TestInitReportsWrongSettings(t *testing.T) {
	co := here(t)
	repository.Git(t, "", "config", "plan.reviewers", "missing")
	for want, s := range map[doctor.Health]doctor.Symptom{
		doctor.Wrong: examineReviewers(t.Context(), co()), doctor.Unused: examineHooks(t.Context(), co()),
	} {
		if s.Found != want || s.Fix == "" {
			t.Errorf("%s: %+v", want, s)
		}
	}
}
