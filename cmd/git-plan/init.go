package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/doctor"
	"github.com/git-plan/git-plan/gitplan/pattern"
	"github.com/git-plan/git-plan/gitplan/planner"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/hooks/install"
)

func initCommand() *cli.Command {
	return &cli.Command{
		Name: "init", Usage: "look at what is here, and set up what is missing",
		Description: "Nothing needs to be set up before the first plan. This shows which agents and keys, test\n" +
			"commands, hooks and remote there are, says what it would set, and asks before it sets\n" +
			"anything, in this repository's own git configuration. Where no agent is, it asks for a model\n" +
			"server. Without a terminal it only prints.\n" +
			"git plan doctor checks that all of it works.",
		Action: func(c *cli.Context) error {
			if err := arguments(c, 0); err != nil {
				return err
			}
			if err := notNested(); err != nil {
				return err
			}
			return withCheckout(c.Context, func(co *checkout.Checkout) error { return initialise(c, co) })
		},
	}
}

// proposal is something that init would set up: the commands that do so, and the function that
// runs them.
type proposal struct {
	why, command string
	do           func(context.Context) error
}

func initialise(c *cli.Context, co *checkout.Checkout) error {
	proposals, err := survey(c, co)
	if err != nil {
		return err
	}
	if set, err := asksForServer(c, co); err != nil {
		return err
	} else if set { // read what is set up now
		return withCheckout(c.Context, func(co *checkout.Checkout) error { return initialise(c, co) })
	}
	next := `next: git plan "what you want"`
	if _, err := co.Config.Agent(agent.Planner); err != nil {
		next = "next: set up an agent, as above, and see whether it works: git plan doctor; or write the plan yourself: git plan new"
	}
	if len(proposals) == 0 {
		say(c.App.ErrWriter, "nothing is left to set up; %s", next)
		return nil
	}
	for _, p := range proposals {
		terminal.FoldText(c.App.Writer, terminal.Width(os.Stdout), "\n"+p.why+":\n")
		say(c.App.Writer, "    %s", p.command)
		if !terminal.Attended() || !answersYes(c, "Do that? [y/N] ") {
			continue
		}
		if err := p.do(c.Context); err != nil {
			return err
		}
	}
	say(c.App.ErrWriter, "\n%s", next)
	return nil
}

// survey prints what is set up, and returns what is missing.
func survey(c *cli.Context, co *checkout.Checkout) (out []proposal, err error) {
	row := func(about, text string) { say(c.App.Writer, "%-8s %s", about, visible.Line(text)) }
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
		name, err := chooseAgent(c, found)
		if err != nil {
			return nil, err
		}
		out = append(out, setting(co, "several agents are here; to always use this one", "plan.agent", name))
	}
	for _, s := range co.Config.Speaking() {
		if s.Agent != "" || configured != "" {
			continue
		}
		row(s.Program, "speaks the Agent Client Protocol; to use it: "+s.Use())
		if len(found) == 0 && len(out) == 0 {
			out = append(out, setting(co, "no other agent is here, and "+s.Program+" speaks the Agent Client Protocol", s.Sets[0], s.Sets[1]),
				setting(co, "and, to always use it", "plan.agent", s.Program))
		}
	}
	checks := planner.LikelyChecks(c.Context, co)
	row("checks", orNone(strings.Join(checks, ", "))) // a plan proposes them
	hooks, proposed, err := surveyHooks(c, co)
	if err != nil {
		return nil, err
	}
	row("hooks", hooks)
	out = append(out, proposed...)
	for _, s := range examineSkill(c) {
		row("skill", s.Text)
		if s.Fix != "" {
			out = append(out, proposal{"an older git plan wrote the skill for your own agent", s.Fix, func(context.Context) error { return renewSkill(c) }})
		}
	}
	remotes := co.Config.Names("remote", "url")
	row("remote", orNone(strings.Join(remotes, ", ")))
	if base, err := co.Base(c.Context, ""); err == nil && base != "" {
		row("base", base)
	}
	row("plans", "are refs, which git log --all shows too; without them: git log --exclude='refs/plan*' --all")
	return append(out, surveyAliases(co)...), nil
}

// surveyAliases proposes that the person's aliases that show all refs leave out those of plans:
// three commits for each step.
func surveyAliases(co *checkout.Checkout) (out []proposal) {
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
var logs = pattern.Of(`^!?(git +)?(log|shortlog|gitk|tig)\b`)

func orNone(text string) string {
	if text == "" {
		return "none found"
	}
	return text
}

// setting proposes a key of this repository's configuration.
func setting(co *checkout.Checkout, why, key, value string) proposal {
	return proposal{why, "git config " + key + " " + visible.Shell(value), func(ctx context.Context) error {
		return co.Repo.SetConfig(ctx, key, value)
	}}
}

// surveyHooks says which hooks are installed, and proposes them if none is.
func surveyHooks(c *cli.Context, co *checkout.Checkout) (text string, out []proposal, err error) {
	facts, err := install.Look(c.Context, co.Repo)
	if err != nil {
		return "", nil, err
	}
	states, installed := install.Status(facts), 0
	for _, st := range states {
		if st.Installed {
			installed++
		}
	}
	text = fmt.Sprintf("%d of %d installed", installed, len(states))
	for _, f := range facts.Files {
		if f.Manager != install.NoManager {
			text += ", along with " + string(f.Manager)
			break
		}
	}
	if installed < len(states) {
		out = append(out, proposal{"hooks warn of unreviewed work at push (git config plan.prePush block: stop it), stop secrets and conflict markers, and keep steps done through rebase and amend", "git plan hooks install",
			func(context.Context) error { return changeHooks(c, install.PlanInstall) }})
	}
	return text, out, nil
}
