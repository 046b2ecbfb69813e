package pages

import (
	"strings"
	"unicode/utf8"
)

// How a page looks without man: as man lays it out on a terminal of 80 columns.
const (
	plainWidth  = 78
	plainIndent = 7
)

// plainText lays out what a roffWriter wrote. It knows its macros and escapes, and no others.
func plainText(page string) string {
	var p plain
	for line := range strings.Lines(page) {
		line = strings.TrimSuffix(line, "\n")
		switch name, rest, _ := strings.Cut(line, " "); {
		case strings.HasPrefix(line, "."):
			p.macro(name, arguments(rest))
		case p.asIs:
			p.put(unescape(line))
		case p.term:
			p.term = false
			p.put(unescape(line))
			p.more = plainIndent
		default:
			p.words = append(p.words, strings.Fields(unescape(line))...)
		}
	}
	p.flush()
	p.b.WriteString("\n" + p.foot + "\n")
	return p.b.String()
}

// plain is a page on its way to text.
type plain struct {
	b      strings.Builder
	words  []string // of the paragraph that is being collected
	bullet string   // that it begins with
	more   int      // columns that it is indented more than the section
	inset  int      // columns that an example is indented
	asIs   bool     // lines stay as they are
	term   bool     // the next line is one
	margin bool     // an example is at the margin
	headed bool     // a heading was just written, which has no empty line below it
	foot   string
}

func (p *plain) macro(name string, args []string) {
	p.flush()
	if !p.headed && (name == ".PP" || name == ".TP") {
		p.b.WriteString("\n")
	}
	p.headed = name == ".SH" || name == ".SS"
	switch name {
	case ".TH":
		title := args[0] + "(" + args[1] + ")"
		p.b.WriteString(spread(title, args[4], title) + "\n")
		p.foot = spread(args[3], args[2], title)
	case ".SH":
		p.more = 0
		p.b.WriteString("\n" + args[0] + "\n")
	case ".SS":
		p.more = 0
		p.b.WriteString("\n   " + args[0] + "\n")
	case ".PP":
		p.more = 0
	case ".TP":
		p.more, p.term = 0, true
	case ".IP":
		p.more, p.bullet = 2, "- "
	case ".RS":
		p.inset = 4
	case ".RE":
		p.inset, p.margin = 0, false
	case ".in":
		p.margin = true
	case ".nf":
		p.asIs = true
	case ".fi":
		p.asIs = false
	}
}

// put writes a line where it belongs.
func (p *plain) put(line string) {
	if !p.margin && line != "" {
		line = strings.Repeat(" ", plainIndent+p.more+p.inset) + line
	}
	p.b.WriteString(line + "\n")
}

// flush writes the collected paragraph.
func (p *plain) flush() {
	room := plainWidth - plainIndent - p.more
	for len(p.words) > 0 {
		line, n := p.words[0], 1
		for ; n < len(p.words) && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(p.words[n]) <= room; n++ {
			line += " " + p.words[n]
		}
		p.words = p.words[n:]
		p.more -= len(p.bullet)
		p.put(p.bullet + line)
		p.more, p.bullet = p.more+len(p.bullet), ""
	}
}

// spread puts three texts at the left, in the middle and at the right of a line.
func spread(left, middle, right string) string {
	gap := max(plainWidth-utf8.RuneCountInString(left+middle+right), 2)
	return left + strings.Repeat(" ", gap/2) + middle + strings.Repeat(" ", gap-gap/2) + right
}

// arguments returns those of a macro, which are quoted.
func arguments(s string) (out []string) {
	for i, part := range strings.Split(s, `"`) {
		if i%2 == 1 {
			out = append(out, unescape(part))
		}
	}
	return out
}

// unescape takes the escapes out of a text that roff and inline put there.
func unescape(s string) string {
	return strings.NewReplacer(`\fB`, "", `\fI`, "", `\fR`, "", `\e`, `\`, `\-`, "-", `\&`, "", `\(dq`, `"`).Replace(s)
}
