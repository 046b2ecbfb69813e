package form

import (
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/markdown"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// plan writes the draft and changes it until the parser reads it as the plan that was meant;
// from has the origin of each line. What is not a field in this form, or cannot be read as
// one, becomes text by a backslash before its colon.
func (d *draft) plan() (_ []byte, from []origin, _ error) {
	const rounds = 4 // one problem can hide another, but not for long
	text, from := d.write()
	if d.tame(text, from) {
		text, from = d.write()
	}
	for round := 1; ; round++ {
		p, err := plan.Parse([]byte(text))
		if err == nil {
			return []byte(text), from, d.same(p)
		}
		refused, ok := err.(*markdown.ParseError)
		if !ok || round == rounds || !d.defuse(refused.Problems, from) {
			return nil, nil, d.refusal(err, from)
		}
		text, from = d.write()
	}
}

// same compares a written plan with the draft. A difference is a bug in this program: a plan
// must never say anything else than what it came from.
func (d *draft) same(p *plan.Plan) error {
	if len(p.Steps) != len(d.steps) {
		return fault.New(fault.ErrForm, "%d steps were found, but they would become %d", len(d.steps), len(p.Steps))
	}
	for i, s := range d.steps {
		if got := p.Steps[i]; got.ID != s.id || got.Title != markdown.PlainText(s.title) || got.Box != s.done {
			return fault.New(fault.ErrForm, "line %d: step %d `%s` would become `%s`", s.place.Line, i+1, markdown.Shown(s.title), markdown.Shown(got.Title))
		}
	}
	return nil
}

// refusal returns what is wrong with the plan, with the lines that it came from.
func (d *draft) refusal(err error, from []origin) error {
	refused, ok := err.(*markdown.ParseError)
	if !ok {
		return err
	}
	var out []markdown.Problem
	for _, p := range refused.Problems {
		at := from[min(p.Line, len(from))-1].from
		if at.File != "" {
			p.Message = at.File + ": " + p.Message
		}
		p.Line = max(at.Line, 1)
		out = append(out, p)
	}
	return &markdown.ParseError{Problems: markdown.InOrder(out)}
}

// defuse turns the fields that the parser refuses into text. It reports whether it changed
// anything.
func (d *draft) defuse(problems []markdown.Problem, from []origin) bool {
	changed := false
	for _, p := range problems {
		if p.Line > len(from) {
			continue
		}
		if o := from[p.Line-1]; o.step >= 0 && o.line >= 0 {
			if d.escape(o, "it is not a valid field, or appears twice") {
				changed = true
			}
		}
	}
	return changed
}

// escape puts a backslash before the colon of the field at a line of a step's
// body, or of a line shortly below where its key is broken.
func (d *draft) escape(o origin, why string) bool {
	body := d.steps[o.step].body
	const far = 24 // lines: a key has at most that many letters
	for i := o.line; i < min(o.line+far, len(body)); i++ {
		at := strings.IndexByte(body[i].text, ':')
		if at < 0 {
			continue
		}
		if at > 0 && body[i].text[at-1] == '\\' {
			return false
		}
		d.note(body[o.line].from, "`%s` stays as text: %s", markdown.Shown(strings.TrimSpace(body[i].text[:at])), why)
		body[i].text = body[i].text[:at] + `\` + body[i].text[at:]
		return true
	}
	return false
}

// tame changes the fields of steps that this program did not write: it replaces what they need
// with ids, and turns what other forms do not mean as a field into text. It reports whether it
// changed anything.
func (d *draft) tame(text string, from []origin) bool {
	front, problem := markdown.ReadFront([]byte(text))
	if problem != nil {
		return false
	}
	doc := markdown.New([]byte(text))
	doc.ReadBlocks(front.Body)
	labels := d.labels()
	changed := false
	step := -1
	for n := doc.StepsHeading(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok && h.Level <= 2 {
			break
		}
		list, ok := n.(*ast.List)
		if !ok {
			continue
		}
		for item := list.FirstChild(); item != nil; item = item.NextSibling() {
			if _, _, ok := doc.Boxed(item); !ok {
				continue
			}
			if step++; step >= len(d.steps) {
				return changed
			}
			if !d.steps[step].own && d.tameStep(doc, item, step, labels, from) {
				changed = true
			}
		}
	}
	return changed
}

func (d *draft) tameStep(doc *markdown.Document, item ast.Node, step int, labels map[string]int, from []origin) bool {
	var fields []plan.Field
	hasFiles := false
	for n := item.FirstChild(); n != nil; n = n.NextSibling() {
		if list, ok := n.(*ast.List); ok {
			for bullet := list.FirstChild(); bullet != nil; bullet = bullet.NextSibling() {
				if f, ok := plan.FieldOf(doc, bullet); ok && f.Name != "" {
					fields = append(fields, f)
					hasFiles = hasFiles || f.Name == "files"
				}
			}
		}
	}
	s := &d.steps[step]
	drop := map[int]bool{}
	changed := false
	for _, f := range fields {
		o := from[f.Line-1]
		if o.step != step || o.line < 0 {
			continue
		}
		switch f.Name {
		case "files", "do", "action", "check", "estimate", "for":
		case "run":
			if !d.planner || hasFiles {
				changed = d.escape(o, "in this format, Run does not mean that the step is a command") || changed
			}
		case "needs":
			end := doc.Line(max(doc.End(f.Item, len(doc.Src))-1, 0))
			ids, why := d.needs(doc, f, step, labels)
			if why != "" {
				changed = d.escape(o, why) || changed
				continue
			}
			was := strings.TrimSpace(doc.Text[f.Item.FirstChild().Lines().At(0).Start:doc.End(f.Item, len(doc.Src))])
			if was != "Needs: "+ids {
				d.note(s.body[o.line].from, "`%s` is read as `Needs: %s`", markdown.Shown(was), ids)
			}
			s.body[o.line].text = "- Needs: " + ids
			for n := f.Line; n < end && n < len(from); n++ {
				if o := from[n]; o.step == step && o.line >= 0 && !markdown.Blank(s.body[o.line].text) {
					drop[o.line] = true
				}
			}
			changed = true
		default:
			changed = d.escape(o, "in this form it is not a field") || changed
		}
	}
	s.body = s.body.without(drop)
	return changed
}

// labels returns the index of the step that a number or word means; -1 if it means several.
func (d *draft) labels() map[string]int {
	out := map[string]int{}
	add := func(label string, i int) {
		if label == "" {
			return
		}
		if first, taken := out[label]; taken && first != i {
			i = -1
		}
		out[label] = i
	}
	for i, s := range d.steps {
		add(strings.ToLower(s.label), i)
	}
	for i, s := range d.steps {
		if _, taken := out["#"+s.id]; !taken {
			out["#"+s.id] = i
		}
		add("="+markdown.Words(markdown.PlainText(s.title)), i)
	}
	return out
}

// needs reads what a step needs in the words of other forms: numbers, titles, ids. It accepts
// only steps above it, which cannot make a circle.
func (d *draft) needs(doc *markdown.Document, f plan.Field, step int, labels map[string]int) (ids, why string) {
	values := []string{f.Value}
	for n := f.Item.FirstChild().NextSibling(); n != nil; n = n.NextSibling() {
		list, ok := n.(*ast.List)
		if !ok {
			return "", "it says more than which steps are needed"
		}
		for bullet := list.FirstChild(); bullet != nil; bullet = bullet.NextSibling() {
			paragraph, ok := bullet.FirstChild().(*ast.Paragraph)
			if !ok || paragraph.NextSibling() != nil {
				return "", "it says more than which steps are needed"
			}
			values = append(values, doc.Paragraph(paragraph))
		}
	}
	all := strings.Trim(strings.Join(values, ", "), "*_`., ")
	switch markdown.Words(all) {
	case "none", "n/a", "-", "–", "—", "nothing", "no", "no dependencies":
		return "none", ""
	}
	var found []string
	seen := map[int]bool{}
	for _, part := range strings.FieldsFunc(all, func(r rune) bool { return r == ',' || r == ';' || r == '&' }) {
		for _, name := range strings.Split(part, " and ") {
			at, ok := stepNamed(name, labels)
			switch {
			case markdown.Blank(name):
				continue
			case !ok:
				return "", fmt.Sprintf("`%s` names no step", markdown.Shown(strings.TrimSpace(name)))
			case at >= step:
				return "", fmt.Sprintf("`%s` is not above this step", markdown.Shown(strings.TrimSpace(name)))
			case !seen[at]:
				seen[at] = true
				found = append(found, "#"+d.steps[at].id)
			}
		}
	}
	if len(found) == 0 {
		return "", "it names no step"
	}
	return strings.Join(found, ", "), ""
}

// stepNamed finds the step that a text names: `Task 2`, `#2`, `T002`, `{#id}`,
// or its title.
func stepNamed(text string, labels map[string]int) (int, bool) {
	name := markdown.Words(strings.Trim(strings.TrimSpace(text), "`*_.(){}[]"))
	for _, word := range []string{"task ", "tasks ", "step ", "steps ", "iteration "} {
		name = strings.TrimPrefix(name, word)
	}
	for _, key := range []string{name, strings.TrimPrefix(name, "#"), "#" + strings.TrimPrefix(name, "#"), "=" + name} {
		if at, ok := labels[key]; ok && at >= 0 {
			return at, true
		}
	}
	number, title, _ := strings.Cut(name, ":")
	at, ok := labels[strings.TrimSpace(number)]
	titled, known := labels["="+strings.TrimSpace(title)] // -1 if several steps have this title
	return at, ok && at >= 0 && known && (titled == at || titled < 0)
}
