package share

import (
	"errors"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// A single step can be edited: it can be changed, split and dropped, every other byte stays, and errors have
// the excerpt's line numbers.
func TestExcerpt(t *testing.T) {
	src := []byte("# P\r\n\r\n## Steps\r\n\r\n- [ ] One {#one}\r\n- [x] Two {#two}\r\n\r\n  text\r\n\r\n- [ ] Three {#three}\r\n  - Needs: #one\r\n\r\n## Notes\r\n")
	text, put, err := Excerpt(src, "two")
	if err != nil || string(text) != "- [x] Two {#two}\r\n\r\n  text\r\n" {
		t.Fatalf("%q, %v", text, err)
	}
	for typed, want := range map[string]string{
		string(text):                          string(src),
		"- [x] Two {#two}\r\n\r\n  text":      string(src),
		"- [ ] 2a {#two}\n- [ ] 2b {#more}\n": strings.Replace(string(src), string(text)+"\r\n", "- [ ] 2a {#two}\n- [ ] 2b {#more}\r\n\r\n", 1),
		"\n":                                  strings.Replace(string(src), string(text)+"\r\n", "", 1),
	} {
		if got, err := put([]byte(typed)); err != nil || string(got) != want {
			t.Errorf("%q: %q, %v", typed, got, err)
		}
	}
	_, err = put([]byte("- [ ] Two {#two}\n  - Needs: #gone\n"))
	var wrong *plan.ParseError
	if !errors.As(err, &wrong) || wrong.Problems[0].Line != 2 {
		t.Errorf("%v", err)
	}
	if _, _, err := Excerpt(src, "four"); !errors.Is(err, fault.ErrUnknownStep) {
		t.Error(err)
	}
}

func TestMergeTyped(t *testing.T) {
	plan := func(one, two, first, second string) []byte {
		return []byte("# P\n\n## Steps\n\n- [" + one + "] One {#one}\n  - Do: " + first + "\n- [" + two + "] Two {#two}\n  - Do: " + second + "\n")
	}
	base := plan(" ", " ", "a", "b")
	for _, c := range []struct {
		typed, current, want []byte
		refused              string
	}{
		{plan(" ", " ", "A", "b"), plan(" ", " ", "a", "B"), plan(" ", " ", "A", "B"), ""},
		{plan(" ", " ", "A", "b"), plan("x", " ", "a", "b"), plan("x", " ", "A", "b"), ""}, // ticked by the program meanwhile
		{plan(" ", "x", "a", "b"), plan("x", " ", "a", "B"), plan("x", "x", "a", "B"), ""},
		{plan(" ", " ", "A", "b"), plan(" ", " ", "Z", "b"), nil, "step one changed in the plan while you typed"},
	} {
		got, err := mergeEdit(base, c.typed, c.current)
		if string(got) != string(c.want) || (err == nil) != (c.refused == "") || err != nil && !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%s\nmerged with\n%s\nis\n%s, %v", c.typed, c.current, got, err)
		}
	}
}
