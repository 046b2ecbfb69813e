package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/doctor"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/planner"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/hooks/install"
	"github.com/git-plan/git-plan/reviewers"
)

func initCommand(c *command) *cli.Command {
	return c.define("init", "", "look at the repository, and set up what is missing", c.onOwn(0, func(co *checkout.Checkout) error {
		missing, err := lookAround(c, co)
		if err != nil {
			return err
		}
		left, next := "nothing is left to set up; ", `next: git plan "what you want"`
		if _, err := co.Config.Agent(agent.Planner); err != nil {
			left, next = "", "next: set up an agent, and check it: git plan doctor; or write the plan yourself: git plan new"
		}
		if _, ok := co.PlanID(c.Context); ok {
			next = "next: git plan status"
		}
		if len(missing) == 0 {
			say(c.Err, "%s%s", left, next)
			return nil
		}
		say(c.Out, "")
		for _, p := range missing {
			terminal.FoldText(c.Out, terminal.Width(os.Stdout), p.why+":\n")
			command := "    " + visible.Line(p.command) // whole, to be copied
			if !terminal.Attended() {
				terminal.Println(c.Out, command)
				continue
			}
			if !answersYes(c, command+"  Do that? [y/N] ") {
				continue
			}
			if err := p.do(c.Context); err != nil {
				return err
			}
		}
		say(c.Err, "\n%s", next)
		return nil
	}))
}

type proposal struct {
	why, command string
	do           func(context.Context) error
}

func lookAround(c *command, co *checkout.Checkout) (out []proposal, err error) {
	row := func(about, text string) {
		terminal.Fold(c.Out, terminal.Width(os.Stdout), 9, "%s", fmt.Sprintf("%-8s %s", about, text))
	}
	found := settings.Available()
	configured, _ := co.Config.Get("plan.agent")
	switch {
	case configured != "":
		row("agent", configured+" (plan.agent)")
	case len(found) == 0:
		row("agent", "none: install claude, codex, gemini or opencode, or export OPENAI_API_KEY=KEY; "+
			"other ways, such as a local model: git plan doctor")
	case len(found) == 1:
		row("agent", found[0].String())
	case terminal.Attended():
		if err := pickAgent(c, co, found); err != nil {
			return nil, err
		}
	default:
		text := found[0].String()
		for _, a := range found[1:] {
			text += "; also here: " + a.String()
		}
		row("agent", text+"; to choose one: git config plan.agent "+visible.Shell(found[0].Name))
	}
	for _, s := range doctor.Agents(c.Context, co) { // as git plan doctor has it
		if none := configured == "" && len(found) == 0; s.Found == doctor.Wrong && !none {
			row(string(s.Found), s.About+": "+s.Text)
			for line := range strings.Lines(s.Fix) {
				terminal.Println(c.Out, "         "+strings.TrimRight(line, "\n")) // whole, to be copied
			}
		}
	}
	checks := planner.LikelyChecks(co) // which a plan proposes
	row("checks", cmp.Or(strings.Join(checks, ", "), "none found")+map[bool]string{true: " (not tried)"}[len(checks) > 0])
	facts, err := install.Look(c.Context, co.Repo)
	if err != nil {
		return nil, err
	}
	text, all := installed(facts)
	row("hooks", text)
	if !all {
		out = append(out, proposal{"hooks stop secrets, warn of a push without a review, and keep steps at a rebase", "git plan hooks install",
			func(context.Context) error { return changeHooks(c, false, install.Install) }})
	}
	if lacks, command := checkout.CloneSetup(c.Context, co); lacks != "" {
		text := "clones, in which sessions work side by side, have no " + lacks
		out = append(out, proposal{text, "git config plan.worktreeSetup " + visible.Shell(command),
			func(ctx context.Context) error { return co.Repo.SetConfig(ctx, "plan.worktreeSetup", command) }})
	}
	out = append(out, missingSkill(found)...)
	row("remote", cmp.Or(strings.Join(co.Config.Git.Subsections("remote", "url"), ", "), "none found"))
	if base, err := co.Base(c.Context, ""); err == nil && base != "" {
		row("base", base)
	}
	return out, nil
}

// missingSkill offers to write the skill for each agent here that lacks it.
func missingSkill(found []settings.Candidate) (out []proposal) {
	home, _ := os.UserHomeDir()
	for _, folder := range []string{".claude", ".agents"} {
		serves := func(a settings.Candidate) bool {
			return a.Name != "openai" && (a.Name == "claude") == (folder == ".claude")
		}
		file := filepath.Join(home, folder, "skills", "git-plan", "SKILL.md")
		if _, err := os.Lstat(file); err == nil || home == "" || !slices.ContainsFunc(found, serves) {
			continue
		}
		command := "mkdir -p " + visible.Shell(filepath.Dir(file)) + " && git plan skill >" + visible.Shell(file)
		out = append(out, proposal{"your own agent can do steps, too, if it knows how", command, func(context.Context) error {
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				return err
			}
			return writeNew(file, []byte(skill))
		}})
	}
	return out
}

// withAgent is withCheckout for work by the agent of a role: on a terminal it asks once which of several that is.
func withAgent(c *command, role agent.Role, do func(*checkout.Checkout) error) error {
	found := settings.Available()
	if c.prompts && terminal.Attended() && !c.yes && len(found) > 1 {
		if err := withCheckout(c.Context, func(co *checkout.Checkout) error {
			if co.Config.NotChosen(role) == "" {
				return nil
			}
			say(c.Err, "several agents are here, and none is set (plan.agent):")
			return pickAgent(c, co, found)
		}); err != nil {
			return err
		}
	}
	return withCheckout(c.Context, do) // with that in its configuration
}

// pickAgent asks which of several agents is to be used, by its number, and sets it.
func pickAgent(c *command, co *checkout.Checkout, found []settings.Candidate) error {
	for i, a := range found {
		say(c.Err, "  %d) %s", i+1, a)
	}
	n := 1
	if !ask(c, "Which agent should do the work? (Enter: 1) ", fmt.Sprintf("answer a number from 1 to %d", len(found)),
		func(line string) bool {
			var err error
			n, err = strconv.Atoi(cmp.Or(line, "1"))
			return err == nil && n >= 1 && n <= len(found)
		}) {
		return context.Cause(c.Context)
	}
	name := found[n-1].Name
	err := co.Repo.SetConfig(c.Context, "plan.agent", name)
	if err == nil {
		say(c.Err, "set in this repository: git config plan.agent %s", visible.Shell(name))
	}
	return err
}

func installed(facts install.Facts) (text string, all bool) {
	states, n := install.Status(facts), 0
	for _, st := range states {
		if st.Installed {
			n++
		}
	}
	return fmt.Sprintf("%d of %d installed", n, len(states)), n == len(states)
}

func configCommand(c *command) *cli.Command {
	var all, json bool
	c.option(&all, "all", "list the others, too, with their defaults")
	c.option(&json, "json", "one JSON object with all settings, for programs")
	return c.define("config", "[<key>]", "list the settings that are set, and where they come from",
		c.inPager(2, func(co *checkout.Checkout) error {
			if len(c.args) == 2 {
				key := visible.Shell(c.arg(0))
				return &exit.Wrong{Text: "config sets nothing; git does",
					Hint: "see what it takes: git plan config " + key + "; then: git config " + key + " " + visible.Shell(c.arg(1))}
			}
			if err := proposals(c, co, co.PlanBase(c.Context)); err != nil {
				return err
			}
			set := co.Config.Settings()
			if key := c.arg(0); key != "" {
				set = co.Config.Matching(key)
				if len(set) == 0 {
					return &exit.Wrong{Text: "there is no key " + key + settings.DidYouMean(key), Hint: "see them all: git plan config --all"}
				}
			}
			if len(c.args) == 0 && !all && !json {
				set = slices.DeleteFunc(set, func(s settings.Setting) bool { return s.Scope == "default" })
				if len(set) == 0 {
					say(c.Err, "no setting is set; see them all: git plan config --all")
				}
			}
			views.Invalid(c.Err, co, set)
			if json {
				return views.JSON(c.Out, map[string]any{"schema": 1, "settings": set})
			}
			var rows [][]string
			for _, s := range set {
				from, doc := s.Scope+" "+s.Origin, s.Doc
				switch s.Scope {
				case "default":
					from = s.Scope
				case "unknown":
					from, doc = s.Origin, "no such key: it has no effect"
				}
				rows = append(rows, []string{s.Key, cmp.Or(s.Value, "-"), from, doc})
			}
			return terminal.Table(c.Out, terminal.Width(os.Stdout), rows)
		}))
}

func doctorCommand(c *command) *cli.Command {
	var offline bool
	c.option(&offline, "offline", "do not ask model servers")
	return c.define("doctor", "", "check the setup, and say how to fix what is wrong", c.do(0, func() error {
		found, err := examine(c.Context, offline)
		if err != nil {
			return err
		}
		var end error
		width := terminal.Width(os.Stdout)
		for _, s := range found {
			terminal.Fold(c.Out, width, 7, "%-5s  %s: %s", s.Found, s.About, s.Text)
			for line := range strings.Lines(s.Fix) {
				say(c.Out, "       %s", strings.TrimRight(line, "\n")) // in one line, to be copied
			}
			if s.Found == doctor.Wrong {
				end = &exit.Ended{Code: exit.Error}
			}
		}
		return end
	}))
}

func examine(ctx context.Context, offline bool) (found []doctor.Symptom, err error) {
	co, err := checkout.Open(ctx)
	outside := errors.Is(err, git.ErrNotRepository) || errors.Is(err, git.ErrTooOld)
	none := "none here"
	if errors.Is(err, git.ErrOwner) {
		none = err.Error()
	}
	if outside {
		co, err = checkout.Outside(ctx)
	}
	if err != nil {
		return nil, err
	}
	defer co.Close()
	found = doctor.Examine(ctx, co)
	if !offline {
		found = append(found, doctor.ExamineEndpoints(ctx, co)...)
	}
	if outside {
		for i, s := range found {
			found[i].Fix = strings.ReplaceAll(s.Fix, "git config ", "git config --global ")
		}
		return append(found, doctor.Symptom{About: "repository", Found: doctor.Unused, Text: none}), nil
	}
	found = append(found, examineReviewers(ctx, co), examineHooks(ctx, co))
	more, err := doctor.ExamineClone(ctx, co)
	return append(found, more...), err
}

func examineReviewers(ctx context.Context, co *checkout.Checkout) doctor.Symptom {
	all, err := reviewers.OfBase(ctx, co, "")
	var names []string
	for _, r := range all {
		names = append(names, r.Name)
	}
	s := doctor.Symptom{About: "reviewers", Found: doctor.Fine, Text: strings.Join(names, ", ")}
	if err != nil {
		s.Found, s.Text = doctor.Wrong, err.Error()
	}
	if f, ok := errors.AsType[*fault.Fault](err); ok && errors.Is(err, fault.ErrAgentSetup) {
		s.Fix = visible.Line(f.Next)
	} else if errors.Is(err, fault.ErrReviewerFile) {
		s.Fix = exit.FixReviewer
	}
	return s
}

func examineHooks(ctx context.Context, co *checkout.Checkout) doctor.Symptom {
	s := doctor.Symptom{About: "hooks", Found: doctor.Fine}
	facts, err := install.Look(ctx, co.Repo)
	if err != nil {
		s.Found, s.Text = doctor.Wrong, err.Error()
		return s
	}
	var all bool
	if s.Text, all = installed(facts); !all {
		s.Found = doctor.Unused
		s.Fix = "git plan hooks install adds them: the gate at git push, and a record of rewritten commits, so that their steps stay done"
	}
	if why := ungated(co, facts); why != "" {
		s.Found, s.Text = doctor.Wrong, s.Text+"; "+why
	}
	return s
}
