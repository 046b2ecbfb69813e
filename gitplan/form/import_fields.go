package form

import (
	"fmt"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// plan writes the draft and changes it until the parser reads it as the plan that was meant;
// from has the origin of each line. What is not a field in this form, or cannot be read as
// one, becomes text by a backslash before its colon.
func (d *draft) plan() (_ []byte, from []origin, _ error) {
	const rounds = 4 // one problem can hide another, but not for long
	text, from := d.write()
	if d.mapFields(text, from) {
		text, from = d.write()
	}
	for round := 1; ; round++ {
		p, err := plan.Parse([]byte(text))
		if err == nil {
			return []byte(text), from, d.same(p)
		}
		refused, ok := err.(*plan.ParseError)
		if !ok || round == rounds || !d.escapeRefused(refused.Problems, from) {
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
		if got := p.Steps[i]; got.ID != s.id || got.Title != plan.PlainText(s.title) || got.Box != s.done {
			return fault.New(fault.ErrForm, "line %d: step %d `%s` would become `%s`", s.place.Line, i+1, plan.Shown(s.title), plan.Shown(got.Title))
		}
	}
	return nil
}

// refusal returns what is wrong with the plan, with the lines that it came from.
func (d *draft) refusal(err error, from []origin) error {
	refused, ok := err.(*plan.ParseError)
	if !ok {
		return err
	}
	var out []plan.Problem
	for _, p := range refused.Problems {
		at := from[min(p.Line, len(from))-1].from
		if at.File != "" {
			p.Message = at.File + ": " + p.Message
		}
		p.Line = max(at.Line, 1)
		out = append(out, p)
	}
	return &plan.ParseError{Problems: plan.InOrder(out)}
}

// escapeRefused turns the fields that the parser refuses into text. It reports whether it changed
// anything.
func (d *draft) escapeRefused(problems []plan.Problem, from []origin) bool {
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
		d.note(body[o.line].from, "`%s` stays as text: %s", plan.Shown(strings.TrimSpace(body[i].text[:at])), why)
		body[i].text = body[i].text[:at] + `\` + body[i].text[at:]
		return true
	}
	return false
}

// mapFields changes the fields of steps that this program did not write: it replaces what they need
// with ids, and turns what other forms do not mean as a field into text. It reports whether it
// changed anything.
func (d *draft) mapFields(text string, from []origin) bool {
	front, problem := plan.ReadFront([]byte(text))
	if problem != nil {
		return false
	}
	doc := plan.NewDocument([]byte(text))
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
			if !d.steps[step].own && d.mapStepFields(doc, item, step, labels, from) {
				changed = true
			}
		}
	}
	return changed
}

func (d *draft) mapStepFields(doc *plan.Document, item ast.Node, step int, labels map[string]int, from []origin) bool {
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
			was := strings.TrimSpace(doc.Text[f.Item.FirstChild().Lines().At(0).Start:doc.End(f.Item, len(doc.Src))])
			ids, why := d.needs(was, step, labels)
			if why != "" {
				changed = d.escape(o, why) || changed
				continue
			}
			if was != "Needs: "+ids {
				d.note(s.body[o.line].from, "`%s` is read as `Needs: %s`", plan.Shown(was), ids)
			}
			s.body[o.line].text = "- Needs: " + ids
			for n := f.Line; n < end && n < len(from); n++ {
				if o := from[n]; o.step == step && o.line >= 0 && !plan.Blank(s.body[o.line].text) {
					drop[o.line] = true
				}
			}
			changed = true
		default:
			changed = d.escape(o, "in this form it is not a field") || changed
		}
	}
	s.body = s.body.dropping(drop)
	return changed
}

// labels returns the index of the step that a number or word means; -1 if it means several.
func (d *draft) labels() map[string]int {
	out := map[string]int{}
	for i, s := range d.steps {
		label := strings.ToLower(s.label)
		if _, taken := out[label]; taken {
			i = -1
		}
		out[label] = i
	}
	for i, s := range d.steps {
		out["#"+s.id] = i
		title := "=" + plan.Normalize(plan.PlainText(s.title))
		if _, taken := out[title]; taken {
			i = -1
		}
		out[title] = i
	}
	delete(out, "")
	return out
}

var (
	nestedBullet = visible.NewPattern(`\n[ \t]*(?:[-*+]|\d+[.)])[ \t]`)
	needsNothing = visible.NewPattern(`^(?i:none|n/a|-|–|—|nothing|no|no dependencies)?$`)
	ofNeeds      = visible.NewPattern(`[,;&]|\sand\s`)
	stepWord     = visible.NewPattern(`^(?:tasks?|steps?|iteration)\s+`)
)

// needs reads what a step needs in the words of other forms: numbers, labels and ids. It accepts
// only steps above it, which cannot make a circle.
func (d *draft) needs(field string, step int, labels map[string]int) (ids, why string) {
	_, all, _ := strings.Cut(nestedBullet.ReplaceAllString(field, ", "), ":")
	all = strings.Join(strings.Fields(strings.Trim(all, "*_`., \t\n")), " ")
	if all != "" && needsNothing.MatchString(all) {
		return "none", ""
	}
	var found []string
	for _, part := range ofNeeds.Compiled().Split(all, -1) {
		name, _, _ := strings.Cut(strings.Trim(part, " `*_.(){}[]"), ":")
		name = strings.TrimPrefix(stepWord.ReplaceAllString(strings.ToLower(name), ""), "#")
		if name == "" {
			continue
		}
		at, ok := labels[name]
		for _, other := range []string{"#" + name, "=" + plan.Normalize(strings.TrimSpace(part))} {
			if !ok || at < 0 {
				at, ok = labels[other]
			}
		}
		switch {
		case !ok || at < 0:
			return "", fmt.Sprintf("`%s` names no step", plan.Shown(strings.TrimSpace(part)))
		case at >= step:
			return "", fmt.Sprintf("`%s` is not above this step", plan.Shown(strings.TrimSpace(part)))
		}
		if id := "#" + d.steps[at].id; !slices.Contains(found, id) {
			found = append(found, id)
		}
	}
	if len(found) == 0 {
		return "", "it names no step"
	}
	return strings.Join(found, ", "), ""
}
