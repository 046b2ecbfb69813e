package plan

import (
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/git-plan/git-plan/gitplan/markdown"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// A key or a heading that is a slip away from one with a meaning is only text, and nothing
// under it is run: whoever wrote it hears of that.

// warnMisspelt warns of a key that is one slip away from the name of a field, and so is only
// text for the session. Short names are left out: they have too many neighbours, as Ask has
// Task. A name without its colon right before code counts as a slip.
func (d *reader) warnMisspelt(f Field) {
	const shortest = 4
	key, code, _ := strings.Cut(d.Paragraph(f.Item.FirstChild()), " `")
	if slices.Contains([]string{"check", "checks", "files", "needs"}, markdown.Words(key)) && strings.HasSuffix(code, "`") {
		d.Warn(f.Line, "`%s` has no colon, and so is only text for the session: did you mean `%[1]s:`?", markdown.Shown(key))
		return
	}
	if plain, ok := lookalikeKey(d.Paragraph(f.Item.FirstChild())); ok {
		d.Unread(f.Line, otherSign(d.Paragraph(f.Item.FirstChild()))+", so this is not a field, but only text for the session: write `"+plain+":`")
		return
	}
	key = markdown.Words(visible.Latin(f.key))
	if len(key) < shortest || strings.HasSuffix(key, `\`) { // a backslash says that no field is meant
		return
	}
	meant := ""
	for _, n := range fieldNames {
		if len(n[0]) >= shortest && markdown.Near(n[0], key, 1) {
			meant = n[0]
			break
		}
	}
	if meant == "" && markdown.Near("depends", key, 1) {
		meant = "depends on"
	}
	if meant != "" {
		d.Warn(f.Line, "`%s` is not a field, but only text for the session: did you mean %s?", markdown.Shown(f.key), markdown.Title(meant))
	}
}

// warnUnlisted warns of lines of a step's text that are fields but for the bullet: a command in
// one is not run. first says that the first line is something else: a title, or a field.
func (d *reader) warnUnlisted(text ast.Node, first bool) {
	if text.Kind() != ast.KindParagraph && text.Kind() != ast.KindTextBlock {
		return
	}
	for i := range text.Lines().Len() {
		line := text.Lines().At(i)
		key, value, found := strings.Cut(d.Src[line.Start:line.Stop], ":")
		if i == 0 && first || !found || !strings.HasPrefix(strings.TrimLeft(value, "*_ \t"), "`") {
			continue
		}
		if name := FieldName(strings.Trim(key, "*_ \t")); slices.Contains([]string{"check", "files", "needs", "run"}, name) {
			d.Warn(d.Line(line.Start), "`%s` is not in a bullet, and so is only text for the session: write `- %[1]s`", markdown.Shown(strings.Trim(key, "*_ \t")+":"))
		}
	}
}

// warnSection warns of a heading that is a slip away from one with a meaning: nothing under
// it is run. A section of steps is only meant if it has boxes.
func (d *reader) warnSection(part markdown.Part, body string) {
	if folded := visible.Latin(part.Title); SectionMeaning(folded) != "" {
		d.Unread(part.Line, otherSign(part.Title)+", so it is only context for the sessions: write `"+markdown.Shown(folded)+"`")
		return
	}
	if meant := meantSection(part.Title, body); meant != "" {
		d.Warn(part.Line, "`%s` is only context for the sessions: did you mean %s?", markdown.Shown(part.Title), markdown.Title(meant))
	}
}

// meantSection returns the heading with a meaning that another heading nearly is, or "".
func meantSection(heading, body string) string {
	name := markdown.Words(strings.TrimSuffix(visible.Latin(heading), ":"))
	if name == "roles" {
		return "" // a word of its own
	}
	for _, n := range sectionNames {
		const long = 7 // letters, from where on two slips are likelier than another word
		most := 1
		if len(n[0]) > long {
			most = 2
		}
		if markdown.Near(n[0], name, most) && (n[1] != "steps" || strings.Contains(body, "[ ]")) {
			return n[0]
		}
	}
	return ""
}
