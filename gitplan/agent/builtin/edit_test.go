package builtin

import (
	"fmt"
	"strings"
	"testing"
)

// TestEdit: what an edit changes, or why it fails.
func TestEdit(t *testing.T) {
	const code = "func f() {\n\tif x {\n\t\treturn 1\n\t}\n\treturn 2\n}\n"
	cases := []struct {
		name, content, old, new string
		all                     bool
		want                    string // the text; or after "!" a part of the error
	}{
		{name: "exact", content: code, old: "return 2", new: "return 3", want: strings.Replace(code, "return 2", "return 3", 1)},
		{name: "part of a line", content: "abc", old: "b", new: "", want: "ac"},
		{name: "twice", content: "a\nb\na\n", old: "a", new: "c", want: "!occurs 2 times, in lines 1, 3"},
		{name: "twice, all", content: "a\nb\na\n", old: "a", new: "c", all: true, want: "c\nb\nc\n"},
		{name: "empty old", content: "a", old: "", new: "c", want: "!old is empty"},
		{name: "nothing to do", content: "a", old: "a", new: "a", want: "!the same"},
		{name: "blanks at line ends", content: "a  \nb\t\nc\n", old: "a\nb\n", new: "x\n", want: "x\nc\n"},
		{name: "one indentation less", content: code, old: "if x {\n\treturn 1\n}", new: "if y {\n\treturn 9\n}",
			want: strings.NewReplacer("if x", "if y", "return 1", "return 9").Replace(code)},
		{name: "one indentation more", content: "a:\n  b: 1\n", old: "    a:\n      b: 1", new: "    a:\n      b: 2", want: "a:\n  b: 2\n"},
		{name: "indentations that differ", content: "a\n  b\n", old: "  a\n  b", new: "x", want: "!does not occur"},
		{name: "two places but for blanks", content: "\ta\n\tb\n--\n\t\ta\n\t\tb\n", old: "  a\n  b", new: "x", want: "!does not occur"},
		{name: "two places shifted", content: "\ta\n\tb\n--\n\t\ta\n\t\tb\n", old: "a\nb", new: "x", want: "!in 2 places"},
		{name: "never blank lines only", content: "a\n \n\nb\n", old: "\t\n\t", new: "x", want: "!does not occur"},
		{name: "made already", content: "a\nnew line\nand another\n", old: "the line of old", new: "new line\nand another", want: "!seems to be made"},
		{name: "a line that is there anyway", content: "if x {\n}\n", old: "if y == nil {", new: "}", want: "!read the file again"},
		{name: "as read_file shows it", content: "a\n\tb\nc\n", old: "2|\tb\n3|c", new: "2|\tx\n3|c", want: "a\n\tx\nc\n"},
		{name: "as the prompt shows it", content: "a\n\nb\nc\n", old: "| a\n| \n| b", new: "| a\n| x", want: "a\nx\nc\n"},
		{name: "a table", content: "| a | b |\n", old: "| a | b |", new: "| a | c |", want: "| a | c |\n"},
		{name: "a blank too many", content: "one\nfunc f(a,  b int) {\n", old: "func f(a, b int) {", new: "x", want: "!the closest lines are\n2|func f"},
		{name: "the closest lines", content: "one\ntwo\nthree\nfour\n", old: "one\ntwo\nthr33", new: "x", want: "!the closest lines are\n1|one\n2|two\n3|three"},
		{name: "nothing alike", content: "one\n", old: "else", new: "x", want: "!read the file again"},
		{name: "Windows line ends", content: "a\r\nb\r\n", old: "a\nb", new: "a\nx\nb", want: "a\r\nx\r\nb\r\n"},
		{name: "Windows line ends, given so", content: "a\r\nb\r\n", old: "a\r\nb", new: "a\r\nx", want: "a\r\nx\r\n"},
		{name: "both kinds, the others stay", content: "a\r\nb\nc\r\nd\r\n", old: "c\nd", new: "c\nx", want: "a\r\nb\nc\r\nx\r\n"},
		{name: "byte order mark", content: "\uFEFFa\n", old: "a", new: "b", want: "\uFEFFb\n"},
		{name: "no line end at the end", content: "a\nb", old: "b", new: "c\n", want: "a\nc\n"},
		{name: "delete lines", content: "a\n\tb\nc\n", old: "    b\n", new: "", want: "!does not occur"},
		{name: "delete shifted lines", content: "a\n\tb\nc\n", old: "b  \n", new: "", want: "a\nc\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := edit(c.content, c.old, c.new, c.all)
			if why, fails := strings.CutPrefix(c.want, "!"); fails {
				if err == nil || !strings.Contains(err.Error(), why) {
					t.Errorf("got %q, %v", got.text, err)
				}
			} else if err != nil || got.text != c.want {
				t.Errorf("got %q, %v", got.text, err)
			}
		})
	}
}

// TestAnswerOfAnEdit: a model sees where its change begins, with surrounding lines, and not its whole text again.
func TestAnswerOfAnEdit(t *testing.T) {
	w := tree(t, map[string]string{"a": strings.Repeat("before\n", 10) + "here\n" + strings.Repeat("after\n", 10)})
	callTool(t, w, "read_file", `{"path":"a"}`)
	new := ""
	for n := range 60 {
		new += fmt.Sprintf(`new %d\n`, n)
	}
	got := callTool(t, w, "edit_file", `{"path":"a","old":"here\n","new":"`+new+`"}`)
	want := "8|before\n9|before\n10|before\n"
	for n := range 17 {
		want += fmt.Sprintf("%d|new %d\n", n+11, n)
	}
	want += "[lines 28 to 73 are not shown]\n"
	if got != "edited a (1 replaced)\n"+want {
		t.Error(got)
	}
	got = callTool(t, w, "edit_file", `{"path":"a","old":"new 3\n","new":""}`)
	if want := "edited a (1 replaced)\n11|new 0\n12|new 1\n13|new 2\n14|new 4\n15|new 5\n16|new 6\n17|new 7\n"; got != want {
		t.Error(got)
	}
}

// FuzzEdit: a successful edit puts the new text where the old one was.
func FuzzEdit(f *testing.F) {
	f.Add("a\nb\n", "a", "c")
	f.Add("\ta\r\n\tb\r\n", "a\nb", "c")
	f.Fuzz(func(t *testing.T, content, old, new string) {
		e, err := edit(content, old, new, false)
		if err != nil {
			return
		}
		if strings.Count(content, old) == 1 && !strings.Contains(content+old+new, "\r") && !strings.Contains(content+old+new, "\uFEFF") &&
			e.text != strings.Replace(content, old, new, 1) {
			t.Errorf("%q", e.text)
		}
		_ = around(e.text, e)
	})
}
