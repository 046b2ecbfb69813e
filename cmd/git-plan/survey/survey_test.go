package survey

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/doctor"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/testdata/repository"
)

// here makes a repository with a commit, and no program but git and those that are named.
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

// missing returns what is proposed, and the rows before that, as init prints them.
func missing(t *testing.T, co *checkout.Checkout) (all []Proposal, rows string) {
	t.Helper()
	s := &Survey{
		Checkout: co, Hooks: func() error { return nil },
		Row:    func(about, text string) { rows += about + ": " + text + "\n" },
		Choose: func(found []settings.Candidate) (string, error) { return found[len(found)-1].Name, nil },
	}
	all, err := s.Missing(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return all, rows
}

func commands(all []Proposal) (out string) {
	for _, p := range all {
		out += p.Command + "\n"
	}
	return out
}

// Where nothing is set up, each row says what is there, and hooks are proposed; a person who has
// agreed to all is asked nothing more.
func TestWhatIsMissingIsProposed(t *testing.T) {
	open := here(t, "copilot")
	repository.Git(t, "", "config", "alias.lg", "log --all --graph")
	all, rows := missing(t, open())
	for _, want := range []string{"agent: none: no claude", "copilot: speaks the Agent Client Protocol", "checks: make test\n", "hooks: 0 of ", "remote: none found\n", "plans: are refs"} {
		if !strings.Contains(rows, want) {
			t.Errorf("%q is not in\n%s", want, rows)
		}
	}
	if got, want := commands(all), "git config planAgent.copilot.acp 'copilot --acp'\ngit config plan.agent copilot\ngit plan hooks install\n"+
		"git config alias.lg 'log --exclude=refs/plan* --all --graph'\n"; got != want {
		t.Errorf("proposed:\n%s", got)
	}
	for _, p := range all {
		if err := p.Do(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if all, rows = missing(t, open()); commands(all) != "git plan hooks install\n" || !strings.Contains(rows, "agent: copilot (plan.agent)\n") {
		t.Errorf("then:\n%s%s", rows, commands(all))
	}
}

// Of several agents a person chooses one, which is then proposed for this repository.
func TestOneOfSeveralAgentsIsProposed(t *testing.T) {
	open := here(t, "claude", "codex")
	all, rows := missing(t, open())
	if !strings.HasPrefix(commands(all), "git config plan.agent codex\n") || !strings.Contains(rows, "agent: claude") {
		t.Errorf("%s%s", rows, commands(all))
	}
}

// The skill is offered to those whose agent lacks it, and one that a person wrote is left alone.
func TestTheSkillIsOffered(t *testing.T) {
	open := here(t, "claude", "codex")
	home := t.TempDir()
	t.Setenv("HOME", home)
	mine := filepath.Join(home, ".claude/skills/git-plan/SKILL.md")
	repository.Write(t, mine, "# mine\n")
	all, rows := missing(t, open())
	if !strings.Contains(rows, "skill: "+mine+" is not that of this version\n") || strings.Contains(commands(all), mine) {
		t.Errorf("%s%s", rows, commands(all))
	}
	for _, p := range all {
		if strings.Contains(p.Command, "git plan skill >") {
			if err := p.Do(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}
	if text, err := os.ReadFile(filepath.Join(home, ".agents/skills/git-plan/SKILL.md")); err != nil || string(text) != Skill {
		t.Errorf("%s, %v", text, err)
	}
	if all, _ := missing(t, open()); strings.Contains(commands(all), "skill") {
		t.Error(commands(all))
	}
}

// What is set up wrongly is a symptom, with what to do about it.
func TestWhatIsWrongIsASymptom(t *testing.T) {
	open := here(t)
	repository.Git(t, "", "config", "plan.push", "run")
	repository.Git(t, "", "config", "plan.notify", "pigeon")
	repository.Git(t, "", "config", "plan.reviewers", "nobody")
	repository.Write(t, ".git/hooks/pre-push", "#!/bin/sh\nexit 0\n")
	if err := os.Chmod(".git/hooks/pre-push", 0o755); err != nil {
		t.Fatal(err)
	}
	found := map[string]doctor.Symptom{}
	for _, s := range Examine(t.Context(), open()) {
		found[s.About] = s
	}
	for about, want := range map[string]doctor.Health{"reviewers": doctor.Wrong, "hooks": doctor.Unused, "notify": doctor.Wrong, "pre-push hook": doctor.Fine} {
		if s := found[about]; s.Found != want || want != doctor.Fine && s.Fix == "" {
			t.Errorf("%s: %+v", about, s)
		}
	}
	repository.Git(t, "", "config", "plan.hooksSandbox", "off")
	repository.Git(t, "", "config", "--unset", "plan.reviewers")
	found = map[string]doctor.Symptom{}
	for _, s := range Examine(t.Context(), open()) {
		found[s.About] = s
	}
	if s := found["pre-push hook"]; s.Found != doctor.Unused || s.Fix != "git config plan.hooksSandbox on" {
		t.Errorf("%+v", s)
	}
}
