package lint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/builtin"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/form"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Plan returns the errors and weaknesses of a plan's text, in line order.
func Plan(ctx context.Context, c *checkout.Checkout, text []byte) ([]plan.Weakness, error) {
	p, err := plan.ParseAll(text)
	var wrong *plan.ParseError
	if errors.As(err, &wrong) && p == nil {
		return wrong.Problems, nil
	}
	if c.Repo.Top == "" {
		return nil, fault.New(fault.ErrBare, "there is no work tree here to judge a plan by")
	}
	root, err := os.OpenRoot(c.Repo.Top)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	around := Surroundings{
		Exists: func(path string) bool { _, err := root.Lstat(filepath.FromSlash(path)); return err == nil },
		Finds:  func(program string) bool { _, ok := proc.Find(program); return ok },
		Agent:  c.Config.KnowsAgent,
		Window: c.Config.Window(agent.Executor),
	}
	if around.ignored, err = ignoredFiles(ctx, c, p); err != nil {
		return nil, err
	}
	weak, hidden := Weaknesses(p, around), p.Hidden()
	if wrong != nil { // its own messages about a line are better
		hidden = plan.HiddenIn(p.Source)
		weak = append(slices.Clone(wrong.Problems), slices.DeleteFunc(weak, func(w plan.Weakness) bool {
			return slices.ContainsFunc(wrong.Problems, func(p plan.Weakness) bool { return p.Line == w.Line && p.Text == w.Text })
		})...)
	}
	_, unread := prompt.Instructions(c.Repo.Top, prompt.MaxInstructions)
	for _, name := range unread {
		weak = append(weak, plan.Weakness{Rule: "prompt", Line: 1,
			Text: "sessions do not read all of " + name, Fix: "make it a file of the tree of less than 32 KB"})
	}
	return inLines(append(hidden, weak...)), nil
}

const (
	maxText        = 500 // the maximum size of the text about a line, in bytes
	maxMinutes     = 60  // the maximum estimate of a step that one session can do well
	maxPromptShare = 0.4 // the maximum part of a model's window for the plan's own text
	maxGlobs       = 256 // the maximum number of different globs that each path is matched with
)

// inLines sorts findings by line, and makes them safe to show, since they quote the plan.
func inLines(out []plan.Weakness) []plan.Weakness {
	for i := range out {
		out[i].Text, out[i].Fix = visible.OneLine(out[i].Text, maxText), visible.OneLine(out[i].Fix, maxText)
	}
	slices.SortStableFunc(out, func(a, b plan.Weakness) int { return cmp.Compare(a.Line, b.Line) })
	return out
}

// Imported returns the errors and weaknesses of an imported plan, by the lines of its source.
func Imported(ctx context.Context, c *checkout.Checkout, in *form.Imported) ([]plan.Weakness, error) {
	found, err := Plan(ctx, c, in.Text)
	if in.From == nil {
		return found, err
	}
	for i := range found {
		at := in.Place(found[i].Line)
		found[i].File, found[i].Line = at.File, at.Line
	}
	// the text itself says more of that than the plan made of it
	if in.Form != form.JSON && in.Form != form.YAML && in.Form != form.Queue {
		found = slices.DeleteFunc(found, func(w plan.Weakness) bool { return w.HidesTask() })
		found = append(found, in.Suspicious...)
	}
	slices.SortStableFunc(found, func(a, b plan.Weakness) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return found, err
}

// Weaknesses returns what keeps a plan from being done well, in line order.
func Weaknesses(pl *plan.Plan, around Surroundings) []plan.Weakness {
	out := slices.Clone(pl.Warnings)
	around.earlier, around.shared, around.checks = nameFiles(pl), len(pl.Source), map[string]bool{}
	for _, command := range plan.Commands(pl.Checks) {
		around.checks[command] = true
	}
	for i := range pl.Steps {
		around.shared -= len(pl.Steps[i].Text)
	}
	anywhere := func(file string) bool { return around.earlier.before(nil, file) }
	nowhere := func(string) bool { return false }
	out = append(out, slices.Concat(inSections(pl), inRequirements(pl),
		unknownCommands("", pl.Prerequisites, nowhere, around), // run before the first step
		unknownCommands("", slices.Concat(pl.Checks, pl.Verification), anywhere, around),
		provesNothing("", slices.Concat(pl.Checks, pl.Verification)))...)
	for i := range pl.Steps {
		s := &pl.Steps[i]
		made := func(file string) bool { return around.earlier.before(s, file) || plan.MatchesAny(s.Files, file) }
		commands := append(slices.Clone(s.Checks), plan.Check{Command: s.Run, Line: s.Line})
		out = append(out, slices.Concat(inStep(s, around), unknownCommands(s.ID, commands, made, around),
			provesNothing(s.ID, s.Checks))...)
	}
	return inLines(out)
}

// inStep returns the weaknesses of one step; none of one that is ticked.
func inStep(s *plan.Step, around Surroundings) (out []plan.Weakness) {
	if s.Ticked() {
		return nil
	}
	find := func(rule, text, fix string) {
		if text != "" {
			out = append(out, plan.Weakness{Rule: rule, Line: s.Line, Step: s.ID, Text: text, Fix: fix})
		}
	}
	fix := "give it a Check with a command in backticks, or the plan a section Checks with one"
	text := "no command checks that it is done"
	for _, c := range s.Checks {
		program, _, _ := strings.Cut(c.Text, " ")
		if code := plan.CodeContents(c.Text); len(code) == 0 && around.Finds(program) {
			text, fix = "its Check has no backticks, so nothing runs it: "+c.Text, "if it is a command, write Check: `"+c.Text+"`"
		} else if len(code) > 0 {
			fix = "words beside a command make it prose, which nothing runs: write Check: `" + code[0] +
				"`, and the words behind a semicolon"
		}
	}
	// The plan's Checks pass before the step, too.
	own := slices.DeleteFunc(plan.Commands(s.Checks), func(command string) bool { return around.checks[command] })
	switch {
	case s.Run != "" || len(own) > 0:
	case len(around.checks) == 0:
		find("no-check", text, fix)
	default:
		find("no-own-check", "no command of its own shows that it is done",
			"give it a Check that fails before it and passes after it")
	}
	if s.Run == "" && len(s.Files) == 0 {
		find("no-files", "it has no Files, so changes elsewhere go unnoticed", "add Files: the paths it may touch, or globs")
	}
	beyond := slices.DeleteFunc(slices.Clone(s.Files), func(name string) bool { // names that no change can contain
		return filepath.IsLocal(name) && !strings.HasPrefix(name, "~/")
	})
	if len(beyond) > 0 {
		find("outside", "outside of the repository: "+strings.Join(beyond, ", "),
			"name each by its path from the top of the repository")
	}
	if minutes := plan.MinutesOf(s.Estimate); minutes > maxMinutes {
		find("too-long", fmt.Sprintf("its estimate is %d minutes", minutes), "make steps of 15 to 60 minutes of it")
	}
	tokens := int(float64(around.shared+len(s.Text)) / builtin.BytesPerToken)
	if s.Run == "" && around.Window > 0 && float64(tokens) > maxPromptShare*float64(around.Window) {
		find("prompt",
			fmt.Sprintf("its prompt is more than %d tokens of the model's %d, before a file is read", tokens, around.Window),
			"shorten the plan's context, or make two steps of it")
	}
	names := plan.Literals(s.Files)
	if i := slices.IndexFunc(names, func(name string) bool { return around.ignored[name] }); s.Run == "" && i >= 0 {
		find("ignored", "git ignores "+names[i]+", so that no commit has it",
			"take it out of Files, or have git no longer ignore it")
	}
	find("missing-file", missingFile(s, around), "correct the path, or set Action: create")
	if s.Agent != "" && s.Run == "" && !around.Agent(s.Agent) {
		find("no-agent", fmt.Sprintf("no agent is called %s here", s.Agent),
			"correct the field Agent, or set that agent up; git plan doctor lists them")
	}
	return out
}

// missingFile is about files that must exist: those to modify or delete.
func missingFile(s *plan.Step, around Surroundings) string {
	for _, name := range plan.Literals(s.Files) {
		action := s.ActionOn(name)
		if (action == "modify" || action == "delete") && !around.Exists(name) && !around.earlier.before(s, name) {
			return fmt.Sprintf("it is to %s %s, which does not exist", action, name)
		}
	}
	return ""
}

// ignoredFiles are the files that steps name and git ignores.
func ignoredFiles(ctx context.Context, c *checkout.Checkout, p *plan.Plan) (map[string]bool, error) {
	var names []string
	for i := range p.Steps {
		for _, name := range plan.Literals(p.Steps[i].Files) {
			if filepath.IsLocal(name) && name != "." {
				names = append(names, name)
			}
		}
	}
	ignored, err := worktree.WouldIgnore(ctx, c.Repo, names)
	if git.Code(err) > 0 { // one is below a link, or in a submodule: git cannot say, and no plan is refused for it
		return nil, nil
	}
	return ignored, err
}

// Surroundings are the facts, apart from its text, by which a plan is judged.
type Surroundings struct {
	Exists  func(path string) bool    // reports whether the work tree has a path
	Finds   func(program string) bool // reports whether a program is installed
	ignored map[string]bool           // the paths under Files that git ignores
	Agent   func(name string) bool    // reports whether an agent is installed, or can be set up
	Window  int                       // the context of the executor's model in tokens; 0 is unlimited
	earlier *namedFiles               // the paths that the plan's steps name under Files
	shared  int                       // the size of the plan's text that each step's session reads, in bytes
	checks  map[string]bool           // the commands of the plan's section Checks
}

// namedFiles are the paths under Files, each with its first step, so that a look-up is quick in a long plan.
type namedFiles struct {
	first map[string]int // the first step of each path
	globs []string       // the patterns, at most maxGlobs
}

func nameFiles(p *plan.Plan) *namedFiles {
	n := &namedFiles{first: map[string]int{}}
	for i := range p.Steps {
		s := &p.Steps[i]
		for _, name := range s.Files {
			name = strings.TrimSuffix(strings.TrimPrefix(name, "./"), "/")
			if n.first[name] > 0 {
				continue
			}
			n.first[name] = s.N
			if strings.ContainsAny(name, `*?[{\`) && len(n.globs) < maxGlobs {
				n.globs = append(n.globs, name)
			}
		}
	}
	return n
}

// before reports whether a step above this one names a path, or a folder above it; s nil is for any step.
func (n *namedFiles) before(s *plan.Step, file string) bool {
	above := func(name string) bool { at := n.first[name]; return at > 0 && (s == nil || at < s.N) }
	for name := file; name != "." && name != "/"; name = path.Dir(name) {
		if above(name) {
			return true
		}
	}
	return slices.ContainsFunc(n.globs, func(glob string) bool { return above(glob) && plan.MatchesAny([]string{glob}, file) })
}
