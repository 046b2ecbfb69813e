package form

import (
	"strings"
	"unicode"

	"github.com/git-plan/git-plan/gitplan/markdown"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// needsInWords reads "depends on T001, T002 and T005" in the texts of steps.
// What it names stands for what the step would need by its place. Words that do
// not name steps above this one are left to the session that reads them.
func (d *draft) needsInWords() {
	labels := d.labels()
	for i := range d.Steps {
		s := &d.Steps[i]
		found := d.namedIn(s.title, i, labels)
		for _, l := range s.Body {
			if strings.HasPrefix(l.text, "- ") && plan.FieldName(strings.TrimRight(strings.Trim(firstKey(l.text[2:]), "*_"), " ")) == "needs" {
				found = nil // a field says it
				s.needs = nil
				break
			}
			found = append(found, d.namedIn(l.text, i, labels)...)
		}
		if len(found) == 0 {
			continue
		}
		s.needs = nil
		seen := map[string]bool{}
		for _, id := range found {
			if !seen[id] {
				seen[id] = true
				s.needs = append(s.needs, "#"+id)
			}
		}
	}
}

func firstKey(text string) string {
	key, _, _ := strings.Cut(text, ":")
	return key
}

// namedIn finds the ids of steps that a line says this one depends on.
func (d *draft) namedIn(text string, step int, labels map[string]int) []string {
	const phrase = "epends on "
	at := strings.Index(text, phrase)
	if at < 1 || text[at-1] != 'd' && text[at-1] != 'D' {
		return nil
	}
	before := strings.Fields(strings.ToLower(text[:at-1]))
	if n := len(before); n > 0 && (before[n-1] == "not" || before[n-1] == "nothing" || before[n-1] == "longer") {
		return nil
	}
	const most = 50 // ids
	var found []string
	for _, token := range strings.FieldsFunc(text[at+len(phrase):], func(r rune) bool { return unicode.IsSpace(r) || r == ',' || r == '&' || r == '/' }) {
		name := strings.ToLower(strings.Trim(token, "`*_.()[];"))
		if name == "and" || name == "task" || name == "tasks" || name == "" {
			continue
		}
		first, last, isRange := cutRange(name)
		from, ok := labels[first]
		to := from
		if isRange && ok {
			to, ok = labels[last]
		}
		if !ok || !strings.ContainsAny(first, "0123456789") {
			break
		}
		if from < 0 || to < from || to >= step || to-from >= most || len(found) >= most {
			d.note(d.Steps[step].place, "`%s` is not taken for what the step needs: it names no steps above it, or too many", markdown.Shown(token))
			return nil
		}
		for n := from; n <= to; n++ {
			found = append(found, d.Steps[n].id)
		}
		if strings.ContainsAny(token, ").;") {
			break
		}
	}
	return found
}

// cutRange parts T001-T005.
func cutRange(name string) (first, last string, ok bool) {
	for _, dash := range []string{"–", "-", "..."} {
		if first, last, ok = strings.Cut(name, dash); ok && first != "" && last != "" && first != "t" {
			return first, last, true
		}
	}
	return name, "", false
}
