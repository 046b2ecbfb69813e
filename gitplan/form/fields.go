package form

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// plan writes the draft; from has the place of each line. An error has the line numbers of the import.
func (d *draft) plan() (_ []byte, from []Place, _ error) {
	d.name()
	labels := d.labels()
	for i, s := range d.steps {
		if !s.own {
			d.mapFields(i, labels)
		}
	}
	d.complete()
	written := d.write()
	for _, line := range written {
		from = append(from, line.from)
	}
	text := []byte(written.String())
	p, err := plan.Parse(text)
	if err != nil {
		refused := err.(*plan.ParseError)
		for i := range refused.Problems {
			p := &refused.Problems[i]
			at := placeAt(from, p.Line)
			if at.File != "" {
				p.Text = at.File + ": " + p.Text
			}
			p.Line = max(at.Line, 1)
		}
		return nil, nil, &plan.ParseError{Problems: plan.InOrder(refused.Problems)}
	}
	// a plan must never say anything else than its source
	if len(p.Steps) != len(d.steps) {
		return nil, nil, fault.New(fault.ErrForm, "%d steps were found, but they would become %d", len(d.steps), len(p.Steps))
	}
	for i, s := range d.steps {
		got := &p.Steps[i]
		foreign := !s.own && (got.Run != "" && !s.runs || got.Agent+got.Model+got.Effort+got.Timeout != "" ||
			got.Status != s.status || got.Attempts > 0 || got.Ask)
		if got.ID != s.id || got.Title != plan.PlainText(s.title) || got.Box != s.done || foreign {
			return nil, nil, fault.New(fault.ErrForm, "line %d: step %d `%s` would become `%s`", s.place.Line, i+1,
				plan.Shown(s.title), plan.Shown(got.Title))
		}
	}
	return text, from, nil
}

// mapFields puts ids into Needs, and escapes fields that the source format does not have, so that they stay text.
func (d *draft) mapFields(step int, labels map[string]int) {
	s := d.steps[step]
	doc := plan.NewDocument([]byte(s.body.String())).ReadBlocks(0)
	var fields []plan.Field
	named, again := map[string]bool{}, map[int]bool{}
	for _, bullet := range plan.Bullets(doc.Root) {
		if f, ok := plan.FieldOf(doc, bullet); ok && f.Name != "" {
			again[f.Line] = named[f.Name] && !plan.AddsUp(f.Name)
			named[f.Name] = true
			fields = append(fields, f)
		}
	}
	for _, f := range slices.Backward(fields) { // so that the lines above stay where they are
		why := "in this form it is not a field"
		at := s.body[f.Line-1].from
		switch {
		case again[f.Line]:
			why = "it is here twice"
		case slices.Contains([]string{"files", "do", "check", "action", "estimate", "for"}, f.Name):
			continue
		case f.Name == "run" && named["action"] && !named["files"]: // the Planner/Executor form
			s.runs = true
			continue
		case f.Name == "needs":
			to := doc.End(f.Item, len(doc.Src))
			was := strings.TrimSpace(doc.Text[f.Item.FirstChild().Lines().At(0).Start:to])
			var ids string
			if ids, why = d.needs(was, step, labels); why == "" {
				if was != "Needs: "+ids {
					d.note(at, "`%s` is read as `Needs: %s`", plan.Shown(was), ids)
				}
				end := doc.Line(max(to-1, 0))
				blank := slices.DeleteFunc(slices.Clone(s.body[f.Line:end]), func(l line) bool { return !plan.Blank(l.text) })
				s.body = slices.Replace(s.body, f.Line-1, end, append(lines{{"- Needs: " + ids, at}}, blank...)...)
				continue
			}
		}
		colon := f.From - 1
		l := &s.body[doc.Line(colon)-1].text
		column := colon - doc.LineStart(colon)
		d.note(at, "`%s` stays as text: %s", plan.Shown(strings.TrimSpace((*l)[:column])), why)
		*l = (*l)[:column] + `\` + (*l)[column:]
	}
}

// labels returns the index of the step that a number, word, id or title means; -1 if it means several.
func (d *draft) labels() map[string]int {
	out := map[string]int{}
	add := func(name string, i int) {
		if _, taken := out[name]; taken {
			i = -1
		}
		out[name] = i
	}
	for i, s := range d.steps {
		add(strings.ToLower(s.label), i)
		add("="+plan.Normalize(plan.PlainText(s.title)), i)
		out["#"+s.id] = i
	}
	delete(out, "")
	return out
}

var (
	nestedBullet = visible.NewPattern(`\n[ \t]*(?:[-*+]|\d+[.)])[ \t]`)
	needsNothing = visible.NewPattern(`^(?i:none|n/a|-|–|—|nothing|no|no dependencies)$`)
	ofNeeds      = visible.NewPattern(`[,;&]|\sand\s`)
	stepWord     = visible.NewPattern(`^(?:tasks?|steps?|iteration)\s+`)
)

// needs reads numbers, labels, titles and ids of steps above this one, so that there is no cycle.
func (d *draft) needs(field string, step int, labels map[string]int) (ids, why string) {
	_, all, _ := strings.Cut(nestedBullet().ReplaceAllString(field, ", "), ":")
	all = strings.Join(strings.Fields(strings.Trim(all, "*_`., \t\n")), " ")
	if needsNothing().MatchString(all) {
		return "none", ""
	}
	var found []string
	for _, part := range ofNeeds().Split(all, -1) {
		name, _, _ := strings.Cut(strings.Trim(part, " `*_.(){}[]"), ":")
		name = strings.TrimPrefix(stepWord().ReplaceAllString(strings.ToLower(name), ""), "#")
		if name == "" { // behind the last comma
			continue
		}
		at := -1
		for _, label := range []string{name, "#" + name, "=" + plan.Normalize(part)} {
			if n, ok := labels[label]; ok && at < 0 {
				at = n
			}
		}
		switch {
		case at < 0:
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
