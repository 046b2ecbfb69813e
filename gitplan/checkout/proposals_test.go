package checkout

import (
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/prompt"
)

// A repository proposes settings; those in force are listed, and only the base's count.
func TestProposedSettings(t *testing.T) {
	w := newWorld(t)
	if warnings, err := w.open().ReadProposals(t.Context(), "main"); warnings != nil || err != nil {
		t.Errorf("without .gitplan: %q, %v", warnings, err)
	}
	w.commit(".gitplan/config", "[plan]\n\tattempts = 2\n\treviewRounds = 99\n\tagent = evil\n[core]\n\tpager = evil\n")
	w.git("switch -q -c work")
	w.commit(".gitplan/config", "[plan]\n\tattempts = 1\n")
	c := w.open()
	warnings, err := c.ReadProposals(t.Context(), "main")
	fine(t, err)
	if got, _ := c.Config.Int("plan.attempts"); got != 2 || c.Config.Proposed["plan.agent"] != "" {
		t.Errorf("plan.attempts is %d; proposed: %v", got, c.Config.Proposed)
	}
	all := strings.Join(warnings, "\n")
	for _, key := range []string{"plan.agent", "core.pager", "plan.reviewrounds"} {
		if !strings.Contains(all, ".gitplan/config: "+key+" is ignored: ") {
			t.Errorf("no warning about %s: %q", key, all)
		}
	}
	c = w.open()
	if warnings, err := c.ReadProposals(t.Context(), ""); warnings != nil || err != nil || c.Config.Proposed != nil {
		t.Errorf("without a base: %q, %v, %v", warnings, err, c.Config.Proposed)
	}
	w.commit(".gitplan/config", "[plan\n")
	if warnings, err = w.open().ReadProposals(t.Context(), "work"); err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], ".gitplan/config of work is not a valid configuration") {
		t.Errorf("of what cannot be read: %q, %v", warnings, err)
	}
}

// A repository may define the prompts of its sessions if they keep the contract.
func TestProposedPrompts(t *testing.T) {
	w := newWorld(t)
	own := strings.ReplaceAll(prompt.Builtin(agent.Executor), "\n", "\r\n") + "Be brief.\r\n"
	w.commit(".gitplan/prompts/executor.md", own)
	c := w.open()
	_, err := c.ReadProposals(t.Context(), "main")
	fine(t, err)
	if text := c.Prompts[agent.Executor]; !strings.HasSuffix(text, "Be brief.\n") || strings.Contains(text, "\r") {
		t.Errorf("the prompt ends with %q", text[max(0, len(text)-20):])
	}
	if _, ok := c.Prompts[agent.Fixer]; ok || prompt.Builtin(agent.Fixer) != prompt.Builtin(agent.Fixer) {
		t.Error("the repository has an unexpected prompt")
	}
	w.commit(".gitplan/prompts/fixer.md", "Fix {{everything}}.\n")
	_, err = w.open().ReadProposals(t.Context(), "main")
	refused(t, err, fault.ErrTemplate, ".gitplan/prompts/fixer.md of main, line 1: there is no variable {{everything}}")
	if _, err = c.ReadProposals(t.Context(), "main~1"); err != nil {
		t.Errorf("one commit ago there was none: %v", err)
	}
}

// A plan begins with a template: the repository's own, from its base, or a built-in one.
func TestTemplates(t *testing.T) {
	w := newWorld(t)
	w.commit(".gitplan/templates/release.md", "# Release\n")
	w.commit(".gitplan/templates/plan.md", "# Ours\n")
	w.commit(".gitplan/templates/big.md", strings.Repeat("x", prompt.MaxTemplate+1))
	w.git("switch -q -c work")
	w.commit(".gitplan/templates/release.md", "# Of the branch\n")
	c := w.open()
	builtin, _ := prompt.PlanTemplate(prompt.PlainTemplate)
	for _, k := range []struct{ base, kind, want string }{
		{"main", "release", "# Release\n"}, {"main", "", "# Ours\n"}, {"", "", builtin}, {"main~3", "", builtin},
	} {
		if got, err := c.Template(t.Context(), k.base, k.kind); got != k.want || err != nil {
			t.Errorf("%q of %q: %v\n%s", k.kind, k.base, err, got)
		}
	}
	for _, kind := range []string{"none", "big", "../templates/release", "sub/x"} {
		_, err := c.Template(t.Context(), "main", kind)
		refused(t, err, fault.ErrNoTemplate, "there is no template "+kind+"; the built-in templates are docs, ")
	}
}
