package share

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/testdata/race"
	"github.com/git-plan/git-plan/testdata/texts"
)

// sharedPlan is the common ancestor of both sides of a merge.
const sharedPlan = `---
plan: shared-0000
branch: work
base: main
---

# Shared work

What it is for.

## Rules

- Keep the interface.

## Steps

- [ ] **One** {#one}
  - Do: the first thing.
  - Check: ` + "`true`" + `
- [x] **Two** {#two}

  Free text with a list:

  - [x] a part
  - [x] another

- [ ] **Three** {#three}
  - Needs: #one

## Verification

- it works
`

// quiet reports that no step has a new event.
func quiet(string) Side { return Neither }

// edited is sharedPlan with one text replaced by another.
func edited(t *testing.T, pairs ...string) string {
	t.Helper()
	text := sharedPlan
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("the plan has no %q", pairs[i])
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	return text
}

// A change of only one side is in the result, byte for byte.
func TestChangesOfBothSidesAreMerged(t *testing.T) {
	four := "- [ ] **Four** {#four}\n  - Needs: none\n"
	for _, c := range []struct {
		name               string
		ours, theirs, both []string // replacements in the plan
	}{
		{"nothing", nil, nil, nil},
		{"ours only", []string{"first", "very first"}, nil, []string{"first", "very first"}},
		{"theirs only", nil, []string{"first", "very first"}, []string{"first", "very first"}},
		{"both the same", []string{"first", "very first"}, []string{"first", "very first"}, []string{"first", "very first"}},
		{"two steps", []string{"first", "1st"}, []string{"Needs: #one", "Needs: none"}, []string{"first", "1st", "Needs: #one", "Needs: none"}},
		{"title and summary", []string{"# Shared", "# Common"}, []string{"it is for", "it does"}, []string{"# Shared", "# Common", "it is for", "it does"}},
		{"two sections", []string{"Keep", "Hold"}, []string{"it works", "it runs"}, []string{"Keep", "Hold", "it works", "it runs"}},
		{"a step and a section", []string{"**Two**", "**2**"}, []string{"it works", "it runs"}, []string{"**Two**", "**2**", "it works", "it runs"}},
		{"a step added and one edited", []string{"- [x] **Two", four + "- [x] **Two"}, []string{"Needs: #one", "Needs: none"}, []string{"- [x] **Two", four + "- [x] **Two", "Needs: #one", "Needs: none"}},
		{"a step removed and one edited", []string{"- [ ] **Three** {#three}\n  - Needs: #one\n", ""}, []string{"first", "1st"}, []string{"- [ ] **Three** {#three}\n  - Needs: #one\n", "", "first", "1st"}},
		{"a section added on each side", []string{"## Steps", "## Context\n\nHere.\n\n## Steps"}, []string{"## Verification", "## Risks\n\nNone.\n\n## Verification"}, []string{"## Steps", "## Context\n\nHere.\n\n## Steps", "## Verification", "## Risks\n\nNone.\n\n## Verification"}},
		{"a section removed", []string{"## Rules\n\n- Keep the interface.\n\n", ""}, []string{"first", "1st"}, []string{"## Rules\n\n- Keep the interface.\n\n", "", "first", "1st"}},
		{"the base", []string{"base: main", "base: develop"}, []string{"first", "1st"}, []string{"base: main", "base: develop", "first", "1st"}},
		{"the branch on one side", []string{"branch: work", "branch: renamed"}, []string{"first", "1st"}, []string{"branch: work", "branch: renamed", "first", "1st"}},
		{"a box and a text", []string{"[ ] **One", "[x] **One"}, []string{"first", "1st"}, []string{"[ ] **One", "[x] **One", "first", "1st"}},
		{"a state and a text", []string{"  - Do: the", "  - Status: blocked - why\n  - Do: the"}, []string{"first", "1st"}, []string{"  - Do: the", "  - Status: blocked - why\n  - Do: the", "first", "1st"}},
		{"an own key", []string{"base: main\n", "base: main\nmail: x\n"}, []string{"first", "1st"}, []string{"base: main\n", "base: main\nmail: x\n", "first", "1st"}},
		{"blank lines", []string{"- [ ] **Three", "\n- [ ] **Three"}, []string{"first", "1st"}, []string{"- [ ] **Three", "\n- [ ] **Three", "first", "1st"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := Versions{[]byte(sharedPlan), []byte(edited(t, c.ours...)), []byte(edited(t, c.theirs...))}
			text, conflicts, err := MergeText(v, Neither, quiet)
			if err != nil || len(conflicts) > 0 {
				t.Fatalf("%v, %v", conflicts, err)
			}
			if diff := cmp.Diff(edited(t, c.both...), string(text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A step that one side moved keeps the other side's edits of it.
func TestMovedStepKeepsTheOtherSidesEdits(t *testing.T) {
	two := "- [x] **Two** {#two}\n\n  Free text with a list:\n\n  - [x] a part\n  - [x] another\n\n"
	moved := edited(t, two, "", "\n## Verification", two+"## Verification")
	v := Versions{[]byte(sharedPlan), []byte(moved), []byte(edited(t, "Free text", "Their text", "## Verification", "## Risks\n\n## Verification"))}
	for range 2 {
		text, conflicts, err := MergeText(v, Neither, quiet)
		if err != nil || len(conflicts) > 0 {
			t.Fatalf("%v, %v", conflicts, err)
		}
		p, err := plan.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintln(p.Steps[0].ID, p.Steps[1].ID, p.Steps[2].ID, strings.Contains(p.Steps[2].Text, "Their text")); got != "one three two true\n" {
			t.Errorf("the steps are %s\n%s", got, text)
		}
		v.Ours, v.Theirs = v.Theirs, v.Ours
	}
}

// A part that both sides changed is a conflict of exactly that part; the choice applies to it only.
func TestConflicts(t *testing.T) {
	for _, c := range []struct {
		name, part   string
		ours, theirs []string
	}{
		{"a text", "step one", []string{"first", "1st"}, []string{"first", "very first"}},
		{"an edit of a removed step", "step three", []string{"- [ ] **Three** {#three}\n  - Needs: #one\n", ""}, []string{"Needs: #one", "Needs: none"}},
		{"two new steps with the same id", "step four", []string{"- [x] **Two", "- [ ] **4** {#four}\n- [x] **Two"}, []string{"- [x] **Two", "- [ ] **IV** {#four}\n- [x] **Two"}},
		{"the title", "the title", []string{"# Shared", "# Common"}, []string{"# Shared", "# Joint"}},
		{"a section", "section rules", []string{"Keep", "Hold"}, []string{"Keep", "Leave"}},
		{"the base", "base in the front matter", []string{"base: main", "base: a"}, []string{"base: main", "base: b"}},
		{"the order", "the order of the parts",
			[]string{"## Rules\n\n- Keep the interface.\n\n", "", "## Verification", "## Rules\n\n- Keep the interface.\n\n## Verification"},
			[]string{"## Verification\n\n- it works\n", "", "## Rules", "## Verification\n\n- it works\n\n## Rules"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			// Another change on each side, which no choice may revert.
			ours, theirs := edited(t, append(c.ours, "it is for", "we want")...), edited(t, append(c.theirs, "another", "one more")...)
			v := Versions{[]byte(sharedPlan), []byte(ours), []byte(theirs)}
			text, conflicts, err := MergeText(v, Neither, quiet)
			if err != nil || text != nil || len(conflicts) != 1 || conflicts[0].Part != c.part {
				t.Fatalf("%q, %+v, %v", text, conflicts, err)
			}
			if conflicts[0].Ours == conflicts[0].Theirs {
				t.Errorf("what is shown of both is the same: %q", conflicts[0].Ours)
			}
			for pick, pairs := range map[Side][]string{Ours: c.ours, Theirs: c.theirs} {
				text, _, err := MergeText(v, pick, quiet)
				if err != nil {
					t.Fatal(err)
				}
				want := edited(t, append(slices.Clone(pairs), "it is for", "we want", "another", "one more")...)
				squeezed := func(s string) string { return strings.ReplaceAll(s, "\n\n\n", "\n\n") } // a step that one side removed leaves a blank line
				if diff := cmp.Diff(squeezed(want), squeezed(string(text))); diff != "" {
					t.Errorf("%s: %s", pick, diff)
				}
			}
		})
	}
}

// Changes of different parts that contradict each other are a conflict of the whole, never a plan with a
// meaning that neither side wrote.
func TestContradictingChanges(t *testing.T) {
	two := "- [x] **Two** {#two}\n\n  Free text with a list:\n\n  - [x] a part\n  - [x] another\n\n"
	free := []string{"{#two}\n", "{#two}\n  - Needs: none\n"}
	for _, c := range []struct {
		name, why          string
		base, ours, theirs []string
	}{
		{"a need of a removed step", "Needs names `two`", nil, []string{two, ""}, []string{"Needs: #one", "Needs: #two"}},
		{"a cycle", "circle", free, []string{"  - Check", "  - Needs: #two\n  - Check"}, []string{"Needs: none", "Needs: #one"}},
		{"an unclosed fence", "change what those of the other mean", nil,
			[]string{"- it works\n", "- it works\n\n```\nopen\n"}, []string{"- it works\n", "- it works\n\n## Risks\n\nnone\n"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			on := func(pairs []string) []byte { return []byte(edited(t, append(slices.Clone(c.base), pairs...)...)) }
			v := Versions{on(nil), on(c.ours), on(c.theirs)}
			text, conflicts, err := MergeText(v, Neither, quiet)
			if err != nil || text != nil || len(conflicts) == 0 {
				t.Fatalf("%q, %+v, %v", text, conflicts, err)
			}
			if last := conflicts[len(conflicts)-1]; !strings.Contains(last.Why, c.why) {
				t.Errorf("the conflict is %+v", last)
			}
			for pick, side := range map[Side][]byte{Ours: v.Ours, Theirs: v.Theirs} {
				text, _, err := MergeText(v, pick, quiet)
				if err != nil || !bytes.Equal(text, side) {
					t.Errorf("%s: %v\n%s", pick, err, text)
				}
			}
		})
	}
}

// Line ends and a byte order mark belong to the author, and are not a change of any step.
func TestLineEndsAreNotAConflict(t *testing.T) {
	crlf := func(s string) []byte { return []byte("\ufeff" + strings.ReplaceAll(s, "\n", "\r\n")) }
	ours, theirs := edited(t, "first", "1st"), edited(t, "it works", "it runs")
	want := edited(t, "first", "1st", "it works", "it runs")
	for _, c := range []struct {
		name string
		v    Versions
		want []byte
	}{
		{"all of them", Versions{crlf(sharedPlan), crlf(ours), crlf(theirs)}, crlf(want)},
		{"ours now", Versions{[]byte(sharedPlan), crlf(ours), []byte(theirs)}, crlf(want)},
		{"theirs now", Versions{[]byte(sharedPlan), []byte(ours), crlf(theirs)}, []byte(want)},
	} {
		text, conflicts, err := MergeText(c.v, Neither, quiet)
		if err != nil || len(conflicts) > 0 {
			t.Fatalf("%s: %v, %v", c.name, conflicts, err)
		}
		if diff := cmp.Diff(string(c.want), string(text)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// The box and the Status of a step come from the side with the newer event, whichever side's text the step
// has.
func TestBoxComesFromTheNewerEvent(t *testing.T) {
	ours := edited(t, "- [ ] **One** {#one}", "- [x] **One** {#one}", "first", "1st")
	theirs := edited(t, "- [ ] **One** {#one}", "- [ ] **One** {#one}\n  - Status: blocked - no key", "it works", "it runs")
	for side, want := range map[Side]string{
		Ours:   edited(t, "- [ ] **One** {#one}", "- [x] **One** {#one}", "first", "1st", "it works", "it runs"),
		Theirs: edited(t, "- [ ] **One** {#one}", "- [ ] **One** {#one}\n  - Status: blocked - no key", "first", "1st", "it works", "it runs"),
	} {
		text, conflicts, err := MergeText(Versions{[]byte(sharedPlan), []byte(ours), []byte(theirs)}, Neither, func(string) Side { return side })
		if err != nil || len(conflicts) > 0 {
			t.Fatalf("%v, %v", conflicts, err)
		}
		if diff := cmp.Diff(want, string(text)); diff != "" {
			t.Errorf("%s: %s", side, diff)
		}
	}
}

// author makes changes in a plan and remembers how each can be recognised.
type author struct {
	name  string
	r     *rand.Rand
	steps []string // the text of each
	rest  []string // the sections before and after
	seen  []seen
}

// seen is how a change shows in a plan, and which part a conflict about it names.
type seen struct {
	what, part string
	is         func(p *plan.Plan) bool
}

func (a *author) text() []byte {
	return []byte("---\nplan: shared-0000\nbranch: work\n---\n\n# T\n\n" + a.rest[0] + "\n## Steps\n\n" + strings.Join(a.steps, "") + "\n" + a.rest[1])
}

func idOf(step string) string {
	_, rest, _ := strings.Cut(step, "{#")
	id, _, _ := strings.Cut(rest, "}")
	return id
}

func (a *author) note(what, part string, is func(p *plan.Plan) bool) {
	a.seen = append(a.seen, seen{what, part, is})
}

// change makes one random change.
func (a *author) change(n int) {
	word := fmt.Sprintf("%s%d", a.name, n)
	at := a.r.IntN(len(a.steps))
	id := idOf(a.steps[at])
	switch kind := a.r.IntN(6); {
	case kind == 0: // a new step
		id = "new-" + word
		a.steps = slices.Insert(a.steps, at, "- [ ] **"+word+"** {#"+id+"}\n  - Needs: none\n")
		a.note("adds step "+id, "step "+id, func(p *plan.Plan) bool { _, ok := p.Step(id); return ok })
	case kind == 1 && len(a.steps) > 2:
		a.steps = slices.Delete(a.steps, at, at+1)
		a.seen = slices.DeleteFunc(a.seen, func(s seen) bool { return s.part == "step "+id })
		a.note("removes step "+id, "step "+id, func(p *plan.Plan) bool { _, ok := p.Step(id); return !ok })
	case kind == 2:
		s := a.steps[at]
		a.steps = slices.Insert(slices.Delete(a.steps, at, at+1), a.r.IntN(len(a.steps)), s)
	case kind == 3:
		i := a.r.IntN(2)
		a.rest[i] += "- " + word + "\n"
		a.note("writes "+word, []string{"section rules", "section verification"}[i], func(p *plan.Plan) bool { return bytes.Contains(p.Source, []byte(word+"\n")) })
	default:
		a.steps[at] = strings.Replace(a.steps[at], "  - Needs", "  - Do: "+word+".\n  - Needs", 1)
		a.note("writes "+word, "step "+id, func(p *plan.Plan) bool { s, ok := p.Step(id); return ok && strings.Contains(s.Do, word+".") })
	}
}

// No edit is lost: whatever both sides changed, each change is in the result, or a conflict names its part. A
// chosen side is complete.
func TestNoEditIsLost(t *testing.T) {
	race.Skip(t)
	merged, conflicted := 0, 0
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 1))
		first := author{r: r, rest: []string{"## Rules\n\n- keep\n", "## Verification\n\n- see\n"}}
		for i := range 2 + r.IntN(5) {
			first.steps = append(first.steps, fmt.Sprintf("- [ ] **S%d** {#s%d}\n  - Needs: none\n", i, i))
		}
		var sides [2]author
		for i := range sides {
			sides[i] = author{name: string(rune('a' + i)), r: r, steps: slices.Clone(first.steps), rest: slices.Clone(first.rest)}
			for n := range 1 + r.IntN(4) {
				sides[i].change(n)
			}
		}
		v := Versions{first.text(), sides[0].text(), sides[1].text()}
		for _, pick := range []Side{Neither, Ours, Theirs} {
			text, conflicts, err := MergeText(v, pick, quiet)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if text == nil {
				if pick != Neither || len(conflicts) == 0 {
					t.Fatalf("seed %d: no text for %q and %v", seed, pick, conflicts)
				}
				conflicted++
				continue
			}
			merged++
			if len(conflicts) > 0 && pick == Neither {
				t.Fatalf("seed %d: a text in spite of %v", seed, conflicts)
			}
			p, err := plan.Parse(text)
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			for i, side := range sides {
				chosen := pick == []Side{Ours, Theirs}[i]
				for _, s := range side.seen {
					reported := slices.ContainsFunc(conflicts, func(c Conflict) bool { return c.Part == s.part })
					if !s.is(p) && (!reported || chosen) {
						t.Errorf("seed %d, pick %q: side %s %s, which is lost\n%s", seed, pick, side.name, s.what, text)
					}
				}
			}
			orderIsKept(t, seed, first, sides, p, conflicts)
		}
	}
	if merged < 500 || conflicted < 50 {
		t.Errorf("%d merges and %d conflicts: the changes are not of both kinds", merged, conflicted)
	}
}

// orderIsKept: if only one side moved steps, its order applies to the steps that existed before.
func orderIsKept(t *testing.T, seed uint64, first author, sides [2]author, p *plan.Plan, conflicts []Conflict) {
	t.Helper()
	if slices.ContainsFunc(conflicts, func(c Conflict) bool { return strings.HasPrefix(c.Part, "the order") }) {
		return
	}
	var now []string
	for _, s := range p.Steps {
		now = append(now, s.ID)
	}
	old := func(a author) string {
		var ids []string
		for _, s := range a.steps {
			if id := idOf(s); slices.Contains(now, id) && everywhere(id, first, sides) {
				ids = append(ids, id)
			}
		}
		return strings.Join(ids, " ")
	}
	want := old(sides[0])
	if want == old(first) {
		want = old(sides[1])
	}
	got := slices.DeleteFunc(now, func(id string) bool { return !everywhere(id, first, sides) })
	if strings.Join(got, " ") != want {
		t.Errorf("seed %d: the steps are %v, want %s\nwere %s, ours %s, theirs %s", seed, got, want, old(first), old(sides[0]), old(sides[1]))
	}
}

func everywhere(id string, first author, sides [2]author) bool {
	has := func(a author) bool { return slices.ContainsFunc(a.steps, func(s string) bool { return idOf(s) == id }) }
	return has(first) && has(sides[0]) && has(sides[1])
}

// Plan text of any kind can be merged: tricky Markdown on one side never changes what the other side's steps
// are.
func TestTrickyTextsAreMerged(t *testing.T) {
	race.Skip(t)
	for _, c := range texts.Tricky {
		base, err := journal.AsStored([]byte(c.Text), "a-plan-0000", "work", "main")
		if err != nil {
			continue // no plan
		}
		ours := append(slices.Clone(base), "\n\n## Ours\n\nnote\n"...)
		before, err := plan.Parse(base)
		if err != nil {
			t.Fatal(err)
		}
		if now, err := plan.Parse(ours); err != nil || len(now.Sections) != len(before.Sections)+1 {
			continue // it ends in something that swallows the section
		}
		theirs := bytes.Replace(base, []byte("# T"), []byte("# Their T"), 1)
		text, conflicts, err := MergeText(Versions{base, ours, theirs}, Neither, quiet)
		if err != nil || len(conflicts) > 0 {
			t.Errorf("%s: %v, %v", c.Name, conflicts, err)
			continue
		}
		if want := bytes.Replace(ours, []byte("# T"), []byte("# Their T"), 1); plan.ToLF(string(text)) != plan.ToLF(string(want)) {
			t.Errorf("%s: %s", c.Name, cmp.Diff(string(want), string(text)))
		}
	}
}
