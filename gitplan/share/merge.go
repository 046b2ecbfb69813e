package share

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/plan"
)

// Side is one of the two sides of a merge.
type Side string

// Ours is the plan here, Theirs the remote's. Neither chooses none.
const (
	Neither Side = ""
	Ours    Side = "ours"
	Theirs  Side = "theirs"
)

// Conflict is a part of a plan that both sides changed differently; a side without it is empty.
type Conflict struct {
	Part         string // "step hello", "section rules", "the order of the parts"
	Ours, Theirs string
	Why          string // the reason, if changes of different parts contradict each other; else ""
}

// Versions are a plan's text at the last common commit and on both sides.
type Versions struct{ Base, Ours, Theirs []byte }

// textMerge merges the text of a plan piece by piece, as git merge-file does lines.
type textMerge struct {
	base, ours, theirs *Outline
	pick               Side                   // the side that wins in a conflict, or Neither
	state              func(step string) Side // the side from which a step gets its box and Status
	conflicts          []Conflict
}

// MergeText returns the merged text, and the parts that both sides changed differently; with such, text is nil
// unless pick says which side counts. state returns for a step the side with the newer event, Neither if no side has
// a new one.
func MergeText(v Versions, pick Side, state func(step string) Side) (text []byte, conflicts []Conflict, err error) {
	sides := make([]*Outline, 3)
	for i, text := range [][]byte{v.Base, v.Ours, v.Theirs} {
		if sides[i], err = Outlined(text); err != nil {
			return nil, nil, err
		}
	}
	m := &textMerge{base: sides[0], ours: sides[1], theirs: sides[2], pick: pick, state: state}
	merged := m.pieces()
	if len(m.conflicts) > 0 && pick == Neither {
		return nil, m.conflicts, nil
	}
	out := m.withStates(merged)
	// a fence of one side may swallow what the other wrote, and a step may need one that the other removed
	is, err := Outlined([]byte(out))
	same := func(a, b Piece) bool { return a.Name == b.Name && a.Text == b.Text }
	if err == nil && !slices.EqualFunc(merged.Pieces, is.Pieces, same) {
		err = errors.New("the changes of one side change what those of the other mean")
	}
	if err != nil {
		picked := m.conflict(Conflict{
			Part: "the plan as a whole", Why: err.Error(),
			Ours: CompareWords(v.Base, v.Ours), Theirs: CompareWords(v.Base, v.Theirs),
		})
		if pick == Neither {
			return nil, m.conflicts, nil
		}
		out = m.withStates(picked)
	}
	out = strings.ReplaceAll(out, "\n", plan.LineEnd(v.Ours))
	if bom := "\ufeff"; bytes.HasPrefix(v.Ours, []byte(bom)) {
		out = bom + out
	}
	return []byte(out), m.conflicts, nil
}

// three merges a value; ok is false if both sides changed it differently.
func three[T comparable](base, ours, theirs T) (merged T, ok bool) {
	switch {
	case ours == theirs || theirs == base:
		return ours, true
	case ours == base:
		return theirs, true
	}
	return ours, false
}

// conflict records a conflict, and returns the picked side; ours if none is picked.
func (m *textMerge) conflict(c Conflict) *Outline {
	m.conflicts = append(m.conflicts, c)
	if m.pick == Theirs {
		return m.theirs
	}
	return m.ours
}

// piece merges one piece. The branch is written by the program in each clone, and so is never a conflict.
func (m *textMerge) piece(name string) Piece {
	b, o, t := m.base.Named[name], m.ours.Named[name], m.theirs.Named[name]
	merged := o
	if text, ok := three(b.Text, o.Text, t.Text); ok && text != o.Text {
		merged = t
	} else if !ok && name != "branch in the front matter" {
		merged = m.conflict(Conflict{Part: name, Ours: o.Text, Theirs: t.Text}).Named[name]
	}
	if o.Text != "" && t.Text != "" {
		merged.Lead, _ = three(b.Lead, o.Lead, t.Lead)
	}
	return merged // without a text: removed
}

// pieces merges the pieces, and then their order; a piece of only one side keeps its predecessor there.
func (m *textMerge) pieces() *Outline {
	count := map[string]int{}
	merged := map[string]Piece{}
	for _, p := range slices.Concat(m.base.Pieces, m.ours.Pieces, m.theirs.Pieces) {
		if count[p.Name]++; count[p.Name] == 1 {
			merged[p.Name] = m.piece(p.Name)
		}
	}
	common := func(o *Outline) string {
		var names []string
		for _, p := range o.Pieces {
			if count[p.Name] == 3 {
				names = append(names, p.Name)
			}
		}
		return strings.Join(names, "\n")
	}
	lead, other, here, there := m.ours, m.theirs, common(m.ours), common(m.theirs)
	now, ok := three(common(m.base), here, there)
	if !ok && m.conflict(Conflict{Part: "the order of the parts", Ours: here, Theirs: there}) == m.theirs || now != here {
		lead, other = other, lead
	}
	out := &Outline{Tail: lead.Tail}
	for _, p := range inserted(lead.Pieces, other.Pieces) {
		if merged[p.Name].Text != "" {
			out.Pieces = append(out.Pieces, merged[p.Name])
		}
	}
	return out
}

// inserted adds the pieces of other alone to lead: a step after the piece that it follows in other, any other piece
// before the piece that follows it, so that no section comes between steps.
func inserted(lead, other []Piece) []Piece {
	led := map[string]bool{}
	for _, p := range lead {
		led[p.Name] = true
	}
	after, before, last := map[string][]Piece{}, map[string][]Piece{}, ""
	var rest []Piece // pieces other than steps, since last
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

// withStates returns the merged text, each step with the box and Status of the side that has the newer event.
func (m *textMerge) withStates(merged *Outline) string {
	var mixed []*plan.Step // steps with the text of one side and the state of the other
	pieces := slices.Clone(merged.Pieces)
	for i := range pieces {
		p := &pieces[i]
		if p.Step == nil {
			continue
		}
		_, here := m.ours.Named[p.Name]
		own, there := m.theirs.Named[p.Name]
		side := m.state(p.Step.ID)
		// without an event theirs if they changed there
		theirs := side == Theirs || side == Neither && m.base.stateText(p.Name) != m.theirs.stateText(p.Name)
		if !there || here && !theirs {
			own = m.ours.Named[p.Name]
		}
		if own.Text == p.Text {
			p.Raw = own.Raw
		} else {
			p.Raw = p.Text
			mixed = append(mixed, own.Step)
		}
	}
	out := []byte((&Outline{Pieces: pieces, Tail: merged.Tail}).Text())
	for _, s := range mixed {
		with, err := plan.Tick(out, s.ID, s.Box)
		if err != nil {
			break // MergeText says why the text is invalid
		}
		out = with
		if with, err := plan.SetStatus(out, s.ID, s.Status); err == nil {
			out = with
		}
	}
	return string(out)
}

// stateText returns the boxes and the Status of a step.
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
