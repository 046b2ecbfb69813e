package form

import (
	"bytes"
	"cmp"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Imported is an imported plan, in another format or in this program's own.
type Imported struct {
	Form   Form
	Reason string // why this format was recognised
	Doubt  string // another possible format; empty if there is none
	Text   []byte
	Notes  []Note // the necessary changes, in the order of the text

	From []Place // the origin of each line of Text; nil if the text is unchanged

	Suspicious []plan.Weakness // lines at which a Markdown text in another format may hide tasks
}

// Place returns the origin of a line of an imported plan.
func (in *Imported) Place(line int) Place { return placeAt(in.From, line) }

// maxImport bounds the text: eight times a plan of 10,000 steps.
const maxImport = 16 << 20

// ImportFrom reads a plan from a file, a queue folder, or stdin if name is "-". It recognises the format if form is
// "", and removes a code fence around the whole.
func ImportFrom(name string, stdin io.Reader, form Form) (*Imported, error) {
	if info, err := os.Stat(name); name != "-" && err == nil && info.IsDir() {
		if form != "" && form != Queue {
			return nil, fault.New(fault.ErrForm, "%s is a folder, and so can only be a queue", name)
		}
		return importQueue(name)
	}
	if name == "-" {
		name = ""
	} else {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		stdin = file
	}
	text, err := io.ReadAll(io.LimitReader(stdin, maxImport+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxImport {
		return nil, fault.New(fault.ErrForm, "the text is longer than %d MiB, so it is not a plan", maxImport>>20)
	}
	// each line of which is reported
	utf16 := bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff"))
	if bytes.IndexByte(text, 0) >= 0 && !utf8.Valid(text) && !utf16 {
		return nil, fault.New(fault.ErrForm, "%s is not a text file", cmp.Or(name, "standard input"))
	}
	inner, above := Unwrapped(text)
	if above == 0 {
		return Import(name, text, form)
	}
	in, err := Import(name, InItsLines(inner, above), form)
	if err != nil {
		return in, err
	}
	in.Notes = append([]Note{{Place{Line: above}, "the code fence around the whole is left out"}}, in.Notes...)
	if in.From == nil { // unchanged
		in.Text = inner
		for line := range bytes.Count(inner, []byte("\n")) {
			in.From = append(in.From, Place{Line: line + above + 1})
		}
	}
	return in, nil
}

// Import converts a text into a plan in this program's own format. A text in that format is returned byte for byte,
// even with an error: a *ParseError with the lines of src, or a Fault of kind ErrForm. Nothing is dropped: text without
// an equivalent in the format stays as prose, with a note. The time is linear in the text.
func Import(name string, src []byte, form Form) (*Imported, error) {
	if problems := plan.TextProblems(src); len(problems) > 0 {
		return nil, &plan.ParseError{Problems: plan.InOrder(problems)}
	}
	in := &Imported{Form: form, Reason: "as asked for"}
	ext := strings.ToLower(filepath.Ext(name))
	switch yaml := ext == ".yaml" || ext == ".yml"; {
	case form != "" || !yaml && !likeJSON().Match(src) || isPlan(src): // reading it takes long, so it is last
	case yaml:
		in.Form, in.Reason = YAML, "its name ends so"
	default:
		in.Form, in.Reason = JSON, "it begins as JSON does"
	}
	switch in.Form {
	case JSON, YAML:
		return in.object(name, src)
	case Queue:
		return nil, fault.New(fault.ErrForm, "a queue is a folder, and this is a file")
	}
	return in.markdown(name, src)
}

// markdown reads a text in one of the forms of Markdown.
func (in *Imported) markdown(name string, src []byte) (*Imported, error) {
	front, problem := plan.ReadFront(src)
	if problem != nil {
		return nil, &plan.ParseError{Problems: []plan.Weakness{*problem}}
	}
	f := newOutline(src, front.Body)
	f.all = in.Form == Checklist
	if in.Form == "" {
		in.Form, in.Reason, in.Doubt = f.recognise()
	}
	if in.Form == Own {
		in.Text = src
		_, err := plan.Parse(src)
		return in, err
	}
	if err := f.foreignBoxes(); err != nil {
		return nil, err
	}
	d := &draft{}
	if in.Form == Ralphex {
		f.sections(d)
	} else {
		f.checklist(d, in.Form)
	}
	f.spread(d)
	for _, s := range f.segments {
		loose := slices.DeleteFunc(slices.Clone(s.items), func(i item) bool { return f.taken[i.line] })
		if len(loose) > 0 && (f.maySteps(s) || f.meaning(s) == "notes") {
			d.note(f.at(loose[0].line), "boxes that belong to no step stay as text: %d", len(loose))
		}
	}
	d.parallel()
	d.front = plan.ToLF(string(src[front.Inner.From:front.Inner.To]))
	in.Suspicious = f.hidden()
	d.reopen(in.Suspicious)
	if _, err := in.finish(d, name); err != nil {
		return nil, err
	}
	if end := plan.LineEnd(src); end != "\n" {
		in.Text = bytes.ReplaceAll(in.Text, []byte("\n"), []byte(end))
	}
	return in, nil
}

func isPlan(src []byte) bool {
	_, err := plan.Parse(src)
	return err == nil
}

// finish writes a draft.
func (in *Imported) finish(d *draft, name string) (*Imported, error) {
	if len(d.steps) == 0 {
		return nil, fault.New(fault.ErrForm, "found no steps, read as %s: a step is a box such as `- [ ] what to do`, or a section such as `### Task 1: what to do`", in.Form)
	}
	if !d.steps[0].own {
		d.title = titleWord().ReplaceAllString(d.title, "")
	}
	if d.title == "" {
		d.title = titleFrom(name, plan.PlainText(d.steps[0].title))
		d.note(Place{}, "there is no title; `%s` is used", plan.Shown(d.title))
	}
	var err error
	if in.Text, in.From, err = d.plan(); err != nil {
		return nil, err
	}
	slices.SortStableFunc(d.notes, func(a, b Note) int { return cmp.Or(cmp.Compare(a.File, b.File), a.Line-b.Line) })
	in.Notes = slices.Compact(d.notes)
	return in, nil
}

// titleWord matches what other forms write before a title.
var titleWord = visible.NewPattern(`^(?i:plan|tasks):\s+`)

// titleFrom makes a title from a file's name, or from its folder's if many files have that name.
func titleFrom(name, otherwise string) string {
	stem := func(path string) string {
		base := strings.TrimLeft(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), "0123456789-_. ")
		return strings.Join(strings.FieldsFunc(base, func(r rune) bool { return strings.ContainsRune("-_ .", r) }), " ")
	}
	title := stem(name)
	if slices.Contains([]string{"tasks", "task", "plan", "todo", "readme", "scope"}, strings.ToLower(title)) {
		title = stem(filepath.Dir(name))
	}
	return cmp.Or(title, otherwise, "An imported plan")
}

// likeJSON matches what begins as JSON does, and not as a link.
var likeJSON = visible.NewPattern(`^(?:\x{feff})?[ \t\r\n]*(?:\{|\[[ \t\r\n]*(?:[{"\[]|\](?:[^(]|$)))`)

// Unwrapped returns a text without the code fence that models put around a whole plan, and the number of lines above
// it; nil without such a fence. Fences inside may look like its end, so the last line has to close it.
func Unwrapped(text []byte) (inner []byte, above int) {
	m := wrapped().FindSubmatchIndex(text)
	if m == nil {
		return nil, 0
	}
	open, end := text[m[2]:m[3]], text[m[6]:m[7]]
	if open[0] != end[0] || len(end) < len(open) || isPlan(text) {
		return nil, 0
	}
	return text[m[4]:m[5]], bytes.Count(text[:m[4]], []byte("\n"))
}

var wrapped = visible.NewPattern("(?s)^\\s*(`{3,}|~{3,})[ \t]*(?i:markdown|md)?[ \t\r]*\n(.*\n|)[ \t]*(`{3,}|~{3,})\\s*$")

// InItsLines returns a fence's content at its old line numbers: empty lines replace those above.
func InItsLines(inner []byte, above int) []byte {
	empty := bytes.Repeat([]byte("\n"), above)
	first, rest, _ := bytes.Cut(inner, []byte("\n"))
	if plan.IsFence(first) {
		return slices.Concat(first, []byte("\n"), empty, rest)
	}
	return slices.Concat(empty, inner)
}
