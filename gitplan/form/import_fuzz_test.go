package form

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/testdata/texts"
)

// checkImport checks the invariants of any imported text: it is refused with its own line numbers, or becomes
// a valid plan which does not change when it is imported again, and contains every word of the text.
func checkImport(t *testing.T, src []byte, kind Form) {
	t.Helper()
	in, err := Import("folder/some-file.md", src, kind)
	if err != nil {
		refusedOrNoForm(t, src, err)
		return
	}
	if _, err := plan.Parse(in.Text); err != nil {
		t.Fatalf("%q as %s: %q is not a plan: %v", src, in.Form, in.Text, err)
	}
	again, err := Import("", in.Text, "")
	if err != nil || again.Form != Own || !bytes.Equal(again.Text, in.Text) {
		t.Fatalf("%q as %s: %q is imported again as %+v: %v", src, in.Form, in.Text, again, err)
	}
	if in.Form == Own && !bytes.Equal(in.Text, src) {
		t.Fatalf("%q was changed to %q", src, in.Text)
	}
	if in.Form != JSON && in.Form != YAML {
		if lost := lostWords(string(src), reported(in), in.Form); len(lost) > 0 {
			t.Fatalf("%q as %s: %q lost %q", src, in.Form, in.Text, lost)
		}
	}
	for _, n := range in.Notes {
		if n.Line < 0 || n.Line > bytes.Count(src, []byte("\n"))+1 || n.Text == "" {
			t.Fatalf("%q: a note for line %d: %s", src, n.Line, n.Text)
		}
	}
}

// reported returns an imported text with its notes.
func reported(in *Imported) string {
	var b strings.Builder
	b.Write(in.Text)
	for _, n := range in.Notes {
		b.WriteString(" " + asQuoted.Replace(n.Text))
	}
	return b.String()
}

// asQuoted are white-space characters as a note quotes them.
var asQuoted = strings.NewReplacer(`\f`, " ", `\v`, " ", `\t`, " ")

func refusedOrNoForm(t *testing.T, src []byte, err error) {
	t.Helper()
	if errors.Is(err, fault.ErrForm) {
		return
	}
	texts.RefusalNamesLines(t, src, err)
}

// seeds are the texts of testdata/forms.
func seeds(f *testing.F, form string) {
	f.Helper()
	files, err := filepath.Glob("../../testdata/forms/" + form + ".txtar")
	if err != nil || len(files) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, file := range files {
		for _, c := range formCases(f, file) {
			f.Add([]byte(c.in))
		}
	}
}

// FuzzRecognise reads any text in the format that it seems to have.
func FuzzRecognise(f *testing.F) {
	seeds(f, "*")
	f.Fuzz(func(t *testing.T, src []byte) { checkImport(t, src, "") })
}

func FuzzImportRalphex(f *testing.F) {
	seeds(f, "ralphex")
	f.Fuzz(func(t *testing.T, src []byte) { checkImport(t, src, Ralphex) })
}

func FuzzImportPlanner(f *testing.F) {
	seeds(f, "planner")
	f.Fuzz(func(t *testing.T, src []byte) { checkImport(t, src, Ralphex) })
}

func FuzzImportSpecKit(f *testing.F) {
	seeds(f, "spec-kit")
	f.Fuzz(func(t *testing.T, src []byte) { checkImport(t, src, SpecKit) })
}

func FuzzImportOpenSpec(f *testing.F) {
	seeds(f, "openspec")
	f.Fuzz(func(t *testing.T, src []byte) { checkImport(t, src, OpenSpec) })
}

func FuzzImportChecklist(f *testing.F) {
	seeds(f, "checklist")
	f.Fuzz(func(t *testing.T, src []byte) { checkImport(t, src, Checklist) })
}

func FuzzImportJSON(f *testing.F) {
	seeds(f, "json")
	f.Fuzz(func(t *testing.T, src []byte) { checkImport(t, src, JSON) })
}

// FuzzImportQueue reads any scope, rules and two tasks.
func FuzzImportQueue(f *testing.F) {
	for _, c := range formCases(f, "../../testdata/forms/queue.txtar") {
		var texts [4]string
		for _, file := range txtar.Parse([]byte(c.in)).Files {
			switch {
			case file.Name == "scope.md":
				texts[0] = string(file.Data)
			case file.Name == "rules.md":
				texts[1] = string(file.Data)
			case texts[2] == "":
				texts[2] = string(file.Data)
			default:
				texts[3] = string(file.Data)
			}
		}
		f.Add(texts[0], texts[1], texts[2], texts[3])
	}
	f.Fuzz(func(t *testing.T, scope, rules, one, two string) {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "tasks"), 0o700); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{"scope.md": scope, "rules.md": rules, "tasks/01-a.md": one, "tasks/02-b.md": two} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		in, err := ImportFrom(dir, nil, "")
		if err != nil {
			var refused *plan.ParseError
			if !errors.Is(err, fault.ErrForm) && !errors.As(err, &refused) {
				t.Fatal(err)
			}
			return
		}
		p, err := plan.Parse(in.Text)
		if err != nil || len(p.Steps) != 2 {
			t.Fatalf("%q: %v", in.Text, err)
		}
		if lost := lostWords(strings.ReplaceAll(scope, queueSteps, "")+" "+rules+" "+one+" "+two, reported(in), Queue); len(lost) > 0 {
			t.Fatalf("%q %q %q %q: %q lost %q", scope, rules, one, two, in.Text, lost)
		}
	})
}

// FuzzExport: every plan survives every format. Like every stored plan its steps have ids: without them a
// list of `1.1 what to do` could be OpenSpec's, too.
func FuzzExport(f *testing.F) {
	for _, text := range texts.Plans(f) {
		f.Add(text)
	}
	for _, c := range texts.Tricky {
		if len(c.Text) < 4<<10 {
			f.Add([]byte(c.Text))
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		stored, err := plan.FillIDs(src)
		if err != nil {
			return
		}
		if diff := roundTrips(stored); diff != "" {
			t.Fatalf("%s\nof %q", diff, src)
		}
	})
}

func FuzzImportYAML(f *testing.F) {
	seeds(f, "json") // most JSON is YAML
	f.Add([]byte("steps:\n  - title: Do it # now\n    files_to_modify: [a.go]\n    body: |\n      so\n"))
	f.Fuzz(func(t *testing.T, src []byte) { checkImport(t, src, YAML) })
}
