package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/gitplan"
)

func showCommand() *cli.Command {
	return &cli.Command{
		Name: "show", Usage: "print the plan, or one step", ArgsUsage: "[<step>]",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "prompt", Usage: "print what a session for the step would be told"},
			&cli.BoolFlag{Name: "json", Usage: "one JSON object for programs"},
		},
		Action: func(c *cli.Context) error {
			if err := arguments(c, 1); err != nil {
				return err
			}
			return withPlan(c.Context, func(co *gitplan.Checkout) error { return show(c, co) })
		},
	}
}

func show(c *cli.Context, co *gitplan.Checkout) error {
	if c.NArg() == 0 && !c.Bool("prompt") {
		if c.Bool("json") {
			s, err := standing(c, co)
			if err != nil {
				return err
			}
			return s.json(c.App.Writer)
		}
		text, err := asItStands(co)
		if err == nil {
			_, err = c.App.Writer.Write([]byte(printable(string(text))))
		}
		return err
	}
	step, err := stepOf(co, c.Args().First())
	if err != nil {
		return err
	}
	if c.Bool("prompt") {
		budget, err := co.Config.Int("plan.promptBudget")
		if err != nil {
			return err
		}
		try := gitplan.Attempt{N: 1, Nonce: strings.Repeat("0", 16)}
		p := gitplan.StepPrompt(co.Doc.Plan, co.Progress, step, try, gitplan.Instructions(co.Repo.Top), budget)
		say(c.App.Writer, "%s", printable(p.Text()))
		return nil
	}
	st := co.Progress.Steps[step.ID]
	if c.Bool("json") {
		e := json.NewEncoder(c.App.Writer)
		e.SetIndent("", "  ")
		return e.Encode(map[string]any{
			"schema": 1, "n": step.N, "id": step.ID, "title": step.Title, "state": st.State, "commit": st.Commit,
			"files": step.Files, "needs": step.Needs, "checks": gitplan.Commands(step.Checks), "text": step.Text,
		})
	}
	say(c.App.Writer, "%s", strings.TrimRight(printable(step.Text), "\n"))
	say(c.App.ErrWriter, "state: %s", st.State)
	return nil
}

// asItStands is the plan's text with the boxes that are derived to be ticked.
func asItStands(co *gitplan.Checkout) (text []byte, err error) {
	text = co.Doc.Plan.Source
	for _, s := range co.Doc.Plan.Steps {
		if done := co.Progress.Steps[s.ID].State == gitplan.StateDone; done != s.Box {
			if text, err = gitplan.Tick(text, s.ID, done); err != nil {
				return nil, err
			}
		}
	}
	return text, nil
}

// stepOf is the named step, or without a name the next one.
func stepOf(co *gitplan.Checkout, name string) (*gitplan.Step, error) {
	if name == "" {
		if s, ok := co.Progress.Next(co.Doc.Plan); ok {
			return s, nil
		}
		return nil, &gitplan.Fault{Kind: gitplan.ErrNothingLeft, Text: "no step is open that could be next"}
	}
	if s, ok := co.Doc.Plan.Step(name); ok {
		return s, nil
	}
	return nil, &gitplan.Fault{Kind: gitplan.ErrUnknownStep, Text: fmt.Sprintf("the plan has no step %s", clean(name))}
}

// printable keeps line ends and tabs, and shows what could drive a terminal or
// hide text from a reader: control characters, lone carriage returns, and
// invisible or direction-changing letters, all as \u escapes.
func printable(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\n' || r == '\t' || r == '\r' && strings.HasPrefix(s[i+1:], "\n"):
			b.WriteRune(r)
		case !visible(r):
			fmt.Fprintf(&b, "\\u%04x", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// visible is false for letters that a terminal obeys or does not show.
func visible(r rune) bool {
	switch {
	case r < ' ', r >= 0x7f && r < 0xa0:
		return false
	case r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x2069, r == 0xfeff:
		return false
	}
	return true
}

func editCommand() *cli.Command {
	return &cli.Command{
		Name: "edit", Usage: "change the plan in your editor",
		Action: func(c *cli.Context) error {
			if err := arguments(c, 0); err != nil {
				return err
			}
			return withLock(c, func(co *gitplan.Checkout, _ *gitplan.Lock) error { return edit(c, co) })
		},
	}
}

// edit stores what the person typed; it stays approved where what it started
// from was.
func edit(c *cli.Context, co *gitplan.Checkout) error {
	approved, err := gitplan.IsApproved(co.Repo, co.Doc.ID, co.Doc.Plan.Source)
	if err != nil {
		return err
	}
	text, err := asItStands(co)
	if err != nil {
		return err
	}
	before := bytes.Clone(co.Doc.Plan.Source)
	path := co.Repo.PlanDir(co.Doc.ID, "EDIT_PLAN.md")
	err = typed(c.Context, co, path, text, func(now []byte, kept bool) error {
		approved = approved && !kept
		if unchanged(now, text) {
			return nil
		}
		return co.Revise(c.Context, now)
	})
	if err != nil {
		return err
	}
	if bytes.Equal(before, co.Doc.Plan.Source) {
		say(c.App.ErrWriter, "the plan is as it was")
		return nil
	}
	was, is := gitplan.Meaning(before), gitplan.Meaning(co.Doc.Plan.Source)
	if bytes.Equal(was, is) {
		say(c.App.ErrWriter, "changed: boxes and states only, so nothing is to be approved")
		return nil
	}
	say(c.App.ErrWriter, "changed:\n%s", strings.TrimRight(printable(gitplan.Compare(was, is)), "\n"))
	if approved {
		say(c.App.ErrWriter, "approved, since you typed it just now")
		return gitplan.Approve(co.Repo, co.Doc.ID, co.Doc.Plan.Source)
	}
	say(c.App.ErrWriter, "it is not approved: git plan approve")
	return nil
}

func approveCommand() *cli.Command {
	return &cli.Command{
		Name: "approve", Usage: "say that you have read the plan and that it may be executed",
		Action: func(c *cli.Context) error {
			if err := arguments(c, 0); err != nil {
				return err
			}
			return withLock(c, func(co *gitplan.Checkout, _ *gitplan.Lock) error { return approve(c, co) })
		},
	}
}

func approve(c *cli.Context, co *gitplan.Checkout) error {
	if ok, err := gitplan.IsApproved(co.Repo, co.Doc.ID, co.Doc.Plan.Source); err != nil || ok {
		if ok {
			say(c.App.ErrWriter, "the plan is approved already; next: git plan step, or git plan run")
		}
		return err
	}
	if before, err := gitplan.ApprovedMeaning(co.Repo, co.Doc.ID); err == nil && before != nil {
		say(c.App.ErrWriter, "changed since it was approved last:\n%s", printable(gitplan.Compare(before, gitplan.Meaning(co.Doc.Plan.Source))))
	}
	tellCommands(c, co.Doc.Plan)
	if err := gitplan.Approve(co.Repo, co.Doc.ID, co.Doc.Plan.Source); err != nil {
		return err
	}
	err := co.Store.Apply(c.Context, co.Doc, co.Branch, gitplan.Change{Event: gitplan.Event{Kind: gitplan.Approved, By: gitplan.ByPerson}})
	if err == nil {
		say(c.App.ErrWriter, "approved: %s; next: git plan step, or git plan run", count(len(co.Doc.Plan.Steps), "step"))
	}
	return err
}

// tellCommands lists what an approval lets run, and the steps that no command
// will show to be done.
func tellCommands(c *cli.Context, p *gitplan.Plan) {
	var commands, unchecked []string
	for _, s := range p.Steps {
		if s.Run != "" {
			commands = append(commands, s.Run)
		}
		commands = append(commands, gitplan.Commands(s.Checks)...)
		if s.Run == "" && len(gitplan.Commands(s.Checks)) == 0 {
			unchecked = append(unchecked, s.ID)
		}
	}
	for _, more := range [][]gitplan.Check{p.Prerequisites, p.Checks, p.Verification} {
		commands = append(commands, gitplan.Commands(more)...)
	}
	if commands = unique(commands); len(commands) > 0 {
		say(c.App.ErrWriter, "these commands of the plan will be run:")
		for _, line := range commands {
			say(c.App.ErrWriter, "    %s", strings.ReplaceAll(printable(line), "\n", "\n    "))
		}
	}
	for _, p := range p.Prerequisites {
		if p.Command == "" {
			say(c.App.ErrWriter, "before the first step, see to it: %s", clean(p.Text))
		}
	}
	if len(unchecked) > 0 {
		say(c.App.ErrWriter, "no command of its own checks %s (a command is a code span by itself: Check: `make test`)", strings.Join(unchecked, ", "))
	}
}

// count is a number with its word: 1 step, 2 steps.
func count(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// stateCommand sets a step's state by hand.
func stateCommand(name, word string) *cli.Command {
	usage := map[string]string{
		"skip":   "leave a step out: it counts as done",
		"block":  "mark a step as blocked",
		"reopen": "open a step again that is done, skipped or blocked",
	}[name]
	return &cli.Command{
		Name: name, Usage: usage, ArgsUsage: "<step>",
		Flags: []cli.Flag{&cli.StringFlag{Name: "m", Usage: "why: `REASON`"}},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return misused(c, "%s takes one step", name)
			}
			return withLock(c, func(co *gitplan.Checkout, _ *gitplan.Lock) error {
				step, err := co.SetState(c.Context, c.Args().First(), word, c.String("m"))
				if err == nil {
					say(c.App.ErrWriter, "step %s is %s", step.ID, word)
				}
				return err
			})
		},
	}
}

func logCommand() *cli.Command {
	return &cli.Command{
		Name: "log", Usage: "what happened to the plan, newest first", ArgsUsage: "[<step>]",
		Action: func(c *cli.Context) error {
			if err := arguments(c, 1); err != nil {
				return err
			}
			return withPlan(c.Context, func(co *gitplan.Checkout) error { return printLog(c, co) })
		},
	}
}

func printLog(c *cli.Context, co *gitplan.Checkout) error {
	only := ""
	if c.NArg() == 1 {
		step, err := stepOf(co, c.Args().First())
		if err != nil {
			return err
		}
		only = step.ID
	}
	for i := len(co.Doc.Events) - 1; i >= 0; i-- {
		e := co.Doc.Events[i]
		if only != "" && !concerns(e, only) {
			continue
		}
		line := fmt.Sprintf("%s %s %s", short(e.Commit), e.Time.Local().Format("2006-01-02 15:04:05"), clean(e.Headline))
		if e.Agent != "" {
			line += fmt.Sprintf(" [%s, %d tokens in, %d out]", clean(e.Agent), e.Tokens.In, e.Tokens.Out)
		}
		say(c.App.Writer, "%s", line)
		for _, more := range []string{e.Reason, e.Summary, e.Kept} {
			if more != "" {
				say(c.App.Writer, "             %s", clean(more))
			}
		}
	}
	return nil
}

func concerns(e gitplan.Event, step string) bool {
	for _, s := range e.Steps {
		if s == step {
			return true
		}
	}
	return false
}

func listCommand() *cli.Command {
	return &cli.Command{
		Name: "list", Usage: "every plan of the repository",
		Action: func(c *cli.Context) error {
			return withCheckout(c.Context, func(co *gitplan.Checkout) error {
				plans, err := co.Store.List(c.Context)
				for _, p := range plans {
					say(c.App.Writer, "%s\t%s", p.Name, clean(p.Subject))
				}
				return err
			})
		},
	}
}

func attachCommand() *cli.Command {
	return &cli.Command{
		Name: "attach", Usage: "bind a plan to this branch", ArgsUsage: "<plan>",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "fork", Usage: "give this branch a plan of its own that begins as this one"}},
		Action: func(c *cli.Context) error {
			if c.NArg() > 1 || c.NArg() == 0 && !c.Bool("fork") {
				return misused(c, "attach takes one plan")
			}
			return withCheckout(c.Context, func(co *gitplan.Checkout) error {
				if co.Branch == "" {
					return &gitplan.Fault{Kind: gitplan.ErrDetached, Text: "HEAD is detached"}
				}
				doc, err := attach(c, co)
				if err == nil {
					say(c.App.ErrWriter, "plan %s is attached to branch %s", doc.ID, clean(co.Branch))
				}
				return err
			})
		},
	}
}

func attach(c *cli.Context, co *gitplan.Checkout) (*gitplan.Document, error) {
	if c.Bool("fork") {
		return co.Fork(c.Context, c.Args().First())
	}
	doc, err := co.Store.Load(c.Context, c.Args().First())
	if err != nil {
		return nil, err
	}
	if err := co.Belongs(c.Context, doc); err != nil {
		return nil, err
	}
	if err := co.Attach(c.Context, doc.ID); err != nil {
		return nil, err
	}
	return doc, co.Claim(c.Context, doc)
}

func dropCommand() *cli.Command {
	return &cli.Command{
		Name: "drop", Usage: "remove a plan", ArgsUsage: "[<plan>]",
		Action: func(c *cli.Context) error {
			if err := arguments(c, 1); err != nil {
				return err
			}
			return withCheckout(c.Context, func(co *gitplan.Checkout) error {
				id := c.Args().First()
				if own, ok := co.PlanID(); id == "" && ok {
					id = own
				}
				if id == "" {
					return co.Load(c.Context)
				}
				tip, err := co.Drop(c.Context, id)
				if err == nil {
					say(c.App.ErrWriter, "plan %s is gone; its last value was %s (git update-ref refs/plans/%s %s brings it back)", id, tip, id, tip)
				}
				return err
			})
		},
	}
}

func configCommand() *cli.Command {
	return &cli.Command{
		Name: "config", Usage: "the configuration keys and their values in force",
		Action: func(c *cli.Context) error {
			return withCheckout(c.Context, func(co *gitplan.Checkout) error {
				for _, k := range gitplan.Keys {
					value := k.Default + " (default)"
					if v, ok := co.Config.Get(k.Name); ok {
						value = v
					}
					if strings.Contains(k.Name, "<") {
						value = k.Default
					}
					say(c.App.Writer, "%-28s %-24s %s", k.Name, clean(value), k.Doc)
				}
				return nil
			})
		},
	}
}
