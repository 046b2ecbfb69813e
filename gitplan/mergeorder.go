package gitplan

import (
	"slices"
	"strings"
)

// sequence is one run of pieces, as it was and on both sides.
type sequence struct{ base, ours, theirs []piece }

// pieces merges what a run of pieces says, and then their order.
func (m *textMerge) pieces(s sequence) []piece {
	kept := map[string]piece{}
	for _, p := range slices.Concat(s.ours, s.theirs) {
		if _, seen := kept[p.name]; seen {
			continue
		}
		b, o, t := m.base.named[p.name], m.ours.named[p.name], m.theirs.named[p.name]
		merged := o
		if text, ok := three(b.text, o.text, t.text); !ok {
			merged = m.of(m.conflict(Conflict{Part: p.name, Ours: o.text, Theirs: t.text})).named[p.name]
		} else if text != o.text {
			merged = t
		}
		if b.name+o.name+t.name == strings.Repeat(p.name, 3) {
			merged.under, _ = three(b.under, o.under, t.under)
		}
		kept[p.name] = merged // without a text: removed
	}
	return m.inOrder(s, kept)
}

// inOrder puts what is kept in order: first the sections, then the steps under
// each heading. A step whose heading is gone goes to the heading that there is.
func (m *textMerge) inOrder(s sequence, kept map[string]piece) []piece {
	top := m.order("the order of the parts", s.under(kept)[""], kept)
	heading := ""
	for _, p := range top {
		if heading == "" && strings.HasPrefix(p.name, "heading ") {
			heading = p.name
		}
	}
	for name, p := range kept {
		if p.under != "" && kept[p.under].text == "" {
			p.under = heading
			kept[name] = p
		}
	}
	under := s.under(kept)
	var out []piece
	for _, p := range top {
		out = append(out, p)
		if steps, ok := under[p.name]; ok {
			out = append(out, m.order("the order of the steps", steps, kept)...)
		}
	}
	return out
}

// under parts a run by the headings under which its pieces will stand, without
// what is removed.
func (s sequence) under(kept map[string]piece) map[string]sequence {
	out := map[string]sequence{}
	each := func(pieces []piece, of func(*sequence) *[]piece) {
		for _, p := range pieces {
			if k := kept[p.name]; k.text != "" {
				part := out[k.under]
				*of(&part) = append(*of(&part), p)
				out[k.under] = part
			}
		}
	}
	each(s.base, func(s *sequence) *[]piece { return &s.base })
	each(s.ours, func(s *sequence) *[]piece { return &s.ours })
	each(s.theirs, func(s *sequence) *[]piece { return &s.theirs })
	return out
}

// order merges the order of a run. What only one side has comes behind what it
// stands behind there.
func (m *textMerge) order(part string, s sequence, kept map[string]piece) []piece {
	count := map[string]int{}
	for _, p := range slices.Concat(s.base, s.ours, s.theirs) {
		count[p.name]++
	}
	common := func(pieces []piece) string {
		var names []string
		for _, p := range pieces {
			if count[p.name] == 3 {
				names = append(names, p.name)
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
		out[i] = kept[out[i].name]
	}
	return out
}

// weave is lead with what only other has put in.
func weave(lead, other []piece) []piece {
	led := map[string]bool{}
	for _, p := range lead {
		led[p.name] = true
	}
	behind, last := map[string][]piece{}, ""
	for _, p := range other {
		if led[p.name] {
			last = p.name
		} else {
			behind[last] = append(behind[last], p)
		}
	}
	out := slices.Clone(behind[""])
	for _, p := range lead {
		out = append(append(out, p), behind[p.name]...)
	}
	return out
}
