package gitplan

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/pattern"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// surroundings are what a plan is judged by besides its text.
type surroundings struct {
	exists  func(path string) bool // in the work tree
	finds   func(program string) bool
	ignored map[string]bool        // of Files: git ignores them
	agent   func(name string) bool // is one that can be set up or is
	prompt  func(*Step) int        // bytes of the prompt of a session for it
	window  int                    // of the executor's model, in tokens
	broken  map[int]bool           // steps, from 0, that are wrong, and so not judged

	earlier *namedFiles // what the steps of the plan name under Files
}

// Lint says what is wrong or weak in the text of a plan, in line order.
func (c *Checkout) Lint(ctx context.Context, text []byte) ([]Weakness, error) {
	plan, err := parseAll(text)
	var wrong *ParseError
	if errors.As(err, &wrong) && plan == nil {
		return Weaknesses(wrong), nil
	}
	around, done, err := c.surroundings(plan)
	if err != nil {
		return nil, err
	}
	defer done()
	if around.ignored, err = c.ignoredFiles(ctx, plan); err != nil {
		return nil, err
	}
	if wrong != nil {
		return lintBroken(plan, wrong, around), nil
	}
	return slices.Concat(c.Config.sameModel(), c.weakBase(ctx, plan), inLines(append(lintHidden(plan.hidden()), lint(plan, around)...))), nil
}

// lintBroken is what is wrong with a plan that cannot be used, and what is weak in
// the rest of it: where something is wrong in a step, what seems weak in it would
// be an artefact, as would be its prompts.
func lintBroken(plan *Plan, wrong *ParseError, around surroundings) []Weakness {
	out := Weaknesses(wrong)
	told := map[string]bool{}
	around.broken, around.prompt = map[int]bool{}, func(*Step) int { return 0 }
	for _, p := range wrong.Problems {
		told[p.String()] = true
		i, on := slices.BinarySearchFunc(plan.Steps, p.Line, func(s Step, line int) int { return cmp.Compare(s.Line, line) })
		if !on {
			i-- // it begins above that line
		}
		around.broken[i] = true
	}
	for _, w := range lint(plan, around) {
		if !told[Problem{w.Line, w.Rule, w.Text}.String()] {
			out = append(out, w)
		}
	}
	return inLines(append(out, lintHidden(hiddenIn(plan.Source))...))
}

func inLines(out []Weakness) []Weakness {
	slices.SortStableFunc(out, func(a, b Weakness) int { return cmp.Compare(a.Line, b.Line) })
	return out
}

// smallModel are the words by which names of models say that they are small ones.
var smallModel = pattern.Of(`(?i)(^|[^a-z0-9])(mini|nano|micro|tiny|small|lite|flash|haiku|(\d\.)?\d{1,2}b)($|[^a-z0-9])`)

// sameModel is about a small model that executes plans of its own: what it does
// not see when it plans it does not see when it works either.
func (c *Config) sameModel() []Weakness {
	model, _ := c.model(c.agentName(agent.Planner), agent.Planner)
	other, _ := c.model(c.agentName(agent.Executor), agent.Executor)
	if model != other || !smallModel.MatchString(model) {
		return nil
	}
	return []Weakness{{Rule: "same-model", Text: "the same small model plans and executes: " + visible.OneLine(model, 100),
		Mend: "let a stronger one plan: git config plan.planner.model MODEL"}}
}

// LintImported says what is wrong or weak in what came of an import, in the order
// and by the lines of what was imported.
func (c *Checkout) LintImported(ctx context.Context, in *Imported) ([]Weakness, error) {
	found, err := c.Lint(ctx, in.Text)
	if in.from == nil {
		return found, err
	}
	for i := range found {
		at := in.place(found[i].Line)
		found[i].File, found[i].Line = at.file, at.line
	}
	if in.Form != FormJSON && in.Form != FormQueue { // the text itself says more of that than what became of it
		found = slices.DeleteFunc(found, func(w Weakness) bool { return w.HidesTask() })
		for _, p := range in.careless {
			found = append(found, Weakness{Rule: p.Rule, Line: p.Line, Text: p.Message})
		}
	}
	slices.SortStableFunc(found, func(a, b Weakness) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return found, err
}

func lint(plan *Plan, around surroundings) []Weakness {
	var out []Weakness
	for _, p := range plan.Warnings {
		out = append(out, Weakness{Rule: p.Rule, Line: p.Line, Text: p.Message})
	}
	out = append(out, withoutVerification(plan)...)
	around.earlier = nameFiles(plan)
	for i := range plan.Steps {
		s := &plan.Steps[i]
		for _, r := range lintRules {
			if around.broken[i] && r.name != "outside" { // what Files name is no artefact
				continue
			}
			if text := r.weak(plan, s, around); text != "" {
				out = append(out, Weakness{Rule: r.name, Line: s.Line, Step: s.ID, Text: text, Mend: r.mend})
			}
		}
		if around.broken[i] {
			continue
		}
		for _, p := range unknownCommands(s, around) {
			out = append(out, Weakness{Rule: p.Rule, Line: p.Line, Step: s.ID, Text: p.Message,
				Mend: "correct the command, or install the program"})
		}
	}
	return inLines(out)
}

// surroundings opens what a plan is judged by; done closes it.
func (c *Checkout) surroundings(plan *Plan) (surroundings, func(), error) {
	if c.Repo.Top == "" {
		return surroundings{}, nil, newFault(ErrBare, "there is no work tree here to judge a plan by")
	}
	root, err := os.OpenRoot(c.Repo.Top)
	if err != nil {
		return surroundings{}, nil, err
	}
	budget, err := c.Config.Int("plan.promptBudget")
	if err != nil {
		return surroundings{}, nil, err
	}
	instructions := Instructions(c.Repo.Top)
	return surroundings{
		exists: func(path string) bool { _, err := root.Lstat(filepath.FromSlash(path)); return err == nil },
		finds:  func(program string) bool { _, ok := proc.Find(program); return ok },
		agent:  c.Config.knowsAgent,
		prompt: c.Prompts.StepSize(plan, instructions, budget),
		window: c.Config.Window(agent.Executor),
	}, func() { _ = root.Close() }, nil
}

// withoutVerification is about words where a command for the whole is awaited.
func withoutVerification(plan *Plan) []Weakness {
	if len(plan.Verification) == 0 || len(Commands(plan.Verification)) > 0 || len(Commands(plan.Checks)) > 0 {
		return nil
	}
	for _, s := range plan.Sections {
		if sectionMeaning(s.Title) == "verification" {
			return []Weakness{{Rule: "no-verification", Line: s.Line, Text: "no command verifies the whole: " + shown(s.Title) + " has none",
				Mend: "write one in backticks, by itself: - `make test`"}}
		}
	}
	return nil
}
