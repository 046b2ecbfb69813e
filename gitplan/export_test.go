package gitplan

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// roundTrips exports a plan in every form and imports it again, and says how
// what comes back differs; nothing where it means the same.
func roundTrips(src []byte) string {
	for _, form := range []Form{FormPlan, FormJSON, FormRalphex, FormQueue} {
		out, err := Export(src, form)
		if err != nil {
			return string(form) + ": " + err.Error()
		}
		in, err := importFiles(form, out.Files)
		if err != nil {
			return string(form) + ": " + err.Error() + "\n" + string(out.Files[0].Text)
		}
		if form == FormPlan && digest(in.Text) != digest(src) {
			return "md: another digest"
		}
		if diff := cmp.Diff(carried(src, form), carried(in.Text, form)); diff != "" {
			return string(form) + ": " + diff
		}
		if form == FormRalphex && len(out.Notes) > 0 {
			continue
		}
		if diff := cmp.Diff(done(src), done(in.Text), cmpopts.EquateEmpty(), cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
			return string(form) + ": does something else: " + diff
		}
	}
	return ""
}

// deeds is what a plan makes the program do, apart from what a session is told
// in free text.
type deeds struct {
	Steps                               []Step
	Checks, Verification, Prerequisites []string
}

func done(src []byte) deeds {
	p, err := Parse(src)
	if err != nil {
		return deeds{}
	}
	out := deeds{Checks: Commands(p.Checks), Verification: Commands(p.Verification), Prerequisites: Commands(p.Prerequisites)}
	for _, s := range p.Steps {
		s.Title = strings.Join(strings.Fields(s.Title), " ")
		s.Text, s.Do, s.Line, s.Doubt, s.spans = "", "", 0, false, spans{}
		s.Checks = unplaced(s.Checks)
		out.Steps = append(out.Steps, s)
	}
	return out
}

func importFiles(form Form, files []File) (*Imported, error) {
	if form != FormQueue {
		return Import("", files[0].Text, "")
	}
	above, err := os.MkdirTemp("", "git-plan-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(above)
	dir := filepath.Join(above, "queue")
	if err := os.MkdirAll(filepath.Join(dir, "tasks"), 0o700); err != nil {
		return nil, err
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Text, 0o600); err != nil {
			return nil, err
		}
	}
	in, err := ImportFrom(dir, nil, "")
	if errors.Is(err, ErrForm) {
		err = newFault(ErrForm, "%s", strings.ReplaceAll(err.Error(), above+string(filepath.Separator), ""))
	}
	return in, err
}

// carried is a plan less what Export's comment says a form cannot carry.
func carried(src []byte, form Form) string {
	p, err := Parse(src)
	if err != nil {
		return err.Error()
	}
	d := draftOf(p)
	d.complete()
	switch form {
	case FormRalphex:
		for i := range d.sections {
			if s := &d.sections[i]; s.level == 2 && sectionMeaning(s.title) == "checks" {
				s.title = "Checks"
			}
		}
		for i := range d.steps {
			s := &d.steps[i]
			s.body, _ = flat(s.body, 3)
			countBoxes(s.body, s.done)
		}
	case FormQueue:
		var rules lines
		var others []draftSection
		for _, s := range d.sections {
			if s.level == 2 && sectionMeaning(s.title) == "rules" {
				rules = joinLines(rules, s.body)
			} else {
				others = append(others, s)
			}
		}
		d.sections = slices.Insert(others, 0, draftSection{2, "Rules", rules})
		d.at = 1
	}
	text, _ := d.write()
	return text
}

func TestWhatIsExportedMeansTheSame(t *testing.T) {
	withoutRace(t)
	files, err := filepath.Glob("../testdata/plans/*.md")
	if err != nil || len(files) == 0 {
		t.Fatal("no plans", err)
	}
	var texts [][]byte
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	}
	for _, c := range trickyPlans {
		texts = append(texts, []byte(c.text))
	}
	texts = append(texts, []byte("\ufeff 00\n-\n00\n=\n## Steps\n- [ ] a"), []byte("\ufeff\n-\n00\n=\n## Steps\n- [ ] a"))
	texts = append(texts, []byte("[ \"\n# T\n## Steps\n- [ ] a"), []byte(steps("* [X] a\n  - Status: blocked - b\n-\n  c")))
	for _, goesOn := range []string{"<b>", "2. two", "*", "    code", "==="} { // below a title they are its text
		texts = append(texts, []byte(steps("- [ ] a\n  "+goesOn+"\n  - Run: `r`\n")), []byte(steps("- [ ] a\n"+goesOn+"\n  - Run: `r`\n")))
	}
	for _, text := range texts {
		if _, err := Parse(text); err != nil {
			continue
		}
		if diff := roundTrips(text); diff != "" {
			t.Errorf("%s\nof %q", diff, text)
		}
	}
}
