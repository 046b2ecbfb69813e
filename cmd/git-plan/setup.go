package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/survey"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/doctor"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/hooks/install"
)

func initCommand() *cli.Command {
	c := new(command)
	return &cli.Command{
		Name: "init", Usage: "look at what is here, and set up what is missing",
		Description: "Nothing needs to be set up before the first plan. This shows which agents and keys, test\n" +
			"commands, hooks and remote there are, says what it would set, and asks before it sets\n" +
			"anything, in this repository's own git configuration. Where no agent is, it asks for a model\n" +
			"server. Without a terminal it only prints.\n" +
			"git plan doctor checks that all of it works.",
		Action: c.do(func() error {
			if err := c.arguments(0); err != nil {
				return err
			}
			if err := notNested(); err != nil {
				return err
			}
			return withCheckout(c.Context, func(co *checkout.Checkout) error { return initialise(c, co) })
		}),
	}
}

func initialise(c *command, co *checkout.Checkout) error {
	here := &survey.Survey{
		Checkout: co,
		Row:      func(about, text string) { say(c.Out, "%-8s %s", about, visible.Line(text)) },
		Choose:   func(found []settings.Candidate) (string, error) { return chooseAgent(c, found) },
		Hooks:    func() error { return (&hooksOptions{command: c}).change(install.PlanInstall) },
	}
	proposals, err := here.Missing(c.Context)
	if err != nil {
		return err
	}
	if set, err := askForServer(c, co); err != nil {
		return err
	} else if set { // read what is set up now
		return withCheckout(c.Context, func(co *checkout.Checkout) error { return initialise(c, co) })
	}
	next := `next: git plan "what you want"`
	if _, err := co.Config.Agent(agent.Planner); err != nil {
		next = "next: set up an agent, as above, and see whether it works: git plan doctor; or write the plan yourself: git plan new"
	}
	if len(proposals) == 0 {
		say(c.Err, "nothing is left to set up; %s", next)
		return nil
	}
	for _, p := range proposals {
		terminal.FoldText(c.Out, terminal.Width(os.Stdout), "\n"+p.Why+":\n")
		say(c.Out, "    %s", p.Command)
		if !terminal.Attended() || !answersYes(c, "Do that? [y/N] ") {
			continue
		}
		if err := p.Do(c.Context); err != nil {
			return err
		}
	}
	say(c.Err, "\n%s", next)
	return nil
}

// pickAgentOnce asks a person at a terminal, before the first session, which of several agents does the
// work of a role, and remembers it in this repository's configuration.
func pickAgentOnce(c *command, role agent.Role) error {
	if !terminal.Attended() || c.yes {
		return nil
	}
	found := settings.Available()
	if len(found) < 2 {
		return nil
	}
	return withCheckout(c.Context, func(co *checkout.Checkout) error {
		if co.Config.NotChosen(role) == "" {
			return nil
		}
		say(c.Err, "several agents are here, and none is set (plan.agent):")
		name, err := chooseAgent(c, found)
		if err == nil {
			err = co.Repo.SetConfig(c.Context, "plan.agent", name)
		}
		if err == nil {
			say(c.Err, "set in this repository: git config plan.agent %s", name)
		}
		return err
	})
}

// askForServer asks a person at a terminal, where no agent is, for a model server of theirs, and sets it
// in this repository's configuration.
func askForServer(c *command, co *checkout.Checkout) (set bool, err error) {
	if chosen, _ := co.Config.Get("plan.agent"); !terminal.Attended() || chosen != "" || len(settings.Available()) > 0 || len(co.Config.Speaking()) > 0 {
		return false, nil
	}
	fmt.Fprint(c.Err, "\nA model server of yours, as URL and MODEL? (Enter: none) ")
	line, err := terminal.ReadLine(c.Context)
	if err != nil {
		say(c.Err, "")
		return false, context.Cause(c.Context)
	}
	words := strings.Fields(line)
	if len(words) != 2 {
		if len(words) > 0 {
			say(c.Err, "not set: that is not a URL and a model with a blank between them")
		}
		return false, nil
	}
	for _, s := range [][2]string{{"planAgent.local.baseURL", words[0]}, {"planAgent.local.model", words[1]}, {"plan.agent", "local"}} {
		if err := co.Repo.SetConfig(c.Context, s[0], s[1]); err != nil {
			return false, err
		}
		say(c.Err, "set in this repository: git config %s %s", s[0], visible.Shell(s[1]))
	}
	say(c.Err, "")
	return true, nil
}

// chooseAgent asks once which of several agents is to be used; without a terminal the first.
func chooseAgent(c *command, found []settings.Candidate) (string, error) {
	if !terminal.Attended() {
		return found[0].Name, nil
	}
	for i, a := range found {
		say(c.Err, "  %d) %s", i+1, a)
	}
	fmt.Fprint(c.Err, "Which agent should do the work? (Enter: 1) ")
	line, err := terminal.ReadLine(c.Context)
	if err != nil {
		say(c.Err, "")
		return found[0].Name, context.Cause(c.Context)
	}
	if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(found) {
		return found[n-1].Name, nil
	}
	if i := slices.IndexFunc(found, func(a settings.Candidate) bool { return a.Name == line }); i >= 0 {
		return found[i].Name, nil
	}
	return found[0].Name, nil
}

type doctorOptions struct {
	*command
	offline, fix bool
}

func doctorCommand() *cli.Command {
	c := &doctorOptions{command: new(command)}
	return &cli.Command{
		Name: "doctor", Usage: "check the setup, and say how to fix what is wrong",
		Description: "Checks git, the agent of each role, the keys in the environment (which are never shown),\n" +
			"the sandbox, custom prompts, the reviewers, the hooks, and what crashes and deleted\n" +
			"branches left behind. Asks the model servers of the roles for their models, which uses no\n" +
			"tokens, and has each launcher start a worker, which does nothing. Exits with 1 if something is wrong.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "offline", Destination: &c.offline, Usage: "do not ask model servers, and start no launcher"},
			&cli.BoolFlag{Name: "fix", Destination: &c.fix, Usage: "remove stale locks, half-made clones, and settings that name plans that are gone; print commands for the rest"},
		},
		Action: c.do(func() error {
			if err := c.arguments(0); err != nil {
				return err
			}
			found, err := examine(c)
			if err != nil {
				return err
			}
			return printSymptoms(c.command, found)
		}),
	}
}

// examine looks at everything that there is here, in a repository or not.
func examine(c *doctorOptions) (found []doctor.Symptom, err error) {
	co, err := checkout.Open(c.Context)
	outside := errors.Is(err, git.ErrNotRepository) || errors.Is(err, git.ErrTooOld)
	if outside {
		co, err = checkout.Outside(c.Context)
	}
	if err != nil {
		return nil, err
	}
	defer co.Close()
	found = doctor.Examine(c.Context, co)
	if !c.offline {
		found = append(found, doctor.ExamineEndpoints(c.Context, co)...)
		found = append(found, doctor.ExamineLaunchers(c.Context, co)...)
	}
	if outside {
		return append(found, doctor.Symptom{About: "repository", Found: doctor.Unused, Text: "none here"}), nil
	}
	found = append(found, doctor.ExaminePrompts(c.Context, co)...)
	found = append(found, survey.Examine(c.Context, co)...)
	more, err := doctor.ExamineClone(c.Context, co, c.fix)
	return append(found, more...), err
}

func printSymptoms(c *command, found []doctor.Symptom) error {
	var end error
	width := terminal.Width(os.Stdout)
	for _, s := range found {
		terminal.Fold(c.Out, width, 7, "%-5s  %s: %s", s.Found, s.About, visible.Line(s.Text))
		for line := range strings.Lines(s.Fix) {
			terminal.Fold(c.Out, width, 7, "       %s", visible.Line(strings.TrimRight(line, "\n")))
		}
		if s.Found == doctor.Wrong {
			end = &exit.Ended{Code: exit.Error}
		}
	}
	return end
}

type configOptions struct {
	*command
	all, json bool
}

func configCommand() *cli.Command {
	c := &configOptions{command: new(command)}
	return &cli.Command{
		Name: "config", Usage: "list the settings that are set, and where they come from", ArgsUsage: "[<key>]",
		Description: "Set a key with git config, at any of git's levels. Of keys with <role> or <name>, those\n" +
			"that are set are listed. A key that git plan does not know has no effect, and is marked.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "all", Destination: &c.all, Usage: "list the others, too, with their defaults"},
			&cli.BoolFlag{Name: "json", Destination: &c.json, Usage: "one JSON object with all settings, for programs"},
		},
		Action: c.do(func() error {
			if len(c.args) != 2 { // that many arguments would set a key, as git config does: report that
				if err := c.arguments(1); err != nil {
					return err
				}
			}
			return withCheckout(c.Context, func(co *checkout.Checkout) error {
				return paged(c.command, co, func() error { return listSettings(c, co) })
			})
		}),
	}
}

func listSettings(c *configOptions, co *checkout.Checkout) error {
	if err := proposals(c.command, co, co.PlanBase(c.Context)); err != nil {
		return err
	}
	set := co.Config.Settings()
	if key := c.arg(0); key != "" {
		set = co.Config.Matching(key)
		if len(set) == 0 {
			return &exit.Wrong{Text: "there is no key " + key, Hint: "see them all: git plan config --all"}
		}
		if len(c.args) == 2 {
			return &exit.Wrong{Text: "git plan config shows keys, and sets none", Hint: "git config " + key + " VALUE"}
		}
	}
	if len(c.args) == 0 && !c.all && !c.json {
		set = slices.DeleteFunc(set, func(s settings.Setting) bool { return s.Scope == "default" })
		if len(set) == 0 {
			say(c.Err, "no setting is set; see them all: git plan config --all")
		}
	}
	for _, s := range set {
		if err := doctor.WrongSettings(co, s); err != nil {
			say(c.Err, "warning: %s", visible.Line(err.Error()))
		}
	}
	if c.json {
		return views.JSON(c.Out, map[string]any{"schema": 1, "settings": set})
	}
	width := terminal.Width(os.Stdout)
	if width != terminal.Endless {
		printSettings(c.Out, set, width)
		return nil
	}
	var rows [][]string
	for _, s := range set {
		value, from, doc := settingText(s)
		rows = append(rows, []string{visible.Line(s.Key), value, from, doc})
	}
	return terminal.Table(c.Out, width, nil, rows)
}

// printSettings prints settings for a terminal, on which a table would not fit: what a key is for
// is on the line below.
func printSettings(w io.Writer, set []settings.Setting, width int) {
	const indent = 4
	for _, s := range set {
		value, from, doc := settingText(s)
		terminal.Fold(w, width, indent, "%s  %s  (%s)", visible.Line(s.Key), value, from)
		terminal.Fold(w, width, indent, "%*s%s", indent, "", doc)
	}
}

// settingText returns what is printed of a setting after its key.
func settingText(s settings.Setting) (value, from, doc string) {
	value, from, doc = s.Value, s.Scope, s.Doc
	if value == "" {
		value = "-"
	}
	switch s.Scope {
	case "default":
	case "unknown":
		from, doc = s.Origin, "no such key: it has no effect"
	default:
		from += " " + s.Origin
	}
	return visible.Line(value), visible.Line(from), doc
}

func skillCommand() *cli.Command {
	c := new(command)
	return &cli.Command{
		Name: "skill", Usage: "print what teaches your own agent to work on a plan",
		Description: "A skill is a file that coding agents read when a task calls for it. This one says how to\n" +
			"do a step by git plan next and git plan done. git plan init offers to write it to\n" +
			"~/.claude/skills (Claude Code) or ~/.agents/skills (Codex, Gemini, opencode); then \"do the\n" +
			"next step of the plan\" is enough. Sessions that git plan starts cannot use it.",
		Action: c.do(func() error {
			if err := c.arguments(0); err != nil {
				return err
			}
			_, err := io.WriteString(c.Out, survey.Skill)
			return err
		}),
	}
}
