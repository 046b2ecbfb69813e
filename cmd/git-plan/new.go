package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/form"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/markdown"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/visible"
)

func newCommand() *cli.Command {
	return &cli.Command{
		Name: "new", Usage: "make the plan of this branch", ArgsUsage: "[<goal>]",
		Description: "With a goal, a planner session reads the repository and writes the plan.\n" +
			"With -F, the plan comes from a file. With neither, the editor opens on a template.\n" +
			"On the base branch itself a new branch is made from the plan's title; where there\n" +
			"is no commit yet the plan is attached to the branch itself.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "F", Aliases: []string{"file"}, Usage: "take the plan from `FILE`, in any form, or from a queue folder (- is standard input)"},
			&cli.StringFlag{Name: "form", Usage: "with -F: read it as `FORM`, where it is not recognised right (" + forms(form.Forms()) + ")"},
			&cli.StringFlag{Name: "b", Aliases: []string{"branch"}, Usage: "make `BRANCH` and switch to it"},
			&cli.StringFlag{Name: "base", Usage: "compare the work with `REF`"},
			&cli.StringFlag{Name: "template", Usage: "the shape of the plan: feature, fix, refactor, migration, docs, or a `NAME` of the repository's own"},
			&cli.StringSliceFlag{Name: "context", Usage: "give `FILE` along to the planner (- is standard input); may stand several times"},
			&cli.BoolFlag{Name: "ask", Usage: "the planner may put questions to you first (built-in agent only)"},
			&cli.BoolFlag{Name: "yes", Usage: "approve the plan at once"},
			&cli.BoolFlag{Name: "force", Usage: "replace the plan this branch has"},
			plainFlag(),
		},
		Action: func(c *cli.Context) error {
			goal := strings.TrimSpace(strings.Join(c.Args().Slice(), " "))
			switch {
			case c.NArg() > 0 && c.IsSet("F"):
				return misused(c, "a goal and -F exclude each other")
			case c.NArg() > 0 && goal == "":
				return misused(c, "the goal is empty")
			case c.IsSet("F") && c.String("F") == "":
				return misused(c, "-F names no file")
			case goal == "-":
				return misused(c, "- is no goal: say what you want, and give the text along with --context -")
			case c.NArg() == 0 && (c.IsSet("context") || c.Bool("ask")):
				return misused(c, "--context and --ask are for a planner, which needs a goal")
			case c.IsSet("F") && c.IsSet("template"):
				return misused(c, "--template and -F exclude each other")
			case isFile(goal):
				return &wrong{text: goal + " is a file or folder here, and no goal", hint: "take the plan from it: git plan new -F " + visible.Shell(goal)}
			}
			return makeNew(c, goal)
		},
	}
}

// isFile reports whether a goal is the name of a file or folder: with -F forgotten
// a planner would be paid to think about it.
func isFile(goal string) bool {
	_, err := os.Stat(goal)
	return err == nil
}

// origin is where a plan's text came from.
type origin struct {
	text  []byte
	by    string // who wrote it
	typed bool   // by this person in the editor, just now: that approves it
	event journal.Event
	file  string          // that it was read from; empty where it was not
	weak  []plan.Weakness // by the lines of that file
}

func makeNew(c *cli.Context, goal string) error {
	return withCheckout(c.Context, func(co *gitplan.Checkout) error {
		if err := co.RequirePlace(c.Context); err != nil {
			return err
		}
		if id, ok := co.PlanID(c.Context); ok && !c.Bool("force") && c.String("b") == "" {
			text := fmt.Sprintf("branch %s has plan %s already", co.Branch, id)
			if base, err := co.Base(c.Context, c.String("base")); err == nil && base != "" && !co.OnBase(base) {
				text += "; other work begins on its base: git switch " + visible.Shell(strings.TrimPrefix(base, "origin/"))
			}
			return &fault.Fault{Kind: fault.ErrPlanExists, Text: text}
		}
		if err := co.Idle(c.Context); err != nil {
			return err
		}
		if name := c.String("b"); name != "" { // before a planner works for nothing
			if err := co.FreeBranch(c.Context, name); err != nil {
				return err
			}
		}
		base, err := co.Base(c.Context, c.String("base"))
		if err != nil {
			return err
		}
		if err := proposals(c, co, base); err != nil {
			return err
		}
		switch {
		case c.IsSet("F"):
			return fromFile(c, co, base)
		case goal != "":
			return fromGoal(c, co, base, goal)
		}
		return fromEditor(c, co, base)
	})
}

func fromFile(c *cli.Context, co *gitplan.Checkout, base string) error {
	name := c.String("F")
	kind, err := formNamed(c, "form", form.Forms())
	if err != nil {
		return err
	}
	in, err := form.ImportFrom(name, os.Stdin, kind)
	if err == nil {
		tellImport(c.App.ErrWriter, in)
		o := origin{text: in.Text, by: journal.ByPerson, file: name}
		if name == "-" {
			o.file = "standard input"
		} else {
			o.event.Imported = inRepository(co, name)
		}
		if o.weak, err = gitplan.LintImported(c.Context, co, in); err == nil {
			o.weak = slices.DeleteFunc(o.weak, func(w plan.Weakness) bool { return w.Rule == "base" }) // see wishedBase
			err = store(c, co, base, o)
		}
	}
	var parse *markdown.ParseError
	if errors.As(err, &parse) {
		return fmt.Errorf("%s is no plan:\n%w", name, err)
	}
	return err
}

func fromEditor(c *cli.Context, co *gitplan.Checkout, base string) error {
	text, err := co.Template(c.Context, base, c.String("template"))
	if err != nil {
		return err
	}
	template := gitplan.ForEditor(c.Context, co, text)
	return typed(c.Context, co, co.Repo.PlanDir("NEW_PLAN.md"), template, func(text []byte, kept bool) error {
		if unchanged(text, template) || unchanged(text, nil) {
			return errUnchanged
		}
		return store(c, co, base, origin{text: text, by: journal.ByPerson, typed: !kept})
	})
}

func fromGoal(c *cli.Context, co *gitplan.Checkout, base, goal string) error {
	p, err := planning(c, co, base, goal)
	if err != nil {
		return err
	}
	shown := newShow(c)
	p.Ask = shown.Asking(p.Ask)
	w := shown.worker(co, nil)
	began := time.Now()
	made, err := gitplan.MakePlan(c.Context, w, p)
	shown.end()
	if err != nil {
		return keepText(co, made.Text, err)
	}
	err = store(c, co, base, origin{text: made.Text, by: journal.ByAgent, event: w.Telling(journal.Event{Took: time.Since(began), Answers: made.Answers})})
	if err != nil && co.Doc == nil { // it is not stored
		return keepText(co, made.Text, err)
	}
	return err
}

// planning is what a planner session is asked for by the flags.
func planning(c *cli.Context, co *gitplan.Checkout, base, goal string) (p prompt.Planning, err error) {
	p.Goal = goal
	if c.String("template") != "" {
		if p.Template, err = co.Template(c.Context, base, c.String("template")); err != nil {
			return p, err
		}
	}
	if p.Context, err = given(c); err != nil {
		return p, err
	}
	p.Ask, err = asker(c, co)
	return p, err
}

// store makes the branch where one is needed, stores the plan, attaches it,
// and has it approved where it may be.
func store(c *cli.Context, co *gitplan.Checkout, base string, o origin) error {
	ctx := c.Context
	p, err := plan.Parse(o.text)
	if err != nil {
		return err
	}
	if err := p.Approvable(); err != nil && c.Bool("yes") { // before anything is made of it
		return o.hides(c, err)
	}
	if o.by == journal.ByPerson {
		base = wishedBase(c, co, p.Base, base)
	}
	if err := co.Idle(c.Context); err != nil {
		return err
	}
	start, err := co.Repo.Resolve(ctx, "HEAD^{commit}")
	if errors.Is(err, git.ErrMissing) {
		start, err = journal.None, nil
	}
	if err != nil {
		return err
	}
	e := o.event
	e.Start, e.Head, e.By = start, start, o.by
	if co.Doc, err = attachNew(c, co, base, p.Title, o.text, e); err != nil {
		return err
	}
	doc := co.Doc
	if o.by == journal.ByPerson {
		tellGiven(c, "plan", p.ID, doc.ID)
		tellGiven(c, "branch", p.Branch, co.Branch)
		if err := co.Imported(ctx); err != nil {
			return err
		}
	}
	say(c.App.ErrWriter, "plan %s of %s is attached to branch %s", doc.ID, terminal.Count(len(doc.Plan.Steps), "step"), visible.Line(co.Branch))
	var ticked []string
	for _, s := range co.Doc.Plan.Steps {
		if s.Ticked() {
			ticked = append(ticked, s.ID)
		}
	}
	if len(ticked) > 0 {
		say(c.App.ErrWriter, "done already, by the boxes in it: %s", strings.Join(ticked, ", "))
	}
	tellStays(ctx, c.App.ErrWriter, co, c.String("F"), e.Imported)
	if o.file != "" {
		return settle(c, co, "it, by the lines of "+visible.Line(o.file), o.weak, c.Bool("yes"))
	}
	return settleApproval(c, co, o.typed || c.Bool("yes"))
}

// attachNew makes the branch where one is needed, and stores the plan and attaches it: all of
// that or nothing.
func attachNew(c *cli.Context, co *gitplan.Checkout, base, title string, text []byte, e journal.Event) (*journal.Document, error) {
	if err := co.Settable(); err != nil {
		return nil, err
	}
	from := co.Branch
	if err := newBranch(c, co, base, title); err != nil {
		return nil, err
	}
	doc, err := co.Store.Create(c.Context, text, co.Branch, base, e)
	if err == nil {
		err = co.Attach(c.Context, doc.ID)
	}
	if err != nil {
		return nil, errors.Join(err, co.Unmake(c.Context, doc, from, strings.TrimSuffix(e.Start, journal.None)))
	}
	return doc, nil
}

// wishedBase is the base that a person's text names, where --base names none and
// it is a commit here; else the one that was found.
func wishedBase(c *cli.Context, co *gitplan.Checkout, wished, found string) string {
	if wished == "" || wished == found || found == "" || c.String("base") != "" {
		return found
	}
	base, err := co.Base(c.Context, wished)
	if err != nil {
		say(c.App.ErrWriter, "its base %s is no commit here, so its base is now %s; another one: --base REF", visible.Line(wished), visible.Line(found))
		return found
	}
	return base
}

// tellGiven says what a key of the front matter became that is not the text's to say.
func tellGiven(c *cli.Context, key, written, given string) {
	if written != "" && written != given {
		say(c.App.ErrWriter, "`%s: %s` of its front matter is now %s: git plan gives that", key, visible.Line(written), visible.Line(given))
	}
}

func newBranch(c *cli.Context, co *gitplan.Checkout, base, title string) error {
	name := c.String("b")
	own, _ := co.Base(c.Context, "") // where base is another commit, no plan is made on this one either
	if name == "" && (co.OnBase(base) || co.OnBase(own)) {
		prefix := co.Config.String("plan.branchPrefix")
		stem := prefix + markdown.Slug(title, 50)
		name = stem
		for n := 2; branchExists(c.Context, co, name); n++ {
			name = fmt.Sprintf("%s-%d", stem, n)
		}
	}
	if name == "" {
		return nil
	}
	return co.NewBranch(c.Context, name)
}

func branchExists(ctx context.Context, co *gitplan.Checkout, name string) bool {
	_, err := co.Repo.Resolve(ctx, "refs/heads/"+name)
	return err == nil
}

// keepText keeps what a planner wrote for the editor, where an error keeps it
// from being the plan.
func keepText(co *gitplan.Checkout, text []byte, err error) error {
	if len(text) == 0 {
		return err
	}
	path, release, werr := gitplan.TakeFile(co.Repo.PlanDir("NEW_PLAN.md"), false)
	if werr != nil {
		return errors.Join(err, werr)
	}
	defer release()
	if werr := os.WriteFile(path, text, 0o600); werr != nil {
		return errors.Join(err, werr)
	}
	return fmt.Errorf("%w\nits text is kept in %s; go on with it: git plan new%s", err, path, orAnew)
}
