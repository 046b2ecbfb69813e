package plan

import (
	"fmt"
	"strings"
	"testing"
)

// Keys of the front matter are read with their lines; anything except one key per line is refused.
func TestReadFront(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"# T\n", "0"}, {"---\nplan: p\nother: [a,\n  b]\n---\n# T\n", "32 plan=p@2 other=@3"}, {"\ufeff---\n---\nx", "11"},
		{"---\n# only a comment\n---\n", "25"}, {"---\nbranch: 'a b'\n---\n", "22 branch=a b@2"}, {"---\nplan: 12\nbase:\n---\n", "23 plan=12@2 base=@3"},
		{"---\nplan: p\n", "1 the front matter is not closed"}, {"---\n- a\n---\n", "2 front matter is one `key: value` a line"}, {"---\n{a: b}\n---\n", "2 front matter is one `key: value` a line"},
		{"---\nplan: a\nplan: b\n---\n", "3 `plan` is in the front matter twice"}, {"---\nplan: [a]\n---\n", "2 `plan` takes one word on its line"},
		{"---\n a: b\n---\n", "2 front matter is one `key: value` a line"}, {"---\n? a\n: b\n---\n", "2 front matter is one `key: value` a line"},
		{"---\ntags:\n- a\n- b\nbase: main # x\n---\n", "37 tags=@2 base=main@5"}, {"---\nplan: p\n  q\n---\n", "2 `plan` takes one word on its line"}, {"---\nplan: 'it''s' # c\n---\n", "2 `plan` takes one word on its line"},
		{"---\nbase: \"a\\tb\" c\n---\n", "2 `base` takes one word"}, {"---\nbase: |\n  x\n---\n", "2 `base` takes one word"}, {"---\nnote: |\n  plan: x\n---\n", "26 note=@2"}, {"---\nhttp://x\n---\n", "2 front matter is one"},
		{"---\nx: " + strings.Repeat("y", 70000) + "\n---\n", "2 the front matter is longer than 64 KiB"},
	} {
		f, problem := ReadFront([]byte(c.text))
		got := fmt.Sprint(f.Body)
		for _, k := range f.Keys {
			got += fmt.Sprintf(" %s=%s@%d", k.Name, f.Value(k.Name), NewDocument([]byte(c.text)).Line(k.Lines.From))
		}
		if problem != nil {
			got = fmt.Sprint(problem.Line, " ", problem.Text)
		}
		if got != c.want && (problem == nil || !strings.HasPrefix(got, c.want)) {
			t.Errorf("%.40q: %q, want %q", c.text, got, c.want)
		}
	}
}

// A key is set in its line, and every other byte stays.
func TestSetFrontKeys(t *testing.T) {
	for _, c := range []struct{ text, key, value, want string }{
		{"# T\n", "plan", "p", "---\nplan: p\n---\n\n# T\n"},
		{"---\nx: y # z\n---\n# T\n", "branch", "a/b", "---\nbranch: a/b\nx: y # z\n---\n# T\n"},
		{"---\nplan: p\nx: y\n---\n", "base", "main", "---\nplan: p\nbase: main\nx: y\n---\n"},
		{"---\r\nplan: p\r\n---\r\n", "plan", "q", "---\r\nplan: q\r\n---\r\n"},
		{"---\nplan: p\n---\n", "plan", "", "---\n---\n"}, {"---\nplan: p\n---\n", "plan", "p", "---\nplan: p\n---\n"}, {"# T\n", "base", "", "# T\n"},
		{"# T\n", "branch", "a b", "---\nbranch: \"a b\"\n---\n\n# T\n"},
		{"# T\n", "plan", "a\nb", `front matter: plan cannot be "a\nb"`},
		{"---\nplan: p\n", "plan", "q", "line 1: the front matter is not closed: write a line `---` after it, or remove the first line"},
	} {
		out, err := SetFront([]byte(c.text), c.key, c.value)
		got := string(out)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q with %s %q: %q, want %q", c.text, c.key, c.value, got, c.want)
		}
	}
}
