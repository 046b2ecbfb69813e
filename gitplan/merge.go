package gitplan

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/markdown"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// Side is one of the two sides of a merge, as git merge calls them.
type Side string

// Ours is what is here, Theirs what the remote has. Neither is no choice.
const (
	Neither Side = ""
	Ours    Side = "ours"
	Theirs  Side = "theirs"
)

// Conflict is a part of a plan that both sides changed, each in its own way. A
// side that does not have the part is empty.
type Conflict struct {
	Part         string // "step hello", "section rules", "the order of the parts"
	Ours, Theirs string
	Why          string // where two changes that do not touch cannot stand together
}

// versions are a plan's text at the last common commit and on both sides.
type versions struct{ base, ours, theirs []byte }

// textMerge merges the text of a plan piece by piece. A piece that one side
// left alone is the other's.
type textMerge struct {
	base, ours, theirs *outline
	pick               Side                   // for what both changed
	state              func(step string) Side // whose box and Status a step has
	conflicts          []Conflict
}

// mergeText is the merged text. Where both sides changed the same thing, the
// conflicts say what, and without a pick there is no text. state says for each
// step whose event is the newer, Neither where none has a new one.
func mergeText(v versions, pick Side, state func(step string) Side) (text []byte, conflicts []Conflict, err error) {
	m := &textMerge{pick: pick, state: state}
	if v, err = v.onOneBranch(); err != nil {
		return nil, nil, err
	}
	for _, o := range []struct {
		to   **outline
		from []byte
	}{{&m.base, v.base}, {&m.ours, v.ours}, {&m.theirs, v.theirs}} {
		if *o.to, err = outlined(o.from); err != nil {
			return nil, nil, err
		}
	}
	front := m.pieces(sequence{m.base.front, m.ours.front, m.theirs.front})
	body := m.pieces(sequence{m.base.body, m.ours.body, m.theirs.body})
	if len(m.conflicts) > 0 && pick == Neither {
		return nil, m.conflicts, nil
	}
	merged := m.assemble(front, body)
	if err := standsFor(merged, front, body); err != nil {
		m.conflicts = append(m.conflicts, Conflict{
			Part: "the plan as a whole", Why: err.Error(),
			Ours: Compare([]byte(m.base.text()), []byte(m.ours.text())), Theirs: Compare([]byte(m.base.text()), []byte(m.theirs.text())),
		})
		if pick == Neither {
			return nil, m.conflicts, nil
		}
		whole := m.of(pick)
		merged = m.assemble(whole.front, whole.body)
	}
	return v.asWritten(merged), m.conflicts, nil
}

// onOneBranch gives the three texts one branch name. The program keeps it up
// to date in each clone, so it is never a conflict.
func (v versions) onOneBranch() (versions, error) {
	var of [3]string
	texts := []*[]byte{&v.base, &v.ours, &v.theirs}
	for i, text := range texts {
		p, err := plan.Parse(*text)
		if err != nil {
			return v, err
		}
		of[i] = p.Branch
	}
	branch, ok := three(of[0], of[1], of[2])
	if !ok {
		branch = of[1]
	}
	for _, text := range texts {
		var err error
		if *text, err = markdown.SetFront(*text, "branch", branch); err != nil {
			return v, err
		}
	}
	return v, nil
}

// asWritten gives a merged text the line ends and the byte order mark that its
// author wants, and to the byte the text of a side that it does not differ from.
func (v versions) asWritten(merged string) []byte {
	for _, side := range [][]byte{v.ours, v.theirs} {
		if markdown.ToLF(string(side)) == merged {
			return side
		}
	}
	if end, ok := three(markdown.LineEnd(v.base), markdown.LineEnd(v.ours), markdown.LineEnd(v.theirs)); ok && end != "\n" {
		merged = strings.ReplaceAll(merged, "\n", end)
	}
	const bom = "\ufeff"
	if bytes.HasPrefix(v.ours, []byte(bom)) {
		merged = bom + merged
	}
	return []byte(merged)
}

// three is the merged value of something that has one; not ok where both sides
// changed it, and not to the same.
func three[T comparable](base, ours, theirs T) (merged T, ok bool) {
	switch {
	case ours == theirs || theirs == base:
		return ours, true
	case ours == base:
		return theirs, true
	}
	return ours, false
}

func (m *textMerge) of(s Side) *outline {
	if s == Theirs {
		return m.theirs
	}
	return m.ours
}

// conflict notes that both sides changed something and returns the picked side,
// or ours while there is none.
func (m *textMerge) conflict(c Conflict) Side {
	m.conflicts = append(m.conflicts, c)
	if m.pick == Theirs {
		return Theirs
	}
	return Ours
}

// assemble puts the pieces together. A step has the box and the Status of the
// side whose event is the newer.
func (m *textMerge) assemble(front, body []piece) string {
	var mixed []piece // steps with one side's text and the other's state
	body = slices.Clone(body)
	for i := range body {
		p := &body[i]
		if p.step == nil {
			continue
		}
		if raw, ok := m.raw(*p); ok {
			p.raw = raw
		} else {
			p.raw = p.text
			mixed = append(mixed, *p)
		}
	}
	text := together(front, body, m.between)
	for _, p := range mixed {
		text = m.withState(text, p)
	}
	return text
}

// raw is a merged step as one of the sides writes it, if one does.
func (m *textMerge) raw(p piece) (string, bool) {
	state := m.stateOf(p).stateText(p.name)
	for _, side := range []*outline{m.ours, m.theirs} {
		if own := side.named[p.name]; own.text == p.text && side.stateText(p.name) == state {
			return own.raw, true
		}
	}
	return "", false
}

// stateOf is the side whose box and Status a step has. Where nothing happened
// to the step on either side, they are merged like a text.
func (m *textMerge) stateOf(p piece) *outline {
	_, here := m.ours.named[p.name]
	_, there := m.theirs.named[p.name]
	side := m.state(p.step.ID)
	if side == Neither {
		side = Ours
		if m.base.stateText(p.name) == m.ours.stateText(p.name) {
			side = Theirs
		}
	}
	if side == Ours && here || !there {
		return m.ours
	}
	return m.theirs
}

// stateText is what a step's raw text says beyond its text.
func (o *outline) stateText(name string) string {
	s := o.named[name].step
	if s == nil {
		return ""
	}
	text := fmt.Append(nil, s.Box, s.Status)
	for _, at := range s.At.Boxes {
		text = append(text, o.plan.Source[at])
	}
	return string(text)
}

// withState writes the box and the Status of a step into a text that has the
// step in the other side's words.
func (m *textMerge) withState(text string, p piece) string {
	from := m.stateOf(p).named[p.name].step
	out, err := plan.Tick([]byte(text), from.ID, from.Box)
	if err != nil {
		return text // standsFor says why the text is no plan
	}
	if with, err := plan.SetStatus(out, from.ID, from.Status); err == nil {
		out = with
	}
	return string(out)
}

// between is what stands between two pieces: what stood there where they were
// neighbours, the changed one before the one at the base.
func (m *textMerge) between(a, b piece, usual string) string {
	key := [2]string{a.name, b.name}
	was, known := m.base.gaps[key]
	o, here := m.ours.gaps[key]
	t, there := m.theirs.gaps[key]
	switch {
	case here && there && known && o == was:
		return t
	case here:
		return o
	case there:
		return t
	case a.name == "":
		return ""
	case b.name == "" || a.step != nil && b.step != nil && bullet(a) == bullet(b):
		return "\n"
	}
	return usual
}

// bullet is the sign of the list that a step stands in. Where it changes, one
// list ends and another begins.
func bullet(p piece) string {
	return strings.TrimLeft(p.raw[:strings.IndexByte(p.raw, '[')], "0123456789 \t")
}

// standsFor makes sure that a merged text is read as the pieces it was made
// of: a fence that one side opened may swallow what the other wrote, a step
// may need one that the other removed.
func standsFor(text string, front, body []piece) error {
	o, err := outlined([]byte(text))
	if err != nil {
		return err
	}
	same := func(a, b piece) bool { return a.name == b.name && a.text == b.text }
	if !slices.EqualFunc(front, o.front, same) || !slices.EqualFunc(body, o.body, same) {
		return fmt.Errorf("the changes of one side change what those of the other mean")
	}
	return nil
}
