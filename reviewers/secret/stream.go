package secret

import (
	"bytes"
	"errors"
	"io"
	"strings"
)

// How much of a blob is in memory while it is read, and how much of that the next window has
// again: a credential that begins earlier than that is seen whole.
const (
	windowSize = 256 << 10
	margin     = 16 << 10
	before     = 256 // of a mark: what its family's pattern may begin with
	reach      = 4 << 10
	enough     = 100 // credentials in one blob
)

// InStream finds the credentials in the bytes of a file that no difference shows, or not
// whole: binary, in UTF-16, with a line without an end, or large. In binary data only
// formats count that say by themselves what they are. One window is in memory at a time.
func InStream(in io.Reader, text bool) ([]Secret, error) {
	s := &streamed{text: text, seen: map[string]bool{}}
	window := make([]byte, 0, windowSize)
	for {
		n, err := io.ReadFull(in, window[len(window):cap(window)])
		window = window[:len(window)+n]
		last := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !last {
			return s.found, err
		}
		s.look(string(window), last)
		if last || len(s.found) >= enough {
			return s.found, nil
		}
		keep := len(window) - margin - before
		s.line += bytes.Count(window[:keep], []byte("\n"))
		window = window[:copy(window, window[keep:])]
		s.later = true
	}
}

// streamed is what is known of a stream so far.
type streamed struct {
	text  bool
	line  int  // lines before the window
	later bool // the window is not the first
	found []Secret
	seen  map[string]bool
}

// look looks at one window. Its first bytes were in the window before, and, unless it is the last
// one, its end is in the next one, too.
func (s *streamed) look(window string, last bool) {
	from, to := 0, len(window)
	if s.later {
		from = before
	}
	if !last {
		to -= margin
	}
	s.search(window, from, to, !s.later, last)
	if !s.text {
		wide := narrowed(window, !s.later, last)
		s.search(wide, 0, len(wide), !s.later, last)
	}
}

// search looks around each mark that ends between from and to. If the text begins or ends in the
// middle of a stream, its edge is left out: there is more.
func (s *streamed) search(text string, from, to int, first, last bool) {
	look := looking{streamed: s, text: text, first: first, last: last}
	familyMarks().each(text, func(end int, whose *familySet) {
		if end <= from || end > to {
			return
		}
		whose.each(func(i int) {
			switch fam := &families()[i]; {
			case !s.text && !fam.distinct():
			case !look.alone(fam, end):
				look.beside(fam, end, &look.done[i])
			}
		})
	})
}

// looking is one text under search.
type looking struct {
	*streamed
	text        string
	first, last bool
	done        [256]int // of each family: how far it was looked for
}

// alone looks for a value that begins with the mark; false if the family has no such values. It
// is tried at one place only, so that a mark in every line costs little.
func (l *looking) alone(fam *family, end int) (begins bool) {
	if fam.alone == nil {
		return false
	}
	for _, has := range fam.has {
		from := end - len(has)
		if fam.within(has) || from < 0 || l.text[from:end] != has {
			continue
		}
		begins = true
		if from == 0 && !l.first || from > 0 && continues(l.text[:from]) {
			continue
		}
		b := min(len(l.text), end+reach)
		if m := fam.alone.FindStringSubmatchIndex(l.text[from:b]); m != nil {
			l.ends(fam, from, from+m[3], from, b)
		}
	}
	return begins
}

// continues reports whether what follows a text belongs to its last word.
func continues(text string) bool {
	c := text[len(text)-1]
	if c == '-' || c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' {
		return true
	}
	escape := len(text) > 1 && text[len(text)-2] == '\\' && (c == 'n' || c == 'r' || c == 't')
	return c >= 'a' && c <= 'z' && !escape
}

// beside looks for a value around the mark.
func (l *looking) beside(fam *family, end int, done *int) {
	if end <= *done {
		return
	}
	*done = end + reach/2
	a, b := max(0, end-before), min(len(l.text), end+reach)
	for _, m := range fam.pattern.FindAllStringSubmatchIndex(l.text[a:b], enough) {
		at := a + m[len(m)-2]
		if at == a && !(a == 0 && l.first) {
			continue
		}
		from := at
		if fam.spans {
			from = a + m[0]
		}
		l.ends(fam, at, a+m[len(m)-1], from, b)
	}
}

// ends takes a value, unless it may continue after what was looked at.
func (l *looking) ends(fam *family, at, until, line, end int) {
	cut := until == end && end < len(l.text) && until-at < reach/4
	if !cut && (until < len(l.text) || l.last) {
		l.take(fam, l.text, at, until, line)
	}
}

func (s *streamed) take(fam *family, text string, from, to, line int) {
	value := strings.Clone(text[from:to])
	if s.seen[value] || len(s.found) >= enough || Placeholder(value, fam.secretPart(value)) {
		return
	}
	s.seen[value] = true
	c := Secret{Family: fam.name, Value: value, From: from, To: to}
	if s.text {
		c.Line = s.line + strings.Count(text[:line], "\n") + 1
	}
	s.found = append(s.found, c)
}

// narrowed returns the runs of a text in UTF-16, of either order, that may have a credential:
// letters with a zero byte between each two. Each is a line, but for one that goes on
// beyond the window.
func narrowed(window string, first, last bool) string {
	const shortest = 16 // letters of a credential
	var out strings.Builder
	for i := 0; i < len(window); {
		zero := strings.IndexByte(window[i:], 0)
		if zero < 0 {
			break
		}
		from := max(i, i+zero-1)
		to := from
		for to+1 < len(window) && printable(window[to]) && window[to+1] == 0 {
			to += 2
		}
		if to < len(window) && printable(window[to]) {
			to++
		}
		i = max(to, i+zero+1)
		if to-from <= 2*shortest {
			continue
		}
		if first || from > 1 {
			out.WriteByte('\n')
		}
		for at := from; at < to; at += 2 {
			out.WriteByte(window[at])
		}
		if last || to < len(window)-1 {
			out.WriteByte('\n')
		}
	}
	return out.String()
}

func printable(b byte) bool { return b >= ' ' && b < 0x7f || b == '\n' || b == '\r' || b == '\t' }
