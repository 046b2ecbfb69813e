package secret

import (
	"errors"
	"io"
	"strings"
)

// The sizes of a window, its overlap and the text around a mark, in bytes; how many credentials are kept.
const (
	windowSize = 256 << 10
	overlap    = 16 << 10
	before     = 256
	reach      = 4 << 10
	enough     = 100
)

// InStream finds the credentials in a file that a difference does not show as a whole.
func InStream(in io.Reader, text bool) ([]Secret, error) {
	s := &stream{text: text, seen: map[string]bool{}, first: true}
	window := make([]byte, 0, windowSize)
	for {
		n, err := io.ReadFull(in, window[len(window):cap(window)])
		window = window[:len(window)+n]
		s.last = errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !s.last {
			return s.found, err
		}
		s.search(string(window))
		if !text { // ASCII in UTF-16 has a zero byte between each two letters
			s.search(strings.ReplaceAll(string(window), "\x00", ""))
		}
		if s.last || len(s.found) >= enough {
			return s.found, nil
		}
		again := len(window) - overlap
		s.lines += strings.Count(string(window[:again]), "\n")
		window = window[:copy(window, window[again:])]
		s.first = false
	}
}

type stream struct {
	text        bool
	first, last bool // of the windows
	lines       int  // before the window
	found       []Secret
	seen        map[string]bool
}

// search looks around each mark of a window; text cut off by its edge is in the next window, too.
func (s *stream) search(text string) {
	done := make([]int, len(families())) // how far each family was looked for
	eachMark(text, func(at, family int) {
		fam := &families()[family]
		if at < done[family] || !s.text && !fam.distinct() {
			return
		}
		done[family] = at + reach/2
		from, to := max(0, at-before), min(len(text), at+reach)
		for _, m := range fam.pattern.FindAllStringSubmatchIndex(text[from:to], enough) {
			begins, ends := from+m[len(m)-2], from+m[len(m)-1]
			if begins == from && !(from == 0 && s.first) || ends == to && !(to == len(text) && s.last) {
				continue
			}
			line := begins
			if fam.spans {
				line = from + m[0]
			}
			s.take(fam, text[begins:ends], strings.Count(text[:line], "\n"))
		}
	})
}

func (s *stream) take(fam *family, value string, line int) {
	if s.seen[value] || len(s.found) >= enough || Placeholder(value, fam.secretPart(value)) {
		return
	}
	value = strings.Clone(value)
	s.seen[value] = true
	c := Secret{Family: fam.name, Value: value}
	if s.text {
		c.Line = s.lines + line + 1
	}
	s.found = append(s.found, c)
}
