package form

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/testdata/race"
)

// formCase is a text in some format and its import. testdata/forms/*.txtar contain them as files NAME.in and
// NAME.out. In .in, ␍ ␉ ␀ and ␠ stand for a carriage return, a tab, a NUL and a space at the end of a line,
// ⟦BOM⟧ for a byte order mark; a file of a queue begins with a line @@ name.
type formCase struct{ name, in, out string }

func formCases(t testing.TB, file string) []formCase {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	readable := strings.NewReplacer("␍", "\r", "␉", "\t", "␀", "\x00", "␠", " ", "⟦BOM⟧", "\ufeff", "⟦bad⟧", "\xff")
	var cases []formCase
	for _, f := range archive.Files {
		name, isOut := strings.CutSuffix(f.Name, ".out")
		if isOut && len(cases) > 0 && cases[len(cases)-1].name == name {
			cases[len(cases)-1].out = string(f.Data)
			continue
		}
		in := readable.Replace(string(f.Data))
		if strings.Contains(file, "queue") {
			in = strings.ReplaceAll("\n"+in, "\n@@ ", "\n-- ")
			var b strings.Builder
			for _, line := range strings.SplitAfter(in[1:], "\n") {
				if strings.HasPrefix(line, "-- ") {
					line = strings.TrimSuffix(line, "\n") + " --\n"
				}
				b.WriteString(line)
			}
			in = b.String()
		}
		cases = append(cases, formCase{name: strings.TrimSuffix(f.Name, ".in"), in: in})
	}
	return cases
}

// TestTrickyTextsInEveryForm compares the import of each text with a reviewed result. UPDATE_FORMS=1 writes
// the current results.
func TestTrickyTextsInEveryForm(t *testing.T) {
	race.Skip(t)
	files, err := filepath.Glob("../../testdata/forms/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		form := strings.TrimSuffix(filepath.Base(file), ".txtar")
		cases := formCases(t, file)
		if len(cases) < 30 {
			t.Errorf("%s has %d cases", form, len(cases))
		}
		for i := range cases {
			c := &cases[i]
			t.Run(form+"/"+c.name, func(t *testing.T) {
				got := becomes(t, form, c)
				if os.Getenv("UPDATE_FORMS") != "" {
					c.out = got
				} else if diff := cmp.Diff(c.out, got); diff != "" {
					t.Error(diff)
				}
			})
		}
		if os.Getenv("UPDATE_FORMS") != "" {
			update(t, file, cases)
		}
	}
}

// becomes returns the import of a text: its format, notes and plan, or the error. It also checks the
// invariants of any import.
func becomes(t *testing.T, kind string, c *formCase) string {
	var in *Imported
	var err error
	if kind == "queue" {
		in, err = importFiles(Queue, filesOf(c.in))
	} else {
		src := []byte(strings.ReplaceAll(c.in, "⟦long⟧", strings.Repeat("long ", 20000)))
		in, err = Import("some/folder/tasks.md", src, "")
		checkImport(t, src, "")
	}
	if err != nil {
		return "refused: " + printed(err.Error()) + "\n"
	}
	if diff := roundTrips(in.Text); diff != "" {
		t.Errorf("does not come back: %s", diff)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", in.Form)
	if in.Doubt != "" {
		fmt.Fprintf(&b, "? %s\n", in.Doubt)
	}
	for _, n := range in.Notes {
		fmt.Fprintf(&b, "! %s\n", n)
	}
	for _, p := range in.Suspicious {
		fmt.Fprintf(&b, "~ %s: %s\n", p.Rule, p)
	}
	for _, line := range strings.SplitAfter(strings.TrimSuffix(string(in.Text), "\n"), "\n") {
		b.WriteString("|" + line)
	}
	if p, _ := plan.Parse(in.Text); kind == "tools" {
		for _, s := range p.Steps {
			fmt.Fprintf(&b, "\n= %s: done %t, files %v, needs %v, checks %d, boxes %d", s.ID, s.Ticked(), s.Files, s.Needs, len(s.Checks), len(s.At.Boxes))
		}
	}
	return printed(b.String()) + "\n"
}

func filesOf(text string) []File {
	var out []File
	for _, f := range txtar.Parse([]byte(text)).Files {
		out = append(out, File{f.Name, bytes.ReplaceAll(f.Data, []byte("⟦none⟧\n"), nil)})
	}
	return out
}

func printed(s string) string {
	s = strings.NewReplacer("\r", "␍", "\t", "␉", "\x00", "␀", "\ufeff", "⟦BOM⟧").Replace(s)
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if len(line) > 300 {
			line = strings.ToValidUTF8(line[:200], "") + fmt.Sprintf("... %d bytes", len(line))
		}
		if strings.HasSuffix(line, " ") {
			line = line[:len(line)-1] + "␠"
		}
		lines[i] = line
	}
	return strings.Join(lines, "\n")
}

func update(t *testing.T, file string, cases []formCase) {
	t.Helper()
	old, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	out := &txtar.Archive{Comment: old.Comment}
	for _, f := range old.Files {
		name := strings.TrimSuffix(f.Name, ".in")
		at := slices.IndexFunc(cases, func(c formCase) bool { return c.name == name })
		if at < 0 || f.Name == name {
			continue
		}
		out.Files = append(out.Files, f, txtar.File{Name: name + ".out", Data: []byte(cases[at].out)})
	}
	if err := os.WriteFile(file, txtar.Format(out), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A plan is read twice while it is imported, as an outline and as a plan: deep lists take long to read.
func TestAPlanIsReadTwice(t *testing.T) {
	src := []byte("# T\n\n## Steps\n" + strings.Repeat("- [ ] a\n  - b\n    - c\n", 500))
	once := testing.AllocsPerRun(1, func() { _, _ = plan.Parse(src) })
	all := testing.AllocsPerRun(1, func() { _, _ = Import("plan.md", src, "") })
	if all > 2.5*once {
		t.Errorf("importing it makes %.1f times as many allocations as reading it", all/once)
	}
}
