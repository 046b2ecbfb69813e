package survey

import (
	"context"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/doctor"
	"github.com/git-plan/git-plan/gitplan/planner"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/hooks/install"
)

// Survey looks at what is here before anything is set up.
type Survey struct {
	Checkout *checkout.Checkout
	Row      func(about, text string)                                  // is called with each thing that is found
	Choose   func(found []settings.Candidate) (name string, err error) // asks which of several agents is to be used
	Hooks    func() error                                              // installs the hooks
}

// Proposal is something that init would set up: the command that does so, and the function that
// runs it.
type Proposal struct {
	Why, Command string
	Do           func(context.Context) error
}

// Missing calls Row with what is set up, and returns what is missing.
func (s *Survey) Missing(ctx context.Context) (out []Proposal, err error) {
	co, row := s.Checkout, s.Row
	found := settings.Available()
	configured, chosen := co.Config.Get("plan.agent")
	switch {
	case chosen && configured != "":
		row("agent", configured+" (plan.agent)")
	case len(found) == 0:
		row("agent", "none: no claude, codex, gemini or opencode on PATH, no OPENAI_API_KEY")
		for line := range strings.Lines(doctor.WaysToAnAgent) {
			row("", strings.TrimRight(line, "\n"))
		}
	default:
		var names []string
		for _, a := range found {
			names = append(names, a.String())
		}
		row("agent", strings.Join(names, ", "))
	}
	if (!chosen || configured == "") && len(found) > 1 {
		name, err := s.Choose(found)
		if err != nil {
			return nil, err
		}
		out = append(out, setting(co, "several agents are here; to always use this one", "plan.agent", name))
	}
	for _, a := range co.Config.Speaking() {
		if a.Agent != "" || configured != "" {
			continue
		}
		row(a.Program, "speaks the Agent Client Protocol; to use it: "+a.Use())
		if len(found) == 0 && len(out) == 0 {
			out = append(out, setting(co, "no other agent is here, and "+a.Program+" speaks the Agent Client Protocol", a.Sets[0], a.Sets[1]),
				setting(co, "and, to always use it", "plan.agent", a.Program))
		}
	}
	checks := planner.LikelyChecks(ctx, co)
	row("checks", orNone(strings.Join(checks, ", "))) // a plan proposes them
	hooks, proposed, err := s.hooks(ctx)
	if err != nil {
		return nil, err
	}
	row("hooks", hooks)
	out = append(out, proposed...)
	for _, is := range examineSkill(co) {
		row("skill", is.Text)
	}
	out = append(out, missingSkill(found)...)
	remotes := co.Config.Names("remote", "url")
	row("remote", orNone(strings.Join(remotes, ", ")))
	if base, err := co.Base(ctx, ""); err == nil && base != "" {
		row("base", base)
	}
	row("plans", "are refs, which git log --all shows too; without them: git log --exclude='refs/plan*' --all")
	return append(out, aliases(co)...), nil
}

// aliases proposes that the person's aliases that show all refs leave out those of plans:
// three commits for each step.
func aliases(co *checkout.Checkout) (out []Proposal) {
	for _, key := range slices.Sorted(slices.Values(co.Config.AllKeys())) {
		value, _ := co.Config.Get(key)
		before, after, all := strings.Cut(value+" ", " --all ")
		if !strings.HasPrefix(key, "alias.") || !all || !logs.MatchString(value) || strings.Contains(value, "--exclude") {
			continue
		}
		without := strings.TrimSpace(before + " --exclude=refs/plan* --all " + after)
		out = append(out, setting(co, "git "+strings.TrimPrefix(key, "alias.")+" shows plans too; to leave them out in this repository", key, without))
	}
	return out
}

// logs are the programs that take --exclude before --all.
var logs = visible.NewPattern(`^!?(git +)?(log|shortlog|gitk|tig)\b`)

func orNone(text string) string {
	if text == "" {
		return "none found"
	}
	return text
}

// setting proposes a key of this repository's configuration.
func setting(co *checkout.Checkout, why, key, value string) Proposal {
	return Proposal{why, "git config " + key + " " + visible.Shell(value), func(ctx context.Context) error {
		return co.Repo.SetConfig(ctx, key, value)
	}}
}

// hooks says which hooks are installed, and proposes them if one is not.
func (s *Survey) hooks(ctx context.Context) (text string, out []Proposal, err error) {
	facts, err := install.Look(ctx, s.Checkout.Repo)
	if err != nil {
		return "", nil, err
	}
	text, all := installed(facts)
	for _, f := range facts.Files {
		if f.Manager != install.NoManager {
			text += ", along with " + string(f.Manager)
			break
		}
	}
	if !all {
		out = append(out, Proposal{"hooks warn of unreviewed work at push (git config plan.prePush block: stop it), stop secrets and conflict markers, and keep steps done through rebase and amend", "git plan hooks install",
			func(context.Context) error { return s.Hooks() }})
	}
	return text, out, nil
}
