package plan

import (
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// Parse reads a plan in time linear in the text; its error is a *ParseError with everything that is wrong.
// What is not text, or holds both sides of a conflict, is refused for that alone.
func Parse(src []byte) (*Plan, error) {
	p, err := ParseAll(src)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// ParseAll is Parse, but returns what it read also with an error; nil if src is not text. Approval leaves out Status
// lines, so one that makes a command of the line under it would be a way around approval.
func ParseAll(src []byte) (*Plan, error) {
	p, problems := parse(src)
	if len(problems) == 0 {
		at := slices.IndexFunc(p.Steps, func(s Step) bool { return s.Status.Word != "" })
		if at >= 0 && !p.sameWithoutStatus() {
			problems = []Weakness{Wrong(NewDocument(src).Line(p.Steps[at].At.Status.From), "field", "this Status line, or one below, changes what the lines around it mean: put it under the first line of its step, with the indentation of the other fields")}
		}
	}
	if len(problems) > 0 {
		return p, &ParseError{Problems: InOrder(problems)}
	}
	return p, nil
}

func parse(src []byte) (*Plan, []Weakness) {
	if problems := TextProblems(src); len(problems) > 0 {
		return nil, problems
	}
	front, err := ReadFront(src)
	if err != nil {
		return nil, []Weakness{*err}
	}
	p := &Plan{Source: src, FrontMatter: front,
		ID: front.Value("plan"), Branch: front.Value("branch"), Base: front.Value("base")}
	d := &reader{Document: NewDocument(src).ReadBlocks(front.Body)}
	d.readSections(p)
	NameSteps(p.Steps)
	p.index = indexed(p.Steps)
	d.resolveNeeds(p)
	for _, w := range d.Suspicious { // a tick does not count where a line may be another task
		at, on := slices.BinarySearchFunc(p.Steps, w.Line, func(s Step, line int) int { return s.Line - line })
		if !on {
			at--
		}
		if at >= 0 && w.Line <= d.Line(p.Steps[at].At.Item.To-1) {
			p.Steps[at].Doubt = true
		}
	}
	p.Warnings = InOrder(append(d.Warnings, d.Suspicious...))
	if len(d.Problems) == 0 {
		return p, nil
	}
	if line := d.FencedPlan(); line > 0 && len(p.Steps) == 0 {
		return p, []Weakness{Wrong(line, "fenced",
			"the plan is in the code fence that begins here: remove the fence and what is around it")}
	}
	// A fence that swallowed steps is likely what the other problems come from.
	return p, append(d.Problems,
		slices.DeleteFunc(d.Suspicious, func(c Weakness) bool { return c.Rule != RuleSwallowed })...)
}

// readSections walks the parts. A later level-1 heading begins a section without a meaning.
func (d *reader) readSections(p *Plan) {
	parts := d.Parts(2)
	titled := false
	for i, part := range parts {
		if part.Level == 1 && !titled {
			titled = true
			p.Title = part.Title
			p.Summary = d.Between(part.From, part.To)
			if p.Title == "" {
				d.Problem(part.Line, "no-title", "the title is empty: write `# ` and what the plan achieves")
			}
			continue
		}
		body := d.Between(part.From, part.To)
		s := Section{Title: part.Title, Body: body, Line: part.Line}
		if part.Level == 2 {
			s.meaning = SectionMeaning(part.Title)
			// "Roles" and "Task" are words of their own
			if near := misspelt(part.Title, sectionNames); s.meaning == "" && len(near) > 5 {
				d.Warn(part.Line, "`%s` is not a section of a plan, and only context for sessions; did you mean %s?", Shown(part.Title), near)
			}
		}
		p.Sections = append(p.Sections, s)
		d.readSection(p, &parts[i], s.meaning, body)
	}
	d.FindSwallowed()
	if !titled {
		d.Problem(1, "no-title", "no title: begin the plan with `# ` and what it achieves")
	}
	p.Rules = JoinText(d.rules)
	d.refuseProse(p)
	d.requireSteps(p, parts)
}

func (d *reader) readSection(p *Plan, part *Part, meaning, body string) {
	switch meaning {
	case "steps":
		for n := part.First; n != nil && n != part.Last; n = n.NextSibling() {
			if n.Kind() == ast.KindList {
				d.readSteps(p, Items(n), part.To)
			}
		}
		d.FindUnread(part.First, part.Last)
	case "requirements":
		d.requirementsIn(p, part.First, part.Last)
	case "goal": // a code block that is all of it holds the person's words to the byte
		if block, ok := part.First.(*ast.FencedCodeBlock); ok && block.NextSibling() == part.Last {
			body = d.Verbatim(block)
		}
		p.Goal = JoinText([]string{p.Goal, strings.TrimSpace(body)})
	case "bounds":
		d.readBounds(p, part)
	case "learned":
		if p.Learned = JoinText([]string{p.Learned, body}); len(p.Learned) > MaxLearned {
			d.Problem(part.Line, "learned", "Learned is longer than %d bytes: keep what later steps need", MaxLearned)
		}
	case "rules":
		d.rules = append(d.rules, body)
	case "checks":
		p.Checks = append(p.Checks, d.checksIn(part.First, part.Last)...)
	case "verification":
		p.Verification = append(p.Verification, d.checksIn(part.First, part.Last)...)
	case "prerequisites":
		p.Prerequisites = append(p.Prerequisites, d.checksIn(part.First, part.Last)...)
	}
}

// requireSteps reports a plan without steps: by the lines that look like steps, or where they belong.
func (d *reader) requireSteps(p *Plan, parts []Part) {
	if len(p.Steps) > 0 {
		return
	}
	at := slices.IndexFunc(parts, func(p Part) bool { return SectionMeaning(p.Title) == "steps" })
	if at < 0 {
		d.FindUnread(d.Root.FirstChild(), nil)
	}
	looks := false
	for _, c := range d.Suspicious {
		if c.Rule == RuleUnread {
			d.Problem(c.Line, "no-steps", "%s", c.Text)
			looks = true
		}
	}
	switch {
	case looks:
	case at < 0:
		d.Problem(len(d.Lines), "no-steps", "no steps: write a section `## Steps` with items `- [ ] what to do`")
	default:
		d.Problem(parts[at].Line, "no-steps", "no steps under `%s`: write the heading as `## Steps`, and each step below it as `- [ ] what to do`", Shown(parts[at].Title))
	}
}

// sameWithoutStatus reports whether a plan means the same without its Status lines.
func (p *Plan) sameWithoutStatus() bool {
	q, problems := parse(p.Meaning())
	same := func(a, b Section) bool { return a.Title == b.Title && (a.meaning == "steps" || ToLF(a.Body) == b.Body) }
	return len(problems) == 0 && p.Title == q.Title && ToLF(p.Summary) == q.Summary &&
		slices.EqualFunc(p.Sections, q.Sections, same) && NotApproved(p, q).None()
}
