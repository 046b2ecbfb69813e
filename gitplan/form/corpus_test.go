package form

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// TestForms imports every plan below a folder: FORMS_DIR=path. For each file it prints whether it is imported
// without loss, or in one line why not.
func TestForms(t *testing.T) {
	dir := os.Getenv("FORMS_DIR")
	if dir == "" {
		t.Skip("FORMS_DIR=path names a folder of plans")
	}
	total := map[string]int{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || !strings.HasSuffix(path, ".md") && !strings.HasSuffix(path, ".json") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		said, kind := tryForm(path, text)
		total[kind]++
		t.Logf("%s: %s", strings.TrimPrefix(path, dir), said)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	kinds := make([]string, 0, len(total))
	for kind := range total {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	for _, kind := range kinds {
		t.Logf("%5d %s", total[kind], kind)
	}
	if total["LOST"]+total["BROKEN"] > 0 {
		t.Errorf("%d lost words, %d broken", total["LOST"], total["BROKEN"])
	}
}

// tryForm imports a text, and exports and imports it again in every format.
func tryForm(path string, text []byte) (said, kind string) {
	in, err := Import(path, text, "")
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return "not imported: " + visible.OneLine(first, 300), "not imported"
	}
	if lost := lostWords(string(text), reported(in), in.Form); len(lost) > 0 {
		return string(in.Form) + ": LOST " + strings.Join(lost[:min(len(lost), 8)], " "), "LOST"
	}
	if diff := roundTrips(in.Text); diff != "" {
		return string(in.Form) + ": BROKEN " + visible.OneLine(diff, 600), "BROKEN"
	}
	p, _ := plan.Parse(in.Text)
	said = fmt.Sprintf("%s: %d steps, %d notes", in.Form, len(p.Steps), len(in.Notes))
	if in.Doubt != "" {
		said += "; doubt: " + in.Doubt
	}
	for _, n := range in.Notes[:min(len(in.Notes), 3)] {
		said += "\n\t\t" + n.String()
	}
	return said, "without loss, " + string(in.Form)
}

// stepsHeading matches names of the section Steps that carry no other meaning.
var stepsHeading = regexp.MustCompile(`(?mi)^##[ \t]+(?:execution[ \t]+order|tasks / subtasks):?[ \t]*$`)

// lostWords are words that a text has more often than its import. The words that mark a step, its number and
// [P] become ids and needs.
func lostWords(from, to string, kind Form) []string {
	count := func(s string) map[string]int {
		out := map[string]int{}
		s = strings.NewReplacer("*", "", "_", "").Replace(s)
		for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			out[w]++
		}
		return out
	}
	was, is := count(stepsHeading.ReplaceAllString(from, "")), count(to)
	if kind == Ralphex && strings.Contains(from, "{#") {
		return nil // the box that Export writes repeats the title
	}
	var lost []string
	for w, n := range was {
		switch {
		case n <= is[w]:
		case kind == Own:
			lost = append(lost, w)
		case slices.Contains([]string{"task", "tasks", "iteration", "step", "steps", "p", "x", "plan", "implementation", "file", "s"}, w):
		case strings.Trim(w, "0123456789.") == "", strings.Trim(w[:len(w)-1], "0123456789.") == "" && len(w) > 1:
		default:
			lost = append(lost, w)
		}
	}
	slices.Sort(lost)
	return lost
}
