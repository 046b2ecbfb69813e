package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/form"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/lint"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/planner"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/visible"
)

type newOptions struct {
	*command
	plan                             checkout.NewPlan
	file, form, template             string
	context, doneWhen, within, allow cli.StringSlice
	budget                           string
	ask                              bool
}

func newCommand(with *command) *cli.Command {
	c := &newOptions{command: with}
	c.option(&c.file, "F, file",
		"take the plan from `FILE`, in any format, or from a queue folder (- is standard input)")
	c.option(&c.form, "form", "with -F: read it as `FORM`, if it is not recognised ("+listed(form.Forms())+")")
	c.option(&c.plan.Branch, "b, branch", "make `BRANCH` and switch to it")
	c.option(&c.plan.Base, "base", "compare the work with `REF`")
	c.option(&c.template, "template",
		"shape of the plan: feature, fix, refactor, migration or docs; library, service or frontend for a whole example; or `NAME` in .gitplan/templates")
	c.option(&c.context, "context", "also give `FILE` to the planner (- is standard input); can be repeated")
	c.option(&c.doneWhen, "done-when",
		"the goal is reached when `COMMAND` passes, or prints a number such as \"sh bench.sh <= 120\"; can be repeated")
	c.option(&c.within, "within", "let run plan further steps without you, in files below `GLOB`; can be repeated")
	c.option(&c.allow, "allow", "let such steps run `COMMAND`, or \"go test *\"; can be repeated")
	c.option(&c.budget, "budget", "let them use at most `AMOUNTS`, such as \"40 USD, 3 days, 60 steps, 20M tokens\"")
	c.option(&c.ask, "ask", "let the planner ask you questions first")
	c.option(&c.yes, "yes", "approve the plan at once")
	c.option(&c.plan.Force, "force", "replace the plan this branch has")
	return c.define("new", "[<goal>]", "write a plan for this branch", c.do(anyNumber, func() error {
		goal := strings.TrimSpace(strings.Join(c.args, " "))
		switch {
		case len(c.args) > 0 && c.file != "":
			return c.misused("a goal and -F cannot be used together")
		case len(c.args) > 0 && goal == "":
			return c.misused("the goal is empty")
		case goal == "" && (c.ask || c.budget != "" ||
			len(c.context.Value())+len(c.doneWhen.Value())+len(c.within.Value())+len(c.allow.Value()) > 0):
			return c.misused("--ask, --context, --done-when, --within, --allow and --budget are for a planner, which needs a goal")
		case c.file != "" && c.template != "":
			return c.misused("--template and -F cannot be used together")
		case c.ask && !terminal.Attended():
			return c.misused(askNeeds)
		}
		c.prompts = goal != ""
		return makeNew(c, goal)
	}))
}

func makeNew(c *newOptions, goal string) error {
	return withAgent(c.command, agent.Planner, func(co *checkout.Checkout) error {
		base, err := c.plan.Ready(c.Context, co)
		if err != nil {
			return err
		}
		if err := proposals(c.command, co, base); err != nil {
			return err
		}
		switch {
		case c.file != "":
			return fromFile(c, co, base)
		case goal != "":
			return fromGoal(c, co, base, goal)
		}
		return fromEditor(c, co, base)
	})
}

func fromFile(c *newOptions, co *checkout.Checkout, base string) error {
	event, name := journal.Event{By: journal.ByPerson}, "standard input"
	if c.file != "-" {
		name, event.Imported = c.file, checkout.PathInTree(co, c.file)
	}
	var text []byte
	var weak []plan.Weakness
	in, err := imported(c.command, c.file, c.form)
	if err == nil {
		printImport(c.Err, in)
		if weak, err = lint.Imported(c.Context, co, in); err == nil {
			text = withChecks(c.command, co, in.Text)
			err = store(c, co, base, text, event)
		}
	}
	switch {
	case errors.As(err, new(*plan.ParseError)):
		return &fault.Fault{Text: name + " is not a plan:", Cause: err}
	case errors.Is(err, fault.ErrHidden): // its lines are other ones
		return &fault.Fault{Kind: fault.ErrHidden, Text: visible.Line(name) + " hides something, so it cannot be approved",
			Next: "take it out, line by line: git plan lint " + visible.Shell(c.file)}
	case err != nil:
		return err
	}
	if event.Imported != "" { // agents may go on ticking boxes there
		say(c.Err, "%s is not read again: git plan edit changes the plan", event.Imported)
	}
	weak = slices.DeleteFunc(weak, func(w plan.Weakness) bool { return w.Rule == "no-check" && len(text) != len(in.Text) })
	return settle(c.command, co, "the plan, by the lines of "+visible.Line(name), weak, c.yes)
}

func fromEditor(c *newOptions, co *checkout.Checkout, base string) error {
	text, err := co.Template(c.Context, base, c.template)
	if err != nil {
		return err
	}
	template := []byte(text)
	return typed(c.Context, co, co.Repo.PlanDir("NEW_PLAN.md"), template, func(text []byte, kept bool) error {
		if unchanged(text, template) || unchanged(text, nil) {
			return terminal.ErrUnchanged
		}
		if err := store(c, co, base, text, journal.Event{By: journal.ByPerson}); err != nil {
			return err
		}
		return settleApproval(c.command, co, !kept || c.yes) // what was typed just now is approved by that
	})
}

func fromGoal(c *newOptions, co *checkout.Checkout, base, goal string) error {
	p, err := planning(c, co, base, goal)
	if err != nil {
		return err
	}
	o := newOperation(c.command, co, nil)
	if c.ask {
		p.Ask = o.ask
	}
	began := time.Now()
	o.worker.Start(agent.Planner, c.name)
	made, err := planner.MakePlan(c.Context, o.worker, p)
	o.reportEnd(err)
	o.end()
	if err != nil {
		return keepText(co, made.Text, err)
	}
	e := o.worker.WithSessions(journal.Event{By: journal.ByAgent, Took: time.Since(began), Answers: made.Answers})
	err = store(c, co, base, made.Text, e)
	if err != nil && co.Doc == nil { // it is not stored
		return keepText(co, made.Text, err)
	}
	if err == nil && co.Config.HasCritic() {
		err = locked(c.command, co, func(lock *journal.Lock) error {
			o := newOperation(c.command, co, lock)
			defer o.end()
			return criticised(c.command, o.worker)
		})
	}
	if err != nil {
		return err
	}
	return settleApproval(c.command, co, c.yes)
}

func planning(c *newOptions, co *checkout.Checkout, base, goal string) (p prompt.Planning, err error) {
	p.Goal, p.DoneWhen, p.Bounds = goal, plan.DoneWhen(c.doneWhen.Value()),
		plan.BoundsOf(c.within.Value(), c.allow.Value(), c.budget)
	if _, err := p.Signed([]byte("# T\n\n## Steps\n\n- [ ] A\n")); err != nil {
		if parse, ok := errors.AsType[*plan.ParseError](err); ok { // its lines are of a text that no person wrote
			err = errors.New(parse.Problems[0].Text)
		}
		return p, c.misused("--done-when, --within, --allow or --budget: %v", err)
	}
	if c.template != "" {
		if p.Template, err = co.Template(c.Context, base, c.template); err != nil {
			return p, err
		}
	}
	for _, name := range c.context.Value() {
		text, err := attached(c, name)
		if err != nil {
			return p, err
		}
		if name == "-" {
			name = "standard input"
		}
		p.Context = append(p.Context, [2]string{name, text})
	}
	if lessons := planner.Lessons(c.Context, co); lessons != "" {
		p.Context = append(p.Context, [2]string{"what earlier plans here decided and learned", lessons})
	}
	return p, nil
}

// maxContext bounds each text that is attached for a planner, in bytes.
const maxContext = 128 << 10

func attached(c *newOptions, name string) (string, error) {
	in := os.Stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return "", c.misused("--context: %v", err)
		}
		defer f.Close()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, maxContext+1))
	switch {
	case err != nil:
		return "", c.misused("--context: %v", err)
	case bytes.IndexByte(data, 0) >= 0:
		return "", c.misused("--context: %s is not text", visible.Line(name))
	case len(data) > maxContext:
		return "", fault.New(fault.ErrTooLarge, "%s is longer than %d bytes", visible.Line(name), maxContext)
	}
	return string(data), nil
}

// store stores the plan, and prints the result; with --yes only one that can be approved.
func store(c *newOptions, co *checkout.Checkout, base string, text []byte, event journal.Event) error {
	p, err := plan.Parse(text)
	if err != nil {
		return err
	}
	if err := p.Approvable(); err != nil && c.yes {
		return err
	}
	stored, err := c.plan.Store(c.Context, co, p, base, event)
	if stored.NoBase != "" {
		say(c.Err, "its base %s is not a commit here, so its base is now %s; another one: --base REF", stored.NoBase, stored.Base)
	}
	if err != nil {
		return err
	}
	compared := ""
	if stored.Base != "" {
		compared = ", base " + stored.Base
	}
	steps := visible.Count(len(co.Doc.Plan.Steps), "step")
	say(c.Err, "plan %s (%s) is on branch %s%s", co.Doc.ID, steps, co.Branch, compared)
	if len(stored.Ticked) > 0 {
		say(c.Err, "already ticked: %s", strings.Join(stored.Ticked, ", "))
	}
	return nil
}

// withChecks offers to add what seems to check this project to a plan without checks, and returns the text.
func withChecks(c *command, co *checkout.Checkout, text []byte) []byte {
	p, err := plan.Parse(text)
	if err != nil || p.BodyOf("Checks") != "" ||
		slices.ContainsFunc(p.Steps, func(s plan.Step) bool { return len(plan.Commands(s.Checks)) > 0 }) {
		return text
	}
	body, likely := "", planner.LikelyChecks(co)
	for _, command := range likely {
		body += "- " + plan.CodeSpan(command) + "\n"
	}
	with, err := plan.WithSection(text, "Checks", body)
	if err != nil || len(likely) == 0 {
		return text
	}
	say(c.Err, "no step has a check, but this project seems to have these: %s", strings.Join(likely, ", "))
	if c.yes || !terminal.Attended() || !answersYes(c, "Run these after each step? [Y/n] ") {
		return text
	}
	return with
}

// imported reads a plan from a file. Meanwhile Ctrl-C ends the program at once: a pipe may never end.
func imported(c *command, name, format string) (*form.Imported, error) {
	kind, err := formNamed(c, format, form.Forms())
	if err != nil {
		return nil, err
	}
	defer context.AfterFunc(c.Context, func() { os.Exit(exitCode(context.Cause(c.Context))) })()
	return form.ImportFrom(name, os.Stdin, kind)
}

// listed writes words with commas.
func listed[T ~string](all []T) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(all), " ", ", "), "[]")
}

func formNamed(c *command, name string, all []form.Form) (form.Form, error) {
	kind := form.Form(name)
	if kind != "" && !slices.Contains(all, kind) {
		return "", c.misused("unknown format %q: it must be one of %s", string(kind), listed(all))
	}
	return kind, nil
}

// printImport prints how a file in another form was read.
func printImport(w io.Writer, in *form.Imported) {
	if in.Doubt != "" {
		say(w, "read as %s: %s; but %s", in.Form, in.Reason, in.Doubt)
	} else if in.Form != form.Own {
		say(w, "read as %s: %s", in.Form, in.Reason)
	}
	printNotes(w, in.Notes)
}

func printNotes(w io.Writer, notes []form.Note) {
	for _, n := range notes {
		say(w, "%s", n.String())
	}
}
