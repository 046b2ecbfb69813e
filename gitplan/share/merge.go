package share

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/plan"
)

// Side is one of the two sides of a merge, as git merge calls them.
type Side string

// Ours is what is here, Theirs what the remote has. Neither chooses none.
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
	Why          string // if two changes of different parts contradict each other
}

// Versions are a plan's text at the last common commit and on both sides.
type Versions struct{ Base, Ours, Theirs []byte }

// textMerge merges the text of a plan piece by piece. If only one side changed a piece, that
// side's version counts.
type textMerge struct {
	base, ours, theirs *Outline
	pick               Side                   // for what both changed
	state              func(step string) Side // whose box and Status a step gets
	conflicts          []Conflict
}

// MergeText returns the merged text. conflicts lists what both sides changed, each in its own
// way; with such, text is nil unless pick says which side counts. state returns for a step the
// side that has the newer event, Neither if no side has a new one.
func MergeText(v Versions, pick Side, state func(step string) Side) (text []byte, conflicts []Conflict, err error) {
	m := &textMerge{pick: pick, state: state}
	if v, err = v.onOneBranch(); err != nil {
		return nil, nil, err
	}
	for _, o := range []struct {
		to   **Outline
		from []byte
	}{{&m.base, v.Base}, {&m.ours, v.Ours}, {&m.theirs, v.Theirs}} {
		if *o.to, err = Outlined(o.from); err != nil {
			return nil, nil, err
		}
	}
	front := m.pieces(m.base.Front, m.ours.Front, m.theirs.Front)
	body := m.pieces(m.base.Body, m.ours.Body, m.theirs.Body)
	if len(m.conflicts) > 0 && pick == Neither {
		return nil, m.conflicts, nil
	}
	merged := m.assemble(front, body)
	if err := standsFor(merged, front, body); err != nil {
		m.conflicts = append(m.conflicts, Conflict{
			Part: "the plan as a whole", Why: err.Error(),
			Ours: Compare([]byte(m.base.Text()), []byte(m.ours.Text())), Theirs: Compare([]byte(m.base.Text()), []byte(m.theirs.Text())),
		})
		if pick == Neither {
			return nil, m.conflicts, nil
		}
		whole := m.of(pick)
		merged = m.assemble(whole.Front, whole.Body)
	}
	return v.asWritten(merged), m.conflicts, nil
}

// onOneBranch gives the three texts the same branch name. The program keeps that up to date in
// each clone, so it is never a conflict.
func (v Versions) onOneBranch() (Versions, error) {
	var of [3]string
	texts := []*[]byte{&v.Base, &v.Ours, &v.Theirs}
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
		if *text, err = plan.SetFront(*text, "branch", branch); err != nil {
			return v, err
		}
	}
	return v, nil
}

// asWritten gives a merged text the line ends and the byte order mark of its author. If the text
// says what one side does, it returns that side's text, to the byte.
func (v Versions) asWritten(merged string) []byte {
	for _, side := range [][]byte{v.Ours, v.Theirs} {
		if plan.ToLF(string(side)) == merged {
			return side
		}
	}
	if end, ok := three(plan.LineEnd(v.Base), plan.LineEnd(v.Ours), plan.LineEnd(v.Theirs)); ok && end != "\n" {
		merged = strings.ReplaceAll(merged, "\n", end)
	}
	const bom = "\ufeff"
	if bytes.HasPrefix(v.Ours, []byte(bom)) {
		merged = bom + merged
	}
	return []byte(merged)
}

// three returns the merged value of something that has one value on each side; ok is false if
// both sides changed it, each to another.
func three[T comparable](base, ours, theirs T) (merged T, ok bool) {
	switch {
	case ours == theirs || theirs == base:
		return ours, true
	case ours == base:
		return theirs, true
	}
	return ours, false
}

// of returns the outline of a side.
func (m *textMerge) of(s Side) *Outline {
	if s == Theirs {
		return m.theirs
	}
	return m.ours
}

// conflict notes that both sides changed something, and returns the picked side; Ours if none
// is picked.
func (m *textMerge) conflict(c Conflict) Side {
	m.conflicts = append(m.conflicts, c)
	if m.pick == Theirs {
		return Theirs
	}
	return Ours
}

// pieces merges what a run of pieces says, and then their order. A piece that only one side has comes
// after the piece that it follows there.
func (m *textMerge) pieces(base, ours, theirs []Piece) []Piece {
	kept, count := map[string]Piece{}, map[string]int{}
	for _, p := range slices.Concat(base, ours, theirs) {
		if count[p.Name]++; count[p.Name] > 1 {
			continue
		}
		b, o, t := m.base.Named[p.Name], m.ours.Named[p.Name], m.theirs.Named[p.Name]
		merged := o
		if text, ok := three(b.Text, o.Text, t.Text); !ok {
			merged = m.of(m.conflict(Conflict{Part: p.Name, Ours: o.Text, Theirs: t.Text})).Named[p.Name]
		} else if text != o.Text {
			merged = t
		}
		kept[p.Name] = merged // without a text: removed
	}
	common := func(pieces []Piece) string {
		var names []string
		for _, p := range pieces {
			if count[p.Name] == 3 {
				names = append(names, p.Name)
			}
		}
		return strings.Join(names, "\n")
	}
	lead, other, here, there := ours, theirs, common(ours), common(theirs)
	now, ok := three(common(base), here, there)
	if !ok && m.conflict(Conflict{Part: "the order of the parts", Ours: here, Theirs: there}) == Theirs || now != here {
		lead, other = theirs, ours
	}
	var out []Piece
	for _, p := range weave(lead, other) {
		if kept[p.Name].Text != "" {
			out = append(out, kept[p.Name])
		}
	}
	return out
}

// weave returns the pieces of lead with those that only other has: a step after the piece that it
// follows there, anything else before the piece that follows it, so that no section parts the steps.
func weave(lead, other []Piece) []Piece {
	led := map[string]bool{}
	for _, p := range lead {
		led[p.Name] = true
	}
	after, before, last := map[string][]Piece{}, map[string][]Piece{}, ""
	var rest []Piece // what is not a step, since last
	for _, p := range other {
		switch {
		case led[p.Name]:
			before[p.Name], rest, last = rest, nil, p.Name
		case p.Step != nil:
			after[last] = append(after[last], p)
		default:
			rest = append(rest, p)
		}
	}
	out := slices.Clone(after[""])
	for _, p := range lead {
		out = slices.Concat(out, before[p.Name], []Piece{p}, after[p.Name])
	}
	return append(out, rest...)
}

// assemble puts the pieces together. A step gets the box and the Status of the side that has
// the newer event.
func (m *textMerge) assemble(front, body []Piece) string {
	var mixed []Piece // steps with one side's text and the other's state
	body = slices.Clone(body)
	for i := range body {
		p := &body[i]
		if p.Step == nil {
			continue
		}
		if own := m.stateOf(*p).Named[p.Name]; own.Text == p.Text {
			p.Raw = own.Raw
		} else {
			p.Raw = p.Text
			mixed = append(mixed, *p)
		}
	}
	text := Together(front, body, m.between)
	for _, p := range mixed {
		text = m.withState(text, p)
	}
	return text
}

// stateOf returns the side whose box and Status a step gets. If nothing happened to the step on
// either side, they are merged like text.
func (m *textMerge) stateOf(p Piece) *Outline {
	_, here := m.ours.Named[p.Name]
	_, there := m.theirs.Named[p.Name]
	side := m.state(p.Step.ID)
	if side == Neither {
		side = Ours
		if m.base.stateText(p.Name) == m.ours.stateText(p.Name) {
			side = Theirs
		}
	}
	if side == Ours && here || !there {
		return m.ours
	}
	return m.theirs
}

// stateText returns what the raw text of a step has in addition to its text: boxes and Status.
func (o *Outline) stateText(name string) string {
	s := o.Named[name].Step
	if s == nil {
		return ""
	}
	text := fmt.Append(nil, s.Box, s.Status)
	for _, at := range s.At.Boxes {
		text = append(text, o.Plan.Source[at])
	}
	return string(text)
}

// withState writes the box and the Status of a step into a text that has the step as the
// other side wrote it.
func (m *textMerge) withState(text string, p Piece) string {
	from := m.stateOf(p).Named[p.Name].Step
	out, err := plan.Tick([]byte(text), from.ID, from.Box)
	if err != nil {
		return text // standsFor says why the text is invalid
	}
	if with, err := plan.SetStatus(out, from.ID, from.Status); err == nil {
		out = with
	}
	return string(out)
}

// between returns the blank lines between two pieces: those of a side where they are
// neighbours, preferably changed ones, else the usual ones.
func (m *textMerge) between(a, b Piece, usual string) string {
	key := [2]string{a.Name, b.Name}
	was, known := m.base.Gaps[key]
	o, here := m.ours.Gaps[key]
	t, there := m.theirs.Gaps[key]
	switch {
	case here && there && known && o == was:
		return t
	case here:
		return o
	case there:
		return t
	case a.Name == "":
		return ""
	case b.Name == "" || a.Step != nil && b.Step != nil && bullet(a) == bullet(b):
		return "\n"
	}
	return usual
}

// bullet returns the mark of the list that a step is in. Another mark begins another list.
func bullet(p Piece) string {
	return strings.TrimLeft(p.Raw[:strings.IndexByte(p.Raw, '[')], "0123456789 \t")
}

// standsFor returns an error unless a merged text is read as the pieces it was made of: a
// fence that one side opened may swallow what the other wrote, and a step may need one that
// the other removed.
func standsFor(text string, front, body []Piece) error {
	o, err := Outlined([]byte(text))
	if err != nil {
		return err
	}
	same := func(a, b Piece) bool { return a.Name == b.Name && a.Text == b.Text }
	if !slices.EqualFunc(front, o.Front, same) || !slices.EqualFunc(body, o.Body, same) {
		return fmt.Errorf("the changes of one side change what those of the other mean")
	}
	return nil
}
