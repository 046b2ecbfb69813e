package share

import (
	"slices"
	"strings"
)

// sequence is one run of pieces, as it was and on both sides.
type sequence struct{ base, ours, theirs []Piece }

// pieces merges what a run of pieces says, and then their order.
func (m *textMerge) pieces(s sequence) []Piece {
	kept := map[string]Piece{}
	for _, p := range slices.Concat(s.ours, s.theirs) {
		if _, seen := kept[p.Name]; seen {
			continue
		}
		b, o, t := m.base.Named[p.Name], m.ours.Named[p.Name], m.theirs.Named[p.Name]
		merged := o
		if text, ok := three(b.Text, o.Text, t.Text); !ok {
			merged = m.of(m.conflict(Conflict{Part: p.Name, Ours: o.Text, Theirs: t.Text})).Named[p.Name]
		} else if text != o.Text {
			merged = t
		}
		if b.Name+o.Name+t.Name == strings.Repeat(p.Name, 3) {
			merged.under, _ = three(b.under, o.under, t.under)
		}
		kept[p.Name] = merged // without a text: removed
	}
	return m.inOrder(s, kept)
}

// inOrder orders what is kept: first the sections, then the steps under each heading. A step
// whose heading is gone goes under the first heading that is left.
func (m *textMerge) inOrder(s sequence, kept map[string]Piece) []Piece {
	top := m.order("the order of the parts", s.under(kept)[""], kept)
	heading := ""
	for _, p := range top {
		if heading == "" && strings.HasPrefix(p.Name, "heading ") {
			heading = p.Name
		}
	}
	for name, p := range kept {
		if p.under != "" && kept[p.under].Text == "" {
			p.under = heading
			kept[name] = p
		}
	}
	under := s.under(kept)
	var out []Piece
	for _, p := range top {
		out = append(out, p)
		if steps, ok := under[p.Name]; ok {
			out = append(out, m.order("the order of the steps", steps, kept)...)
		}
	}
	return out
}

// under splits a run by the headings that its pieces will be under, without those that are
// removed.
func (s sequence) under(kept map[string]Piece) map[string]sequence {
	out := map[string]sequence{}
	each := func(pieces []Piece, of func(*sequence) *[]Piece) {
		for _, p := range pieces {
			if k := kept[p.Name]; k.Text != "" {
				part := out[k.under]
				*of(&part) = append(*of(&part), p)
				out[k.under] = part
			}
		}
	}
	each(s.base, func(s *sequence) *[]Piece { return &s.base })
	each(s.ours, func(s *sequence) *[]Piece { return &s.ours })
	each(s.theirs, func(s *sequence) *[]Piece { return &s.theirs })
	return out
}

// order merges the order of a run. A piece that only one side has comes after the piece that
// it follows there.
func (m *textMerge) order(part string, s sequence, kept map[string]Piece) []Piece {
	count := map[string]int{}
	for _, p := range slices.Concat(s.base, s.ours, s.theirs) {
		count[p.Name]++
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
	was, here, there := common(s.base), common(s.ours), common(s.theirs)
	lead, other := s.ours, s.theirs
	now, ok := three(was, here, there)
	if !ok && m.conflict(Conflict{Part: part, Ours: here, Theirs: there}) == Theirs || now != here {
		lead, other = s.theirs, s.ours
	}
	out := weave(lead, other)
	for i := range out {
		out[i] = kept[out[i].Name]
	}
	return out
}

// weave returns the pieces of lead, with those that only other has between them.
func weave(lead, other []Piece) []Piece {
	led := map[string]bool{}
	for _, p := range lead {
		led[p.Name] = true
	}
	behind, last := map[string][]Piece{}, ""
	for _, p := range other {
		if led[p.Name] {
			last = p.Name
		} else {
			behind[last] = append(behind[last], p)
		}
	}
	out := slices.Clone(behind[""])
	for _, p := range lead {
		out = append(append(out, p), behind[p.Name]...)
	}
	return out
}
