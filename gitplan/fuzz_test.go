package gitplan

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzParse holds what must be true of any bytes: Parse never panics, a refusal
// names lines, and what the program writes into a plan changes only what it
// means to change.
func FuzzParse(f *testing.F) {
	withoutRace(f)
	files, err := filepath.Glob("../testdata/plans/*.md")
	if err != nil || len(files) == 0 {
		f.Fatal("no seeds in testdata/plans", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	for _, c := range trickyPlans {
		f.Add([]byte(c.text))
	}
	for _, c := range refusedPlans {
		f.Add([]byte(c.text))
	}
	f.Fuzz(func(t *testing.T, src []byte) { checkInvariants(t, src) })
}

// checkInvariants reports whether the text is a plan.
func checkInvariants(t *testing.T, src []byte) bool {
	t.Helper()
	p, err := Parse(src)
	if err != nil {
		refusalNamesLines(t, src, err)
		return false
	}
	meaningIsItsOwnMeaning(t, src)
	idsStayWhenWritten(t, src, p)
	frontMatterIsOutsideTheMeaning(t, src)
	for i := range p.Steps[:min(len(p.Steps), 4)] {
		tickChangesOnlyBoxes(t, src, &p.Steps[i])
		statusChangesOnlyItsLine(t, src, &p.Steps[i])
	}
	return true
}

func refusalNamesLines(t *testing.T, src []byte, err error) {
	t.Helper()
	var refused *ParseError
	if !errors.As(err, &refused) || len(refused.Problems) == 0 {
		t.Fatalf("%q: not a ParseError with problems: %v", src, err)
	}
	last := 1
	for _, problem := range refused.Problems {
		if problem.Line < last || problem.Line > bytes.Count(src, []byte("\n"))+1 {
			t.Fatalf("%q: line %d, after %d", src, problem.Line, last)
		}
		last = problem.Line
	}
}

func meaningIsItsOwnMeaning(t *testing.T, src []byte) {
	t.Helper()
	meaning := Meaning(src)
	if _, err := Parse(meaning); err != nil {
		t.Fatalf("%q: its meaning %q does not parse: %v", src, meaning, err)
	}
	p, _ := Parse(src)
	q, _ := Parse(meaning)
	if diff := cmp.Diff(p.instructions(), q.instructions(), cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
		t.Fatalf("%q does something else than its meaning: %s", src, diff)
	}
	if again := Meaning(meaning); !bytes.Equal(again, meaning) {
		t.Fatalf("%q: meaning %q means %q", src, meaning, again)
	}
	if bytes.IndexByte(src, '\r') < 0 {
		if windows := bytes.ReplaceAll(src, []byte("\n"), []byte("\r\n")); !bytes.Equal(Meaning(windows), meaning) {
			t.Fatalf("%q: other meaning with CRLF", src)
		}
	}
}

func idsStayWhenWritten(t *testing.T, src []byte, p *Plan) {
	t.Helper()
	filled, err := FillIDs(src)
	if err != nil {
		t.Fatal(err)
	}
	q, err := Parse(filled)
	if err != nil {
		t.Fatalf("%q with ids %q: %v", src, filled, err)
	}
	seen := map[string]bool{}
	for i, s := range q.Steps {
		if s.ID != p.Steps[i].ID || s.Title != p.Steps[i].Title || !validID(s.ID) || seen[s.ID] || !s.spans.written {
			t.Fatalf("%q: step %d is %q %q, was %q %q", src, i+1, s.ID, s.Title, p.Steps[i].ID, p.Steps[i].Title)
		}
		seen[s.ID] = true
		if !bytes.Contains(src, []byte(p.Steps[i].Text)) {
			t.Fatalf("%q: text of step %d is not in it: %q", src, i+1, p.Steps[i].Text)
		}
	}
}

func frontMatterIsOutsideTheMeaning(t *testing.T, src []byte) {
	t.Helper()
	for _, key := range []string{"plan", "branch"} {
		out, err := SetFront(src, key, "it's #1: \"ü\"")
		if err != nil {
			t.Fatal(err)
		}
		q, err := Parse(out)
		if err != nil || q.front.value(key) != "it's #1: \"ü\"" {
			t.Fatalf("%q with %s: %q: %v", src, key, out, err)
		}
		if digest(out) != digest(src) {
			t.Fatalf("%q: %s changes the digest: %q", src, key, out)
		}
	}
}

func tickChangesOnlyBoxes(t *testing.T, src []byte, s *Step) {
	t.Helper()
	for _, done := range []bool{!s.Box, s.Box} {
		out, err := Tick(src, s.ID, done)
		if err != nil || len(out) != len(src) {
			t.Fatalf("%q: %v", src, err)
		}
		q, err := Parse(out)
		if err != nil || q.Steps[s.N-1].Box != done || digest(out) != digest(src) {
			t.Fatalf("%q ticked %v: %q: %v", src, done, out, err)
		}
		for i := range out {
			if out[i] != src[i] && (!strings.ContainsRune(" xX", rune(src[i])) || src[i-1] != '[' || src[i+1] != ']') {
				t.Fatalf("%q: Tick changed byte %d: %q", src, i, out)
			}
		}
	}
}

func statusChangesOnlyItsLine(t *testing.T, src []byte, s *Step) {
	t.Helper()
	out, err := SetStatus(src, s.ID, StepStatus{"blocked", "a\n- [ ] b"})
	if err != nil {
		if !strings.Contains(err.Error(), "no place") && !errors.As(err, new(*ParseError)) {
			t.Fatalf("%q: %v", src, err)
		}
		return
	}
	q, err := Parse(out)
	if err != nil || q.Steps[s.N-1].Status != (StepStatus{"blocked", "a - [ ] b"}) || digest(out) != digest(src) {
		t.Fatalf("%q with status: %q: %v", src, out, err)
	}
	if s.Status.Word == "" {
		back, err := SetStatus(out, s.ID, StepStatus{})
		if err != nil || !bytes.Equal(back, src) {
			t.Fatalf("%q with status and without: %q: %v", src, back, err)
		}
	}
}

// Plans put together from lines that change what their neighbours are: such
// combinations are rare among the bytes that a fuzzer tries.
func TestRandomPlans(t *testing.T) {
	withoutRace(t)
	random := rand.New(rand.NewPCG(1, 2))
	parsed := 0
	for range plansTried {
		if checkInvariants(t, []byte(randomPlan(random))) {
			parsed++
		}
	}
	if parsed < plansTried/20 {
		t.Errorf("only %d of %d texts are plans", parsed, plansTried)
	}
}

// Every plan comes back from every form; see Export for what a form cannot carry.
func TestRandomPlansComeBack(t *testing.T) {
	withoutRace(t)
	random := rand.New(rand.NewPCG(3, 4))
	for range plansTried / 4 {
		text := []byte(randomPlan(random))
		if _, err := Parse(text); err != nil {
			continue
		}
		if diff := roundTrips(text); diff != "" {
			t.Errorf("%s\nof %q", diff, text)
		}
	}
}

func randomPlan(random *rand.Rand) string {
	text := "# T\n\n## Steps\n"
	for range 2 + random.IntN(12) {
		text += trickyLines()[random.IntN(len(trickyLines()))] + "\n"
	}
	if random.IntN(2) == 0 {
		text = strings.TrimSuffix(text, "\n")
	}
	return text
}

func trickyLines() []string {
	return []string{"", "- [ ] a", "- [x] b {#b}", "* [X] c", "1. [ ] d", "- [~] e", "text", "---", "===", "```", "~~~", "<!--", "-->", "<div>",
		"> - [ ] q", "# H", "## Steps", "## Checks", "### h", "    code", "-", "2. two", "[a]: b '", "\t- tab", "{#x}", "**bold", "`code",
		"  - [ ] box", "  - Run: `r`", "  - Status: blocked - s", "  * Status: skipped", "  -   Status: reopened", "  1. Status: blocked", "  2. Run: `evil`",
		"    - `nested`", "  - Check: `c`; p", "  - Needs: none", "  - Needs: #b", "  - Files:", "  ---", "  text", "      deep", "  ```", "  -", "  > q", "    Status: blocked", "  - Do: x", "  <!-- x -->", "  <b>", "  *", "  ==="}
}

const plansTried = 2000
