package checked

import "strings"

// simple is a command without what joins it to others: its words, unquoted.
type simple struct {
	words []string
	in    []string // files that it reads by "<"
	open  int      // "(" in front of it, and ")" behind it
	close int
	piped bool // it reads what the one before it writes
	inner bool // its output is in the next command that is not inner
}

// commands splits a command line as a shell would, as far as that is known without running it.
// What is in $(...) and backquotes is a command as well.
func commands(line string) []simple {
	s := &splitter{text: line}
	s.split()
	return s.out
}

type splitter struct {
	text string
	out  []simple
	now  simple
	word strings.Builder
	has  bool // a word has begun, maybe an empty one
	skip bool // the next word is where output goes
	from bool // or where input comes from
}

func (s *splitter) endWord() {
	switch {
	case s.has && s.from:
		s.now.in = append(s.now.in, s.word.String())
	case s.has && !s.skip:
		s.now.words = append(s.now.words, s.word.String())
	}
	if s.has {
		s.skip, s.from = false, false
	}
	s.word.Reset()
	s.has = false
}

func (s *splitter) endCommand() {
	s.endWord()
	s.skip, s.from = false, false
	if len(s.now.words) > 0 || s.now.open+s.now.close > 0 {
		s.out = append(s.out, s.now)
	}
	s.now = simple{}
}

func (s *splitter) split() {
	t := s.text
	for i := 0; i < len(t); i++ {
		switch c := t[i]; {
		case c == '\\' && i+1 < len(t):
			if i++; t[i] != '\n' {
				s.add(t[i : i+1])
			}
		case c == '\'':
			end := strings.IndexByte(t[i+1:], '\'')
			if end < 0 {
				end = len(t) - i - 1
			}
			s.add(t[i+1 : i+1+end])
			i += end + 1
		case c == '"':
			i = s.quoted(i)
		case c == '$' && strings.HasPrefix(t[i+1:], "("), c == '`':
			i = s.inner(i)
		case c == '#' && !s.has:
			for i+1 < len(t) && t[i+1] != '\n' {
				i++
			}
		case strings.IndexByte(" \t\r", c) >= 0:
			s.endWord()
		case c == '>' || c == '<':
			if strings.HasPrefix(t[i:], "<(") {
				i = s.inner(i)
			} else {
				s.redirect(&i)
			}
		case strings.HasPrefix(t[i:], "||"):
			s.endCommand()
			i++
		case c == '|':
			s.endCommand()
			s.now.piped = true
		case strings.IndexByte(";&|\n", c) >= 0:
			s.endCommand()
		case c == '(':
			s.endCommand()
			s.now.open++
		case c == ')':
			s.endWord()
			s.now.close++
			s.endCommand()
		default:
			s.add(t[i : i+1])
		}
	}
	s.endCommand()
}

func (s *splitter) add(text string) {
	s.word.WriteString(text)
	s.has = true
}

// quoted takes what is between double quotes; i is at the first.
func (s *splitter) quoted(i int) int {
	s.has = true
	for i++; i < len(s.text) && s.text[i] != '"'; i++ {
		switch {
		case s.text[i] == '\\' && i+1 < len(s.text):
			if i++; strings.IndexByte("$`\"\\\n", s.text[i]) < 0 {
				s.word.WriteByte('\\')
			}
			s.word.WriteByte(s.text[i])
		case s.text[i] == '`' || strings.HasPrefix(s.text[i:], "$("):
			i = s.inner(i)
		default:
			s.word.WriteByte(s.text[i])
		}
	}
	return i
}

// inner takes a command whose output replaces it; i is where it begins.
func (s *splitter) inner(i int) int {
	from, end := i+1, -1
	if s.text[i] == '`' {
		end = strings.IndexByte(s.text[from:], '`')
	} else {
		from++
		for deep, j := 1, from; j < len(s.text) && end < 0; j++ {
			switch s.text[j] {
			case '(':
				deep++
			case ')':
				if deep--; deep == 0 {
					end = j - from
				}
			}
		}
	}
	if end < 0 {
		end = len(s.text) - from
	}
	for _, c := range commands(s.text[from : from+end]) {
		c.inner = true
		s.out = append(s.out, c)
	}
	s.add("$()") // nobody knows what that will be
	return from + end
}

// redirect leaves out where output goes; i is at its sign.
func (s *splitter) redirect(i *int) {
	if strings.Trim(s.word.String(), "0123456789") == "" { // a number in front of it is no word
		s.word.Reset()
		s.has = false
	}
	s.endWord()
	s.from = s.text[*i] == '<' && *i+1 < len(s.text) && strings.IndexByte("<>&", s.text[*i+1]) < 0
	for *i+1 < len(s.text) && strings.IndexByte("<>&|-", s.text[*i+1]) >= 0 {
		*i++
	}
	if *i+1 < len(s.text) && s.text[*i+1] == '(' { // <(a command)
		return
	}
	s.skip = true
}
