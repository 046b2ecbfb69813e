package plan

import (
	"cmp"
	"fmt"
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

// Bounds are what a planner may have done without a person, and what all sessions of the plan may use.
type Bounds struct {
	Files    []string // globs of what new steps may change
	Commands []string // exact ones, or plain words with a "*" at the end that stands for more of them
	Budget   Budget
}

// Budget is the most that all sessions of a plan may use; 0 is no limit.
type Budget struct {
	Text   string // as it is written
	USD    float64
	Time   time.Duration
	Steps  int
	Tokens float64
}

// goalIn returns the words of the section Goal: a code block that is all of it holds them to the byte.
func (d *reader) goalIn(part *Part, body string) string {
	if block, ok := part.First.(*ast.FencedCodeBlock); ok && block.NextSibling() == part.Last {
		return d.Document.Verbatim(block)
	}
	return strings.TrimSpace(body)
}

// WithGoal returns a plan's text with these words as its Goal, in place of any that it has: the first section, or
// where the old one is.
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
		out := withSection(p, "Goal", body)
		if q, err := Parse(out); err == nil && q.Goal == goal && len(q.Steps) == len(p.Steps) && len(q.Warnings) <= len(p.Warnings) {
			return out, nil
		}
	}
	return nil, fmt.Errorf("the goal cannot be part of a plan")
}

// WithSection returns a plan's text with a section of a meaning, in place of those that it has.
func WithSection(src []byte, title, body string) ([]byte, error) {
	p, err := Parse(src)
	if err != nil {
		return nil, err
	}
	out := withSection(p, title, body)
	_, err = Parse(out)
	return out, err
}

// BodyOf returns what the sections say that mean what a title does; "" without one.
func (p *Plan) BodyOf(title string) string { return p.meaningOf(SectionMeaning(title)) }

// TitleOf returns the title of the first section that means what a title does, or that title.
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

// withSection puts a section before the first one, or in place of those of its meaning; an empty body takes them out.
func withSection(p *Plan, title, body string) []byte {
	doc, meaning := NewDocument(p.Source), SectionMeaning(title)
	var edits []Edit
	text := ""
	if body = strings.TrimSpace(body); body != "" {
		text = "## " + title + "\n\n" + body + "\n\n"
	}
	for i, s := range p.Sections {
		if s.meaning != meaning {
			continue
		}
		end := len(p.Source)
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
	return Splice(p.Source, edits...)
}

// DoneWhen returns the section of commands as a person types them: behind one may stand what its number must be.
func DoneWhen(commands []string) string {
	var b strings.Builder
	for _, command := range commands {
		limit := ""
		if m := typedLimit.FindStringSubmatch(command); m != nil {
			command, limit = m[1], " "+m[2]
		}
		fmt.Fprintf(&b, "- %s%s\n", CodeSpan(command), limit)
	}
	return b.String()
}

var typedLimit = visible.NewPattern(`^(.*\S)\s+((?:<=|>=|==|<|>) ?-?\d+(?:\.\d+)?)$`)

// BoundsOf returns the section Bounds with these bullets; "" without any.
func BoundsOf(files, commands []string, budget string) string {
	var b strings.Builder
	for _, bullet := range []struct {
		name  string
		items []string
	}{{"Files", files}, {"Commands", commands}} {
		if len(bullet.items) > 0 {
			spans := make([]string, len(bullet.items))
			for i, item := range bullet.items {
				spans[i] = CodeSpan(item)
			}
			fmt.Fprintf(&b, "- %s: %s\n", bullet.name, strings.Join(spans, ", "))
		}
	}
	if budget != "" {
		fmt.Fprintf(&b, "- Budget: %s\n", budget)
	}
	return b.String()
}

// readBounds reads the bullets of the section Bounds. What is not understood is a problem: it protects.
func (d *reader) readBounds(p *Plan, part *Part) {
	p.Bounds = &Bounds{}
	for n := part.First; n != nil && n != part.Last; n = n.NextSibling() {
		if n.Kind() != ast.KindList {
			d.Document.Problem(d.Document.Line(BlockStart(n)), "bounds", "Bounds has only bullets: Files, Commands and Budget")
			continue
		}
		for _, item := range Items(n) {
			f, ok := FieldOf(d.Document, item)
			switch key := Normalize(f.key); {
			case ok && key == "files":
				files := d.files(f)
				if len(files) == 0 { // none named would be all allowed
					d.Document.Problem(f.Line, "bounds", "Files names none: write globs, or leave it out to allow all files")
				}
				p.Bounds.Files = append(p.Bounds.Files, files...)
			case ok && key == "commands":
				for _, text := range append([]string{f.Value}, d.nested(f)...) {
					p.Bounds.Commands = append(p.Bounds.Commands, CodeContents(text)...)
				}
			case ok && key == "budget":
				var wrong string
				text := strings.Join(append(d.nested(f), p.Bounds.Budget.Text, f.Value), ",")
				if p.Bounds.Budget, wrong = budgetIn(strings.Trim(text, ", ")); wrong != "" {
					d.Document.Problem(f.Line, "bounds", fmt.Sprintf("Budget is not amounts such as 40 USD, 3 days, 60 steps, 20M tokens: `%s`", Shown(wrong)))
				}
			default:
				d.Document.Problem(d.Document.Line(BlockStart(item)), "bounds", "Bounds has the bullets Files, Commands and Budget: this is none of them")
			}
		}
	}
}

// likeLimit matches an item of Done when that a person takes for a command with a limit.
var likeLimit = visible.NewPattern("^`[^`]+`\\s*(?:[<>=≤≥]|!=)")

// refuseProse refuses a limit that is not one: as words it is not run, and a goal would be reached without it.
func (d *reader) refuseProse(p *Plan) {
	for _, c := range p.Verification {
		if p.Bounds != nil && c.Command == "" && likeLimit.MatchString(c.Text) {
			d.Document.Problem(c.Line, "limit", fmt.Sprintf("this is no command with a limit: `%s`; write one of <=, <, >=, > and == and a plain number, without a unit", Shown(c.Text)))
		}
	}
}

var amount = visible.NewPattern(`^(\d+(?:\.\d+)?)\s*([kKmM]?)\s*([a-zA-Z$]+)$`)

// budgetIn reads amounts that commas separate; wrong is what is none.
func budgetIn(text string) (b Budget, wrong string) {
	b.Text = text
	for _, item := range strings.Split(text, ",") {
		m := amount.FindStringSubmatch(strings.TrimSpace(item))
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
		if n <= 0 || b.Time < 0 { // so many days are no duration
			return b, strings.TrimSpace(item)
		}
	}
	return b, ""
}

// plainWords matches a command that no shell makes anything else of: words without quotes, variables, patterns,
// redirections, separators or comments, the first of which is no assignment.
var plainWords = visible.NewPattern(`^[\w./@:+,%-]+( [\w./@:+,%=-]+)*$`)

// AllowsCommand reports whether a command is one of the bounds, or goes on as one of their patterns does.
func (b *Bounds) AllowsCommand(command string) bool {
	return slices.ContainsFunc(b.Commands, func(allowed string) bool {
		words, pattern := strings.CutSuffix(allowed, " *")
		return command == allowed || pattern && plainWords.MatchString(words) && plainWords.MatchString(command) && strings.HasPrefix(command+" ", words+" ")
	})
}

// AllowsFile reports whether a step may name a path or glob: below the globs of the bounds, and not above them.
func (b *Bounds) AllowsFile(name string) bool {
	return len(b.Files) == 0 || path.Clean(name) == name && !strings.HasPrefix(name, "../") && !strings.ContainsAny(name, "{[?") && MatchesAny(b.Files, name)
}

// Limit is what the last number that a command prints is compared with.
type Limit struct {
	Op    string // "<=", "<", ">=", ">" or "=="
	Bound float64
}

// limited matches what follows a command's code span if its output is compared, and the comment that keeps that in the
// command: "sh bench.sh # <= 120".
var limited = visible.NewPattern(`^(?:(.*\S) # )?(<=|>=|==|<|>) ?(-?\d+(?:\.\d+)?)$`)

// LimitOf returns what the last number that a command prints must be.
func LimitOf(command string) (l Limit, ok bool) {
	m := limited.FindStringSubmatch(command)
	if m == nil || m[1] == "" {
		return l, false
	}
	l.Op = m[2]
	l.Bound, _ = strconv.ParseFloat(m[3], 64)
	return l, true
}

// IsLimited reports whether a command's output is compared.
func IsLimited(command string) bool { _, ok := LimitOf(command); return ok }

// Holds reports whether a number is within a limit.
func (l Limit) Holds(n float64) bool {
	switch l.Op {
	case "<=":
		return n <= l.Bound
	case "<":
		return n < l.Bound
	case ">=":
		return n >= l.Bound
	case ">":
		return n > l.Bound
	}
	return n == l.Bound
}

// Better reports whether a number is nearer to a limit than another, or within it while that is not.
func (l Limit) Better(n, than float64) bool {
	switch {
	case strings.HasPrefix(l.Op, "<"):
		return n < than
	case strings.HasPrefix(l.Op, ">"):
		return n > than
	}
	return max(n-l.Bound, l.Bound-n) < max(than-l.Bound, l.Bound-than)
}

var number = visible.NewPattern(`-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?`)

// LastNumber returns the last number in what a command printed.
func LastNumber(output string) (n float64, ok bool) {
	all := number.FindAllString(output, -1)
	if len(all) == 0 {
		return 0, false
	}
	n, err := strconv.ParseFloat(all[len(all)-1], 64)
	return n, err == nil
}
