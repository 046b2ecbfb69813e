package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// RuleUnread is a line that a person takes for a task and Markdown for text,
// RuleSwallowed a fence or comment that makes text of tasks.
const (
	RuleUnread    = "unread"
	RuleSwallowed = "swallowed"
)

// Unread notes a line that looks like a task and is none.
func (d *Document) Unread(line int, why string) {
	d.Careless = append(d.Careless, Problem{line, RuleUnread, why})
}

// FindUnread looks for such lines in the blocks from first up to, not including, last. It
// skips quotes, which are not meant for this plan.
func (d *Document) FindUnread(first, last ast.Node) {
	for n := first; n != nil && n != last; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.List, *ast.ListItem:
			d.FindUnread(n.FirstChild(), nil)
		case *ast.CodeBlock:
			d.findUnreadCode(n)
		case *ast.Paragraph:
			_, inItem := n.Parent().(*ast.ListItem)
			for i := range n.Lines().Len() {
				segment := n.Lines().At(i)
				text := strings.TrimLeft(d.Text[segment.Start:segment.Stop], " \t")
				if why := looksLikeTask(text, i == 0 && inItem && n.PreviousSibling() == nil); why != "" {
					d.Unread(d.Line(segment.Start), why)
				}
			}
		}
	}
}

// findUnreadCode looks for boxes that are code, as four blanks are before them.
func (d *Document) findUnreadCode(n *ast.CodeBlock) {
	for i := range n.Lines().Len() {
		text := d.Segment(n.Lines().At(i))
		if _, rest := cutBullet(text); len(rest) < len(text) && strings.HasPrefix(rest, " ") {
			if _, _, ok := CutBox(strings.TrimLeft(rest, " ")); ok {
				d.Unread(d.Line(n.Lines().At(i).Start), "this box is code, since it is indented by four spaces or more: indent it less")
			}
		}
	}
}

// looksLikeTask returns why a line of a paragraph is no box or heading of a task, though it
// looks like one; "" if it does not. bulleted says that a bullet precedes it.
func looksLikeTask(text string, bulleted bool) string {
	if text == "" || text[0] < utf8.RuneSelf && strings.IndexByte("-*+[#0123456789", text[0]) < 0 {
		return ""
	}
	plain := plainSpaces(text)
	if bulleted {
		return unlikeBox(text, plain)
	}
	if marks := len(plain) - len(strings.TrimLeft(plain, "#")); marks > 0 {
		return unlikeHeading(text[marks:], plain[marks:])
	}
	bullet, rest := cutBullet(plain)
	bare := strings.TrimLeft(rest, " \t")
	_, _, boxed := CutBox(bare)
	switch {
	case bullet == "" && boxed && plain != text:
		return unlikeBox(text, plain)
	case bullet == "" && boxed:
		return "there is no dash before the box, so it is text: write `- [ ] `"
	case bullet == "":
		return ""
	case boxed && bare == rest:
		return "a space is missing after the dash, so this is not a step but text of the item above: write `- [ ] `"
	case boxed && plain != text:
		return oddSpace(text, "a box") + ": write `- [ ] ` with plain spaces"
	case boxed && strings.IndexByte("-*+0123456789", bullet[0]) < 0:
		return "`" + Shown(bullet) + "` is not a bullet in Markdown, so the box is text: write `- [ ] `"
	case boxed:
		return "this box is text of the paragraph above: write an empty line before it, and indent it by less than four spaces"
	}
	return unlikeBox(text[len(text)-len(bare):], bare)
}

// unlikeBox returns why the text after a bullet is no box, though meant as one, or "".
func unlikeBox(text, plain string) string {
	if _, _, ok := CutBox(text); ok {
		return ""
	}
	if _, _, ok := CutBox(plain); ok {
		return oddSpace(text, "a box") + ": write `[ ] ` with plain spaces"
	}
	return NearBox(plain)
}

// NearBox returns what is wrong with a text that nearly begins with a box, or "".
func NearBox(text string) string {
	inner, rest, found := strings.Cut(strings.TrimPrefix(text, "["), "]")
	if !found || !strings.HasPrefix(text, "[") {
		return ""
	}
	mark := visible.Latin(strings.TrimSpace(inner))
	r, _ := utf8.DecodeRuneInString(rest)
	switch {
	case (inner == " " || strings.EqualFold(inner, "x")) && (unicode.IsLetter(r) || r == '*' || r == '`' || r == 0xa0):
		return "a space is missing after the box: write `[" + Shown(inner) + "] `"
	case rest != "" && !unicode.IsSpace(r):
	case mark == "" || strings.EqualFold(mark, "x") || isSign(mark):
		return "`[" + Shown(inner) + "]` is not a box: write `[ ]` for a step that is open, `[x]` for one that is done"
	}
	return ""
}

// unlikeHeading returns why the text after the marks of a heading is none, or "".
func unlikeHeading(text, plain string) string {
	title := strings.TrimLeft(plain, " \t")
	if title == "" || title == text {
		if NumberOf(title).Word == "" {
			return "" // #42 fix
		}
		return "a space is missing after the `#`, so this is text, not a heading"
	}
	if title != plain && text[0] >= utf8.RuneSelf {
		return oddSpace(text, "a heading") + ": write `### ` with a plain space"
	}
	return ""
}

// cutBullet splits a line after its bullet or number. Signs that other programs write as
// bullets count too.
func cutBullet(text string) (bullet, rest string) {
	r, width := utf8.DecodeRuneInString(text)
	if strings.ContainsRune("-*+•‣◦●○▪–—−·", r) {
		return text[:width], text[width:]
	}
	digits := strings.TrimLeft(text, "0123456789")
	if len(digits) < len(text) && digits != "" && (digits[0] == '.' || digits[0] == ')') {
		at := len(text) - len(digits) + 1
		return text[:at], text[at:]
	}
	return "", text
}

// plainSpaces returns a text with a blank for each space that Markdown takes for a letter.
func plainSpaces(text string) string {
	if strings.IndexFunc(text, oddSpaceRune) < 0 {
		return text
	}
	return strings.Map(func(r rune) rune {
		if oddSpaceRune(r) {
			return ' '
		}
		return r
	}, text)
}

func oddSpaceRune(r rune) bool { return r >= utf8.RuneSelf && unicode.Is(unicode.Zs, r) }

// oddSpace returns a sentence about the first such space of a text.
func oddSpace(text, what string) string {
	at := strings.IndexFunc(text, oddSpaceRune)
	r, _ := utf8.DecodeRuneInString(text[at:])
	name := "a space"
	if r == 0xa0 || r == 0x202f {
		name = "a no-break space"
	}
	return name + " (" + codePoint(r) + ") keeps this from being " + what
}

func codePoint(r rune) string {
	const digits = "0123456789ABCDEF"
	return "U+" + string([]byte{digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15]})
}
