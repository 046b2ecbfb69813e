package plan

import (
	"fmt"
	"strings"
	"testing"
)

// table compares a function's results for texts with the expected ones.
func table(t *testing.T, of func(string) string, rows [][2]string) {
	t.Helper()
	for _, row := range rows {
		if got := of(row[0]); got != row[1] {
			t.Errorf("%q gives %q, want %q", row[0], got, row[1])
		}
	}
}

func TestCutBox(t *testing.T) {
	table(t, func(s string) string {
		ticked, rest, ok := CutBox(s)
		return fmt.Sprint(ok, " ", ticked, " ", rest)
	}, [][2]string{
		{"[ ] a", "true false a"}, {"[x] a", "true true a"}, {"[X]\ta", "true true a"}, {"[ ]", "true false "},
		{"[]  a", "false false []  a"}, {"[x]a", "false false [x]a"}, {"[-] a", "false false [-] a"}, {"a [ ] b", "false false a [ ] b"},
	})
}

func TestCutID(t *testing.T) {
	table(t, func(s string) string {
		title, id, ok := CutID(s)
		return fmt.Sprint(title, "|", id, "|", ok)
	}, [][2]string{
		{"Add it {#add}", "Add it|add|true"}, {"Add it", "Add it||false"}, {"length of ${#array}", "length of ${#array}||false"},
		{"{#a} {#b}", "{#a}|b|true"}, {"code {#`a`}", "code {#`a`}||false"}, {"{#a} behind", "{#a} behind||false"},
	})
}

func TestPlainText(t *testing.T) {
	table(t, PlainText, [][2]string{
		{"**Add** it", "Add it"}, {"_a_ and *b*", "a and b"}, {"snake_case_name", "snake_case_name"}, {"2 * 3 * 4", "2 * 3 * 4"},
		{"`**code**` stays", "`**code**` stays"}, {`\*not\*`, `\*not\*`}, {"**open", "**open"}, {"***all***", "all"},
		{"**Add `a_b*` to _c_** now", "Add `a_b*` to c now"}, {"_a_ _b_", "a b"}, {"x*y *z*", "x*y z"}, {"**a*", "**a*"},
	})
	table(t, Stable, [][2]string{{" **Add\n it** ", "Add it"}, {"**Add** it", "**Add** it"}, {"*a* and *b*", "*a* and *b*"}})
}

func TestSlugs(t *testing.T) {
	table(t, func(s string) string { return Slug(s, 20) }, [][2]string{
		{"Add the user model", "add-the-user-model"}, {"Größe & Länge", "groesse-laenge"}, {"GRÖẞE 5 Å", "groesse-5-a"}, {"It's here", "its-here"},
		{"One two three four five six", "one-two-three-four"}, {strings.Repeat("a", 30), strings.Repeat("a", 20)},
		{"日本語", "title-77710a"}, {"", "title-e3b0c4"},
	})
	table(t, func(s string) string { return fmt.Sprint(ValidID(s)) }, [][2]string{
		{"a", "true"}, {"a-1", "true"}, {"1", "true"}, {"", "false"}, {"-a", "false"}, {"A", "false"}, {"none", "false"}, {strings.Repeat("a", 64), "false"},
	})
	if id := NewID("Add JWT", [2]byte{0x7d, 0x3f}); id != "add-jwt-7d3f" {
		t.Errorf("the id is %s", id)
	}
}

func TestNearest(t *testing.T) {
	names := []string{"status", "stats", "undo", "run"}
	table(t, func(s string) string { return Nearest(s, names) }, [][2]string{
		{"stauts", "status"}, {"STATS", "stats"}, {"und", "undo"}, {"xx", ""}, {"rnu", "run"}, {"", ""}, {strings.Repeat("a", 300), ""},
	})
}

func TestNumberOf(t *testing.T) {
	table(t, func(s string) string {
		n := NumberOf(s)
		id, whole := n.Named(n.Title)
		return fmt.Sprint(n.Ok, " ", n.Word, "|", n.Label, "|", n.Title, "|", id, "|", whole)
	}, [][2]string{
		{"Task 1: title", "true task|1|title||title"}, {"Step 2 - title", "true step|2|title||title"}, {"3. title", "true |3|title||title"},
		{"[x] Task 4: done", "true task|4|done||done"}, {"**Task 1**: bold", "true task|1|bold||bold"}, {"Task 5：全", "true task|5|全||全"},
		{"Task: alone", "true task||alone||alone"}, {"Iteration A: go", "true task|A|go||A: go"}, {"T001 do", "true task|T001|do|t001|do"},
		{"Task force: mission", "true task|force|mission||force: mission"}, {"Steps", "false ||Steps||Steps"}, {"2 files", "false ||2 files||2 files"},
	})
	table(t, func(s string) string {
		number, rest := CutNumber(s)
		return number + "|" + rest
	}, [][2]string{
		{"T001 x", "T001|x"}, {"1.1 x", "1.1|x"}, {"2. x", "2|x"}, {"3) x", "3|x"}, {"[T-12] x", "T-12|x"}, {"T012a x", "T012a|x"},
		{"2 files", "|2 files"}, {"[[T1] x", "|[[T1] x"}, {"[1] x", "|[1] x"}, {"1..2 x", "|1..2 x"}, {"Tx", "|Tx"}, {"1.x", "|1.x"},
	})
	table(t, func(s string) string {
		_, whole := (Numbered{Label: s}).Named("x")
		return whole
	}, [][2]string{{"2", "x"}, {"1.1", "x"}, {"2a", "x"}, {"a", "a: x"}, {"T1", "x"}})
	if id, whole := (Numbered{Label: "T-1.2"}).Named("x"); id != "t-1-2" || whole != "x" {
		t.Errorf("named %q, %q", id, whole)
	}
	if _, whole := (Numbered{Label: "A"}).Named(""); whole != "A" {
		t.Errorf("named %q", whole)
	}
}

func TestCodeSpans(t *testing.T) {
	table(t, func(s string) string { return strings.Join(SplitOutsideCode(s, ",;"), "|") }, [][2]string{
		{"a, b;c", "a| b|c"}, {"`a,b`, c", "`a,b`| c"}, {`a\, b`, `a\, b`}, {"`a, b", "`a| b"}, {"plain", "plain"}, {"``a`,b``,c", "``a`,b``|c"},
	})
	table(t, func(s string) string { return strings.Join(CodeContents(s), "|") }, [][2]string{
		{"`a` and ``b`c``", "a|b`c"}, {"` x `", "x"}, {"`   `", ""}, {"\\`a`", ""}, {"`open", ""}, {"none", ""},
	})
	table(t, CommandOf, [][2]string{
		{"`go test`", "go test"}, {"`go test` passes.", "go test"}, {"`go test`,", "go test"},
		{"`go test` fails", ""}, {"run `go test`", ""}, {"``", ""}, {"", ""}, {"`` <= 3", ""},
	})
}

func TestEdits(t *testing.T) {
	src := []byte("one two three")
	got := Splice(src, Span{8, 13}.With("3"), Span{0, 3}.With("1"), Span{4, 4}.With("and "))
	if string(got) != "1 and two 3" || string(src) != "one two three" {
		t.Errorf("%q, of %q", got, src)
	}
	table(t, ToLF, [][2]string{{"a\r\nb\r\r\nc\rd", "a\nb\nc\rd"}, {"a\nb", "a\nb"}})
	table(t, func(s string) string { return LineEnd([]byte(s)) }, [][2]string{{"a\r\nb\n", "\r\n"}, {"a\nb\r\n", "\n"}, {"a", "\n"}})
	table(t, Shown, [][2]string{{"a\x1b[31m", `a\u001b[31m`}, {`say "x"`, `say "x"`}, {strings.Repeat("ä", 70), strings.Repeat("ä", 40) + "…"}})
}
