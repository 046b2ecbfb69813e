package plan

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/yuin/goldmark/ast"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// readFields reads the nested bullets of a step: its fields, and the boxes of its checklist.
func (d *reader) readFields(s *Step, item ast.Node) {
	seen := map[string]int{}
	for _, bullet := range Bullets(item) {
		s.At.Boxes = append(s.At.Boxes, d.Boxes(bullet)...)
		f, ok := FieldOf(d.Document, bullet)
		if !ok {
			d.notRun(bullet)
			continue
		}
		s.At.fields = append(s.At.fields, bullet.FirstChild().Lines().At(0).Start)
		if f.Name == "" {
			if near := misspelt(f.key, fieldNames); near != "" && !strings.HasSuffix(f.key, `\`) { // an import makes text of it
				d.Warn(f.Line, "`%s` is not a field, and only text for the session; did you mean %s?", Shown(f.key), strings.ToUpper(near[:1])+near[1:])
			}
			continue
		}
		if first := seen[f.Name]; first > 0 && !AddsUp(f.Name) {
			d.Problem(f.Line, "field", "a second %s (the first is in line %d): keep one", strings.ToUpper(f.Name[:1])+f.Name[1:], first)
			continue
		}
		seen[f.Name] = f.Line
		d.readField(s, f)
	}
	s.At.needs = seen["needs"]
	s.Do, d.do = JoinText(d.do), d.do[:0]
}

// notRun warns of commands below a box of the checklist.
func (d *reader) notRun(box ast.Node) {
	for _, bullet := range Bullets(box) {
		f, _ := FieldOf(d.Document, bullet)
		if (f.Name == "check" || f.Name == "run") && CommandOf(f.Value) != "" {
			d.Warnings = append(d.Warnings, Weakness{Line: f.Line, Rule: "no-check", Error: true,
				Text: "nothing runs this, since it is below a box of the checklist: " + f.Value,
				Fix:  "move it to the step, or make the box a step"})
		}
		d.notRun(bullet)
	}
}

// AddsUp reports whether a step may have a field several times.
func AddsUp(name string) bool {
	return name == "files" || name == "do" || name == "check" || name == "needs"
}

// Bullets returns the items of the lists in a block.
func Bullets(block ast.Node) (out []ast.Node) {
	for n := block.FirstChild(); n != nil; n = n.NextSibling() {
		if n.Kind() == ast.KindList {
			out = append(out, Items(n)...)
		}
	}
	return out
}

// Items returns the items of a list.
func Items(list ast.Node) (out []ast.Node) {
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		out = append(out, item)
	}
	return out
}

// Boxes returns the offsets between the brackets of the boxes of an item and of the lists in it, or in a document.
func (d *Document) Boxes(block ast.Node) (out []int) {
	if _, isItem := block.(*ast.ListItem); isItem {
		if line, _, ok := d.Boxed(block); ok {
			out = append(out, line.From+1)
		}
	}
	for _, bullet := range Bullets(block) {
		out = append(out, d.Boxes(bullet)...)
	}
	return out
}

func (d *reader) readField(s *Step, f Field) {
	switch f.Name {
	case "files":
		files := d.files(f)
		s.Files = append(s.Files, files...)
		if Normalize(f.key) == "files to create" {
			s.Creates = append(s.Creates, files...)
		}
	case "do":
		d.do = append(d.do, d.prose(f, s.At.Item.To))
	case "action":
		if action := strings.ToLower(strings.Trim(f.Value, "`*. ")); action == "create" || action == "modify" || action == "delete" {
			s.Action = action
		}
	case "run":
		s.Run = d.run(f)
	case "check":
		s.Checks = append(s.Checks, checkItems(f.Value, f.Line)...)
		s.Checks = append(s.Checks, d.checksIn(f.Item.FirstChild().NextSibling(), nil)...)
	case "needs":
		s.Needs = append(s.Needs, d.needs(f)...)
	case "agent":
		s.Agent = d.argument(f)
	case "model":
		s.Model = d.argument(f)
	case "effort":
		s.Effort = d.argument(f)
	case "timeout":
		s.Timeout = cmp.Or(CommandOf(f.Value), f.Value)
		if t, err := time.ParseDuration(s.Timeout); err != nil || t <= 0 {
			d.Problem(f.Line, "field", "Timeout is not a duration: `%s`; write 30m or 1h30m, for example", Shown(f.Value))
		}
	case "attempts":
		n, err := strconv.Atoi(cmp.Or(CommandOf(f.Value), f.Value))
		if err != nil || n < 1 {
			d.Problem(f.Line, "field", "Attempts is not a number from 1 up: `%s`", Shown(f.Value))
		}
		s.Attempts = n
	case "estimate":
		s.Estimate = f.Value
	case "for":
		s.For = f.Value
	case "ask":
		answer := strings.ToLower(strings.Trim(f.Value, "`*. "))
		if s.Ask = answer == "yes"; !s.Ask && answer != "no" {
			d.Warn(f.Line, "Ask is neither yes nor no: `%s`; only yes lets the session stop with a question", Shown(f.Value))
		}
	case "status":
		d.readStatus(s, f)
	}
}

// argument returns a value that is passed as one word of an agent's command line, without blanks or a leading hyphen.
func (d *reader) argument(f Field) string {
	value := cmp.Or(CommandOf(f.Value), f.Value)
	if strings.HasPrefix(value, "-") || strings.ContainsAny(value, "\t\n") || strings.Contains(value, " -") {
		d.Problem(f.Line, "field", "no word of this may begin with a hyphen, as an option would: `%s`", Shown(value))
	}
	return value
}

var (
	// besidePath matches line numbers: a.go:12-20, a.go#L3-L9, a.go (lines 3-9).
	besidePath = visible.NewPattern(`(?i)(?::\d+(?:[-–:]\d+)*(?:,\s*\d+(?:[-–]\d+)?)*|#L\d+(?:-L?\d+)?|\s+\(?lines?\s+\d+(?:\s*[-–,&]\s*\d+)*\)?)([\s,;` + "`" + `]|$)`)
	backslash  = visible.NewPattern(`\\([A-Za-z0-9])`) // no escape, but as Windows writes paths
	beforePath = visible.NewPattern(`^(?i:create|modify|test|update|delete|edit|add):\s+`)
)

// files returns the paths in a field and the bullets under it, without line numbers: the code spans, as in "`a.go`
// (new)", or if there are none, the words between commas.
func (d *reader) files(f Field) (out []string) {
	for _, text := range d.texts(f) {
		_, text, _ = CutBox(text)
		if strings.ContainsAny(text, `:#\`) || strings.Contains(strings.ToLower(text), "line") {
			text = backslash().ReplaceAllString(besidePath().ReplaceAllString(text, "$1"), "/$1")
		}
		for _, item := range SplitOutsideCode(text, ",;") {
			if codes := CodeContents(item); len(codes) > 0 {
				out = append(out, strings.Split(strings.Join(codes, ", "), ", ")...) // `src/**, test/**` are two
				continue
			}
			item = beforePath().ReplaceAllString(strings.TrimSpace(item), "")
			if at := strings.Index(item, " ("); at > 0 && strings.HasSuffix(item, ")") {
				item = item[:at]
			}
			if item != "" && !strings.EqualFold(item, "none") {
				out = append(out, item)
			}
		}
	}
	return out
}

// prose returns a value with everything nested under it, indented as its first line.
func (d *reader) prose(f Field, limit int) string {
	first := f.Item.FirstChild()
	if first.NextSibling() == nil && first.Lines().Len() == 1 {
		return f.Value
	}
	lines := strings.Split(ToLF(d.Between(f.From, d.End(f.Item, limit))), "\n")
	lines[0] = strings.TrimLeft(lines[0], "*_ \t")
	indent := -1
	for _, line := range lines[1:] {
		if bare := strings.TrimLeft(line, " "); bare != "" && (indent < 0 || len(line)-len(bare) < indent) {
			indent = len(line) - len(bare)
		}
	}
	for i, line := range lines[1:] {
		lines[i+1] = line[min(max(indent, 0), len(line)):]
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// run reads the command of the field Run: a code span or a fence, so that prose is never run by mistake.
func (d *reader) run(f Field) string {
	nested := f.Item.FirstChild().NextSibling()
	command := CommandOf(f.Value)
	if fence, ok := nested.(*ast.FencedCodeBlock); ok && f.Value == "" && fence.NextSibling() == nil {
		command = d.Verbatim(fence)
	} else if nested != nil {
		command = ""
	}
	if command == "" {
		d.Problem(f.Line, "field",
			"Run is not one command in backticks: write - Run: `command`, or Do for what a session is to do")
	}
	return command
}

// readStatus reads `word - reason` in one line, since approval does not cover that line.
func (d *reader) readStatus(s *Step, f Field) {
	first := f.Item.FirstChild()
	at := first.Lines().At(0).Start
	line := Span{From: d.LineStart(at), To: d.NextLine(at)}
	marker := strings.TrimLeft(d.Text[line.From:at], " \t")
	if first.Lines().Len() > 1 || first.NextSibling() != nil || len(strings.Fields(marker)) != 1 {
		d.Problem(f.Line, "field", "Status is one line with nothing under it: move the rest to a bullet of its own")
		return
	}
	status, ok := parseStatus(f.Value)
	if !ok {
		d.Problem(f.Line, "field", "Status is not one of blocked, skipped, reopened: `%s`; what is done is said by the box", Shown(f.Value))
		return
	}
	s.Status = status
	s.At.Status = line
}

func parseStatus(value string) (StepStatus, bool) {
	rest := strings.TrimLeftFunc(value, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' })
	word := strings.ToLower(strings.TrimSuffix(value, rest))
	return StepStatus{Word: word, Reason: strings.TrimLeft(rest, " \t-–—:,")}, word == "blocked" || word == "skipped" || word == "reopened"
}

// MinutesOf reads an estimate such as 45, 45 min, 1.5h or 1h30m, in minutes; 0 if it is not an estimate.
func MinutesOf(s string) int {
	s = units.Replace(strings.ToLower(strings.Trim(s, "~. ")))
	if n, err := strconv.Atoi(s); err == nil {
		return max(n, 0)
	}
	d, _ := time.ParseDuration(s)
	return int(d.Minutes())
}

var units = strings.NewReplacer(" ", "", "hours", "h", "hour", "h", "minutes", "m", "minute", "m", "mins", "m", "min", "m")

// reader reads the steps and sections of a document.
type reader struct {
	*Document
	rules, do []string // the texts so far of the plan's Rules, and of the field Do of the present step
}

// Field is a nested bullet `Key: value` of a step.
type Field struct {
	key   string // the key as written, without emphasis
	Name  string // the field's name in lower case, also for an alias; "" for an unknown key
	Value string // the text from the colon to the end of the paragraph
	Line  int
	Item  ast.Node
	From  int // the offset of the value in the source
}

// FieldOf reads a bullet as a field; ok is false unless it begins with text and no box, Name is "" for other keys.
func FieldOf(d *Document, bullet ast.Node) (f Field, ok bool) {
	paragraph, isParagraph := bullet.FirstChild().(*ast.Paragraph)
	if !isParagraph {
		return f, false
	}
	text := d.Paragraph(paragraph)
	if _, _, boxed := CutBox(text); boxed {
		return f, false
	}
	f.Item = bullet
	f.Line = d.Line(paragraph.Lines().At(0).Start)
	key, value, found := strings.Cut(text, ":")
	const longest = len("**Files to modify**") + 5
	if !found || len(key) > longest {
		return f, true
	}
	bare := strings.TrimLeft(key, "*_")
	marks := key[:len(key)-len(bare)]
	if closed := strings.TrimRight(bare, "*_ \t"); len(closed) < len(strings.TrimRight(bare, " \t")) {
		bare = closed
	} else {
		value = strings.TrimPrefix(value, marks)
	}
	f.key, f.Name = bare, FieldName(bare)
	f.Value = strings.TrimSpace(value)
	at := paragraph.Lines().At(0).Start
	f.From = at + strings.IndexByte(d.Text[at:], ':') + 1
	return f, true
}

// texts returns the value of a field and the bullets under it, the first paragraph of each.
func (d *reader) texts(f Field) []string {
	out := []string{f.Value}
	for _, bullet := range Bullets(f.Item) {
		if paragraph, ok := bullet.FirstChild().(*ast.Paragraph); ok {
			out = append(out, d.Paragraph(paragraph))
		}
	}
	return out
}

// checksIn reads the checks in the blocks from first to before last: paragraphs and bullets, separated by ";". Code
// blocks and quotes are prose and HTML is skipped, so none of them is ever run.
func (d *reader) checksIn(first, last ast.Node) []Check {
	var out []Check
	for n := first; n != nil && n != last; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Paragraph:
			text := d.Paragraph(n)
			if _, rest, ok := CutBox(text); ok {
				text = rest
			}
			out = append(out, checkItems(text, d.Line(n.Lines().At(0).Start))...)
		case *ast.List:
			for _, item := range Items(n) {
				out = append(out, d.checksIn(item.FirstChild(), nil)...)
			}
		case *ast.FencedCodeBlock, *ast.CodeBlock, *ast.Blockquote:
			if prose := d.Verbatim(n); prose != "" {
				out = append(out, Check{Text: prose, Line: d.Line(BlockStart(n))})
			}
		}
	}
	return out
}

// checkItems splits a text into checks at each ";" outside of code spans.
func checkItems(text string, line int) []Check {
	var out []Check
	for _, item := range SplitOutsideCode(text, ";") {
		if item = strings.TrimSpace(item); item != "" {
			out = append(out, Check{Text: item, Command: CommandOf(item), Line: line})
		}
	}
	return out
}
