package plan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
)

// read returns a text with its blocks, after its front matter.
func read(t *testing.T, text string) *Document {
	t.Helper()
	front, problem := ReadFront([]byte(text))
	if problem != nil {
		t.Fatal(problem)
	}
	d := NewDocument([]byte(text))
	d.ReadBlocks(front.Body)
	return d
}

// Every offset has a line, and every block an end, with any line endings.
func TestLines(t *testing.T) {
	for _, text := range []string{"# T\n\nfirst\nline\n\n- [ ] a\n", "# T\r\n\r\nfirst\r\nline\r\n\r\n- [ ] a\r\n", "\ufeff# T\n\nfirst\nline\n\n- [ ] a"} {
		d := read(t, text)
		heading := d.Root.FirstChild()
		paragraph := heading.NextSibling()
		item := paragraph.NextSibling().FirstChild()
		line, box, ok := d.Boxed(item)
		at := BlockStart(paragraph)
		got := fmt.Sprintf("line %d, %q, up to %d; next line %d; box in %d, %q, %t; %q", d.Line(at), d.Paragraph(paragraph), d.Line(d.End(paragraph, len(d.Src))),
			d.Line(d.NextLine(at)), d.Line(line.From), box, ok, ToLF(d.Between(d.LineStart(at), d.End(paragraph, len(d.Src)))))
		if want := `line 3, "first line", up to 6; next line 4; box in 6, "a", true; "first\nline"`; got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
		if _, _, ok := d.Boxed(heading); ok {
			t.Error("a heading has a box")
		}
		if end := d.End(item, len(d.Src)); end != len(d.Src) {
			t.Errorf("%q: the item ends at %d", text, end)
		}
	}
}

// Headings of level 1 and 2 divide a text; deeper ones belong to their part.
func TestParts(t *testing.T) {
	d := read(t, "---\nplan: p\n---\n# T\nsummary\n\nSteps\n-----\n- [ ] a\n### deeper\n## End ##\n")
	var got []string
	for _, p := range d.Parts(2) {
		got = append(got, fmt.Sprintf("%d %d %s: %s", p.Line, p.Level, p.Title, d.Between(p.From, p.To)))
	}
	if text := strings.Join(got, "|"); text != "4 1 T: summary|7 2 Steps: - [ ] a\n### deeper|11 2 End: " {
		t.Errorf("the parts are %q", text)
	}
}

// Code and quotes are read verbatim.
func TestVerbatim(t *testing.T) {
	d := read(t, "```\na\n  b\n```\n\n> q\n> r\n")
	if code, quote := d.Verbatim(d.Root.FirstChild()), d.Verbatim(d.Root.LastChild()); code != "a\n  b" || quote != "q\nr" {
		t.Errorf("%q, %q", code, quote)
	}
}

// A fence or comment that swallows tasks is found, and one that contains an example is not.
func TestFindSwallowed(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"```\n- [ ] a\n", "1: the fence opened here is never closed and swallows `a` (line 2): write ``` after the code"},
		{"```\ncode\n", "warning 1: the fence opened here is never closed: write ``` after the code"},
		{"<!-- x\n- [ ] a\n", "1: the comment or HTML opened here is never closed and swallows `a` (line 2): write `-->` after it"},
		{"<div>\n- [ ] a\n", "1: the HTML that begins here goes on up to an empty line and swallows `a` (line 2): write an empty line before them"},
		{"```\n- [ ] a\n```go\n- [ ] b\n```\n", "1: the fence opened here is closed only in line 5 and swallows `a` (line 2), `b` (line 4): write ``` after the code"},
		{"```\n- [ ] a\n- [ ] b\n- [ ] c\n- [ ] d\n### Task 1: e\n", "1: the fence opened here is never closed and swallows `a` (line 2), `b` (line 3), `c` (line 4) and 2 more: write ``` after the code"},
		{"```\n- [ ] a\n```\n", ""}, {"```markdown\n### Task 1: a\n```\n", ""}, {"<!-- - [ ] a -->\n", ""}, {"plain\n", ""},
	} {
		d := read(t, c.text)
		d.FindSwallowed()
		var got []string
		for _, p := range d.Suspicious {
			got = append(got, fmt.Sprintf("%d: %s", p.Line, p.Text))
		}
		for _, p := range d.Warnings {
			got = append(got, fmt.Sprintf("warning %d: %s", p.Line, p.Text))
		}
		if text := strings.Join(got, "|"); text != c.want {
			t.Errorf("%q: %q, want %q", c.text, text, c.want)
		}
	}
}

// A line that looks like a task to a person and is text in Markdown is found, with a correction.
func TestFindUnread(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"[ ] a\n", notBox}, {"-[ ] a\n", notBox}, {"text\n    - [ ] a\n", notBox}, {"text\n\n    - [ ] a\n", "this box is code"},
		{"- [x]a\n", notBox}, {"- [-] a\n", notBox}, {"• [ ] a\n", notBox}, {"-\u00a0[ ] a\n", notBox},
		{"###Task 1: a\n", notHeading}, {"###\u00a0Task 1: a\n", notHeading},
		{"#42 fix\n", ""}, {"#tasks are fun\n", ""}, {"- [ ] a\n", ""}, {"- [link](x)\n", ""}, {"- []string\n", ""}, {"1990 was\n", ""},
	} {
		d := read(t, c.text)
		d.FindUnread(d.Root.FirstChild(), nil)
		got := ""
		if len(d.Suspicious) > 0 {
			got = d.Suspicious[0].Text
		}
		if !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// If a whole plan is fenced, the fence is named; the end of each block is known.
func TestUnclosedBlocks(t *testing.T) {
	fenced := "Here it is:\n\n```markdown\n# T\n\n## Steps\n- [ ] a\n```\n"
	if line := read(t, fenced).FencedPlan(); line != 3 {
		t.Errorf("the plan is fenced in line %d", line)
	}
	if line := read(t, "```\ncode\n```\n").FencedPlan(); line != 0 {
		t.Errorf("code is a plan in line %d", line)
	}
	for text, want := range map[string]string{"```\na\n": "```", "~~~~\na\n": "~~~~", "```\na\n```\n": "", "```": "```"} {
		d := read(t, text)
		if got := d.MissingFence(d.Root.FirstChild().(*ast.FencedCodeBlock)); got != want {
			t.Errorf("%q lacks %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{"<!-- a\n": "-->", "<!-- a -->\n": "", "<pre>\na\n": "</pre>", "<pre>\na</pre>\n": "", "<div>\n": "", "<?php\n": "?>"} {
		if got := MissingEnd(read(t, text), read(t, text).Root.FirstChild().(*ast.HTMLBlock)); got != want {
			t.Errorf("%q lacks %q, want %q", text, got, want)
		}
	}
}

// A binary file, or one with both sides of a merge, is refused for that reason.
func TestTextProblems(t *testing.T) {
	for text, want := range map[string]string{
		"# T\n": "", "\xff\xfe#": "1 UTF-16", "a\n\x00": "2 NUL", "\xc3": "1 invalid UTF-8", "a\rb\n": "1 a carriage return by itself",
		"a\n<<<<<<< x\nb\n=======\nc\n>>>>>>> y\n": "2 an unresolved conflict, down to line 6", "<<<<<<< x\n=======\n": "",
	} {
		problems := TextProblems([]byte(text))
		got := ""
		if len(problems) > 0 {
			got = fmt.Sprint(problems[0].Line, " ", problems[0].Text)
		}
		if line, what, _ := strings.Cut(want, " "); !strings.HasPrefix(got, line) || !strings.Contains(got, what) || want == "" && got != "" {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
