package plan

import (
	"cmp"
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/yuin/goldmark/ast"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// MaxLearned bounds the section Learned, in bytes.
const MaxLearned = 4 << 10

// WithGoal returns a plan's text with a new section Goal, in the place of the old one, or else as the first section.
func WithGoal(src []byte, goal string) ([]byte, error) {
	p, err := Parse(src)
	if err != nil {
		return nil, err
	}
	fence := "~~~"
	for strings.Contains(goal, fence) {
		fence += "~"
	}
	for _, body := range []string{goal, fence + "text\n" + goal + "\n" + fence} {
		out, _ := WithSection(src, "Goal", body)
		if q, err := Parse(out); err == nil && q.Goal == goal && len(q.Steps) == len(p.Steps) && len(q.Warnings) <= len(p.Warnings) {
			return out, nil
		}
	}
	return nil, errors.New("the goal cannot be part of a plan")
}

// BodyOf returns the text of the sections with the same meaning as a title; "" without any.
func (p *Plan) BodyOf(title string) string { return p.meaningOf(SectionMeaning(title)) }

// TitleOf returns the title of the first section with the same meaning as title, or title itself.
func (p *Plan) TitleOf(title string) string {
	for _, s := range p.Sections {
		if s.meaning == SectionMeaning(title) {
			return s.Title
		}
	}
	return title
}

// WithoutSteps returns the text of a plan without some of its steps.
func WithoutSteps(p *Plan, out func(*Step) bool) ([]byte, error) {
	var edits []Edit
	for i := range p.Steps {
		if s := &p.Steps[i]; out(s) {
			edits = append(edits, s.At.Item.With("\n")) // or a text behind it would go on with the step before it
		}
	}
	text := Splice(p.Source, edits...)
	_, err := Parse(text)
	return text, err
}

// WithSection returns a plan's text with a section in place of those with the same meaning, or else before the first
// section. An empty body removes them.
func WithSection(src []byte, title, body string) ([]byte, error) {
	p, err := Parse(src)
	if err != nil {
		return nil, err
	}
	doc, meaning := NewDocument(src), SectionMeaning(title)
	var edits []Edit
	text := ""
	if body = strings.TrimSpace(body); body != "" {
		text = "## " + title + "\n\n" + body + "\n\n"
	}
	for i, s := range p.Sections {
		if s.meaning != meaning {
			continue
		}
		end := len(src)
		if i+1 < len(p.Sections) {
			end = doc.Lines[p.Sections[i+1].Line-1]
		}
		edits = append(edits, Span{From: doc.Lines[s.Line-1], To: end}.With(text))
		text = ""
	}
	if text != "" {
		at := doc.Lines[p.Sections[0].Line-1]
		edits = append(edits, Span{From: at, To: at}.With(text))
	}
	out := Splice(src, edits...)
	_, err = Parse(out)
	return out, err
}

// Bounds are the limits for steps that a planner adds without a person's approval, and for the usage of all sessions.
type Bounds struct {
	Files    []string // globs of files that new steps may change
	Commands []string // exact commands, or plain words with a final "*" for further words
	Budget   Budget
}

// Budget is the limit for the usage of all sessions of a plan; 0 is unlimited.
type Budget struct {
	Text   string // the text of the plan
	USD    float64
	Time   time.Duration
	Steps  int
	Tokens float64
}

// BoundsOf returns the section Bounds with these bullets; "" without any.
func BoundsOf(files, commands []string, budget string) (out string) {
	bullet := func(name string, items []string) {
		for i, item := range items {
			out += map[bool]string{true: "- " + name + ": ", false: ", "}[i == 0] + CodeSpan(item)
		}
		if len(items) > 0 {
			out += "\n"
		}
	}
	bullet("Files", files)
	bullet("Commands", commands)
	if budget != "" {
		out += "- Budget: " + budget + "\n"
	}
	return out
}

// Budgeted returns the number of steps that count against the Budget: all that no person has skipped.
func (p *Plan) Budgeted() (n int) {
	for i := range p.Steps {
		if p.Steps[i].Status.Word != "skipped" {
			n++
		}
	}
	return n
}

// readBounds reads the bullets of the section Bounds. An unknown one is a problem, since it may be a limit.
func (d *reader) readBounds(p *Plan, part *Part) {
	p.Bounds = &Bounds{}
	for n := part.First; n != nil && n != part.Last; n = n.NextSibling() {
		if n.Kind() != ast.KindList {
			d.Problem(d.Line(BlockStart(n)), "bounds", "Bounds has only bullets: Files, Commands and Budget")
			continue
		}
		for _, item := range Items(n) {
			f, ok := FieldOf(d.Document, item)
			switch key := Normalize(f.key); {
			case ok && key == "files":
				p.Bounds.Files = append(p.Bounds.Files, d.listed(f, `globs: src/**, test; in backticks if they have blanks`)...)
			case ok && key == "commands":
				p.Bounds.Commands = append(p.Bounds.Commands, d.listed(f, "commands in backticks: `make test`, `go test *`")...)
			case ok && key == "budget":
				var wrong string
				text := strings.Join(append(d.texts(f), p.Bounds.Budget.Text), ",")
				if p.Bounds.Budget, wrong = budgetIn(strings.Trim(text, ", ")); wrong != "" {
					d.Problem(f.Line, "bounds", "Budget is not amounts such as 40 USD, 3 days, 60 steps, 20M tokens: `%s`", Shown(wrong))
				}
			default:
				d.Problem(d.Line(BlockStart(item)), "bounds", "Bounds has the bullets Files, Commands and Budget: `%s` is none of them", Shown(f.key))
			}
		}
	}
}

// listed returns the code spans of a bullet, or if there are none, the words between commas. Words beside code spans
// are a problem, since they may forbid them, and so is an empty bullet, which would allow everything.
func (d *reader) listed(f Field, what string) (out []string) {
	for _, text := range d.texts(f) {
		for _, item := range SplitOutsideCode(text, ",;") {
			item = strings.Trim(item, ". ")
			if in := CodeContents(item); len(in) == 1 && codeSpans(item)[0] == (Span{0, len(item)}) {
				out = append(out, in[0])
			} else if strings.ContainsAny(item, "` \t\n") || f.Name != "files" && item != "" || item == "none" {
				d.Problem(f.Line, "bounds", "`%s`: write only %s", Shown(item), what)
			} else if item != "" {
				out = append(out, item)
			}
		}
	}
	if len(out) == 0 {
		d.Problem(f.Line, "bounds", "this names none: write %s", what)
	}
	return out
}

var amount = visible.NewPattern(`^(\d+(?:\.\d+)?)\s*([kKmM]?)\s*([a-zA-Z$]+)$`)

// budgetIn reads amounts separated by commas; wrong is the first invalid one.
func budgetIn(text string) (b Budget, wrong string) {
	b.Text = text
	for _, item := range strings.Split(text, ",") {
		m := amount().FindStringSubmatch(strings.TrimSpace(item))
		if m == nil {
			return b, cmp.Or(strings.TrimSpace(item), "nothing")
		}
		n, _ := strconv.ParseFloat(m[1], 64)
		n *= map[string]float64{"": 1, "k": 1e3, "m": 1e6}[strings.ToLower(m[2])]
		switch unit := strings.ToLower(strings.TrimSuffix(m[3], "s")); unit {
		case "usd", "$", "dollar":
			b.USD = n
		case "day", "d":
			b.Time = time.Duration(n * 24 * float64(time.Hour))
		case "hour", "h":
			b.Time = time.Duration(n * float64(time.Hour))
		case "step":
			b.Steps = int(n)
			n = float64(b.Steps)
		case "token":
			b.Tokens = n
		default:
			return b, strings.TrimSpace(item)
		}
		if n <= 0 || b.Time < 0 { // so many days overflow a duration
			return b, strings.TrimSpace(item)
		}
	}
	return b, ""
}

// plainWords matches a command without special characters of the shell, whose first word is no assignment.
var plainWords = visible.NewPattern(`^[\w./@:+,%-]+( [\w./@:+,%=-]+)*$`)

// otherProgram matches an option that runs another program, such as go test -exec, and make's SHELL.
var otherProgram = visible.NewPattern(`(?i) (?:--?[\w-]*(?:exec|tool|shell|command|eval)[\w-]*(?:[ =]|$)|shell=)`)

// AllowsCommand reports whether a command is in Commands, or extends a pattern there by plain words.
func (b *Bounds) AllowsCommand(command string) bool {
	return slices.ContainsFunc(b.Commands, func(allowed string) bool {
		words, pattern := strings.CutSuffix(allowed, " *")
		more, goesOn := strings.CutPrefix(command+" ", words+" ")
		return command == allowed || pattern && goesOn && plainWords().MatchString(words) && plainWords().MatchString(command) && !otherProgram().MatchString(" "+more)
	})
}

// AllowsFile reports whether a step may name a path or glob: below the globs of the bounds, not above them, and in no
// repository.
func (b *Bounds) AllowsFile(name string) bool {
	inGit := strings.Contains("/"+strings.ToLower(name)+"/", "/.git/")
	return !inGit && (len(b.Files) == 0 || path.Clean(name) == name && !strings.HasPrefix(name, "../") && !strings.ContainsAny(name, "{[?") && MatchesAny(b.Files, name))
}
