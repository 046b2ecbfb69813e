package plan

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/git-plan/git-plan/testdata/race"
	"github.com/git-plan/git-plan/testdata/texts"
)

// FuzzParse checks the invariants for any bytes: Parse never panics, an error names lines, and what the
// program writes into a plan changes only what it should.
func FuzzParse(f *testing.F) {
	race.Skip(f)
	for _, text := range texts.Plans(f) {
		f.Add(text)
	}
	for _, c := range texts.Tricky {
		f.Add([]byte(c.Text))
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
		texts.RefusalNamesLines(t, src, err)
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
		if s.ID != p.Steps[i].ID || s.Title != p.Steps[i].Title || !ValidID(s.ID) || seen[s.ID] || !s.At.named {
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
		if err != nil || q.FrontMatter.Value(key) != "it's #1: \"ü\"" {
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
		p, err := Parse(src)
		if err != nil {
			t.Fatal(err)
		}
		without := p.Ticked(func(u *Step) bool { return u.Box && u.N != s.N || done && u.N == s.N })
		if diff := cmp.Diff(q, without, cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
			t.Fatalf("%q ticked %v is another plan when it is parsed: %s", src, done, diff)
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

// Plans made of lines that change the meaning of their neighbours: such combinations are rare among a
// fuzzer's bytes.
func TestRandomPlans(t *testing.T) {
	race.Skip(t)
	random := rand.New(rand.NewPCG(1, 2))
	parsed := 0
	for range plansTried {
		if checkInvariants(t, []byte(texts.Random(random))) {
			parsed++
		}
	}
	if parsed < plansTried/20 {
		t.Errorf("only %d of %d texts are plans", parsed, plansTried)
	}
}

const plansTried = 2000

// instructions returns the plan without positions and what Meaning leaves out, to be compared.
func (p *Plan) instructions() *Plan {
	unplaced := func(checks []Check) []Check {
		out := slices.Clone(checks)
		for i := range out {
			out[i].Line = 0
		}
		return out
	}
	c := *p
	c.Source, c.FrontMatter, c.index, c.Warnings = nil, nil, nil, nil
	c.ID, c.Branch = "", ""
	c.Checks, c.Verification, c.Prerequisites = unplaced(p.Checks), unplaced(p.Verification), unplaced(p.Prerequisites)
	c.Requirements = slices.Clone(p.Requirements)
	for i := range c.Requirements {
		c.Requirements[i].Line = 0
	}
	c.Sections = nil
	for _, s := range p.Sections {
		if SectionMeaning(s.Title) == "steps" {
			s.Body = "" // it holds the boxes and Status lines; the steps stand for it
		}
		s.Line, s.Body = 0, ToLF(s.Body)
		c.Sections = append(c.Sections, s)
	}
	c.Summary, c.Rules, c.Goal, c.Learned = ToLF(p.Summary), ToLF(p.Rules), ToLF(p.Goal), ToLF(p.Learned)
	c.Steps = make([]Step, len(p.Steps))
	for i, s := range p.Steps {
		s.Text = strings.TrimRight(ToLF(s.Approved()), " \t\n") // there may have been a blank line before its Status
		s.Line, s.Box, s.Doubt, s.Status, s.At, s.Checks = 0, false, false, StepStatus{}, Places{}, unplaced(s.Checks)
		c.Steps[i] = s
	}
	return &c
}
