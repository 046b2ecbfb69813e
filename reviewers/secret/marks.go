package secret

import (
	"math/bits"
	"sync"
)

// marks finds, in one pass over a text, every place at which one of the families may be: their
// [family.has], by the automaton of Aho and Corasick. Searching a text of any size for all of
// them takes as long as for one.
type marks struct {
	class   [256]uint8 // bytes that no mark holds are one class
	classes int
	next    []uint16    // state*classes + class -> state
	ends    []familySet // of a state: whose marks end there
	longest int
}

// familySet is a set of places in the table of families.
type familySet [4]uint64

func (s *familySet) add(i int) { s[i/64] |= 1 << (i % 64) }

func (s *familySet) join(o *familySet) {
	for i := range s {
		s[i] |= o[i]
	}
}

func (s *familySet) each(do func(i int)) {
	for w, word := range s {
		for ; word != 0; word &= word - 1 {
			do(w*64 + bits.TrailingZeros64(word))
		}
	}
}

var familyMarks = sync.OnceValue(func() *marks {
	m := &marks{classes: 1}
	for _, f := range families() {
		for _, has := range f.has {
			for i := range len(has) {
				if m.class[has[i]] == 0 {
					m.class[has[i]] = uint8(m.classes)
					m.classes++
				}
			}
			m.longest = max(m.longest, len(has))
		}
	}
	m.state()
	for i, f := range families() {
		for _, has := range f.has {
			m.ends[m.spell(has)].add(i)
		}
	}
	m.fall()
	return m
})

func (m *marks) state() uint16 {
	m.next = append(m.next, make([]uint16, m.classes)...)
	m.ends = append(m.ends, familySet{})
	return uint16(len(m.ends) - 1)
}

// spell returns the state behind a word, in the tree of all words.
func (m *marks) spell(word string) (s uint16) {
	for i := range len(word) {
		at := int(s)*m.classes + int(m.class[word[i]])
		if m.next[at] == 0 {
			to := m.state()
			m.next[at] = to
		}
		s = m.next[at]
	}
	return s
}

// fall makes the tree an automaton: if a word does not continue, another one may that begins
// within it.
func (m *marks) fall() {
	short := make([]uint16, len(m.ends)) // the longest other state that a state ends with
	queue := []uint16{0}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		for c := range m.classes {
			at, otherwise := int(s)*m.classes+c, uint16(0)
			if s != 0 {
				otherwise = m.next[int(short[s])*m.classes+c]
			}
			to := m.next[at]
			if to == 0 {
				m.next[at] = otherwise
				continue
			}
			short[to] = otherwise
			m.ends[to].join(&m.ends[otherwise])
			queue = append(queue, to)
		}
	}
}

// each calls do with the end of each mark in text, and its families.
func (m *marks) each(text string, do func(end int, whose *familySet)) {
	s := 0
	for i := range len(text) {
		s = int(m.next[s*m.classes+int(m.class[text[i]])])
		if m.ends[s] != (familySet{}) {
			do(i+1, &m.ends[s])
		}
	}
}

// in returns the families that have a mark in text.
func (m *marks) in(text string) (all familySet) {
	m.each(text, func(_ int, whose *familySet) { all.join(whose) })
	return all
}
