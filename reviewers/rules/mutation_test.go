package rules

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/testdata/drawn"
)

// mutation seeds one defect in a real file: it replaces the line at (from 0) by others, or reports that it
// cannot. hit is the line, from 0 after at, where it must be found; -1 means the whole change.
type mutation struct {
	rule string
	on   func(path string) bool
	do   func(d *drawer, lines []string, at int) (with []string, gone, hit int)
}

var goTest = regexp.MustCompile(`^func Test\w*\(t \*testing\.T\) \{$`)

func anyGo(p string) bool   { return true }
func inTests(p string) bool { return strings.HasSuffix(p, "_test.go") }
func inCode(p string) bool  { return !strings.HasSuffix(p, "_test.go") }

// body is how many lines the function at has, its last brace included.
func body(lines []string, at int) int {
	for i := at; i < len(lines); i++ {
		if lines[i] == "}" {
			return i - at + 1
		}
	}
	return 0
}

// put replaces no line, and inserts new ones before at.
func put(hit int, forms ...string) func(*drawer, []string, int) ([]string, int, int) {
	return func(d *drawer, _ []string, _ int) ([]string, int, int) {
		var with []string
		for _, f := range forms {
			with = append(with, d.Fill(f, "x"))
		}
		return with, 0, hit
	}
}

var word = visible.NewPattern(`[a-z]{4,}`)

// inWord changes one letter of a word of the line.
func inWord(change func(string) string) func(*drawer, []string, int) ([]string, int, int) {
	return func(_ *drawer, lines []string, at int) ([]string, int, int) {
		w := word().FindStringIndex(lines[at])
		if w == nil || strings.Contains(lines[at], `\`) {
			return nil, 0, 0
		}
		return []string{lines[at][:w[0]] + change(lines[at][w[0]:w[1]]) + lines[at][w[1]:]}, 1, 0
	}
}

func inTest(change func(lines []string, at, n int) ([]string, int, int)) func(*drawer, []string, int) ([]string, int, int) {
	return func(_ *drawer, lines []string, at int) ([]string, int, int) {
		n := body(lines, at)
		if !goTest.MatchString(lines[at]) || n < 4 {
			return nil, 0, 0
		}
		return change(lines, at, n)
	}
}

var mutations = []mutation{
	{"secret", anyGo, put(0, `const key = "{token}" // of $word`)},
	{"secret", anyGo, put(1, `/*`, `	{token}`, `*/`)},
	{"conflict-markers", anyGo, func(d *drawer, lines []string, at int) ([]string, int, int) {
		return []string{"<<<<<<< HEAD", lines[at], "=======", d.Fill("$word()", ""), ">>>>>>> " + d.Fill("{hex:7}", "")}, 1, 0
	}},
	{"test-skipped", inTests, inTest(func(lines []string, at, n int) ([]string, int, int) {
		return []string{lines[at], "\tt.Skip(\"later\")"}, 1, 1
	})},
	{"test-emptied", inTests, inTest(func(lines []string, at, n int) ([]string, int, int) {
		return []string{lines[at], "}"}, n, 0
	})},
	{"tests-removed", inTests, inTest(func(lines []string, at, n int) ([]string, int, int) { return []string{}, n, -1 })},
	{"tests-removed", inTests, inTest(func(lines []string, at, n int) ([]string, int, int) {
		return []string{"// " + lines[at]}, 1, -1
	})},
	{"hidden-text", anyGo, inWord(func(w string) string { return w[:2] + "\u202e" + w[2:] })},
	{"hidden-text", anyGo, inWord(func(w string) string { return w[:2] + "\u200b" + w[2:] })},
	{"hidden-text", anyGo, inWord(func(w string) string { return w[:1] + "\u0430" + w[2:] })},
	{"elision", anyGo, func(d *drawer, lines []string, at int) ([]string, int, int) {
		marks := []string{"\t// ... existing code ...", "\t// ... rest of the function unchanged", "\t// The rest of the code remains the same"}
		return []string{d.Pick(marks)}, min(5, len(lines)-at), 0
	}},
	{"suppression", inCode, func(_ *drawer, lines []string, at int) ([]string, int, int) {
		return []string{lines[at] + " //nolint:errcheck"}, 1, 0
	}},
	{"credential-url", inCode, put(0, "\tdsn := \"postgres://app:{alnum:14}9z@db.$word.net/x\"")},
}

// TestMutations seeds defects at random places of Go's standard library, as a change of that line with its
// context, and expects a hit at exactly that place. Other hits of the rule in the change are false alarms.
func TestMutations(t *testing.T) {
	each := 10
	if os.Getenv("RULES") == "full" {
		each = 300
	}
	files := libraryFiles(t)
	d := &drawer{drawn.New(t, 7, 8)}
	var table strings.Builder
	scores := map[string]*score{}
	var order []string
	for _, m := range mutations {
		s := scores[m.rule]
		if s == nil {
			s = &score{misses: map[string]int{}}
			scores[m.rule], order = s, append(order, m.rule)
		}
		for made, tried := 0, 0; made < each && tried < 100*each; tried++ {
			if s.mutate(t, m, d, files[d.IntN(len(files))]) {
				made++
			}
		}
	}
	for _, rule := range order {
		s := scores[rule]
		p, plow, phigh := s.precision()
		q, qlow, qhigh := s.recall()
		fmt.Fprintf(&table, "%-20s %7d  %.3f [%.3f, %.3f]  %.3f [%.3f, %.3f]\n", rule, s.bad, p, plow, phigh, q, qlow, qhigh)
		if s.bad < each || p < 0.97 || q < 0.95 {
			t.Errorf("%s: %d defects, precision %.3f, recall %.3f, missed %v", rule, s.bad, p, q, s.misses)
		}
	}
	if each > 100 {
		fmt.Printf("%-20s %7s  %-21s %s\n%s", "seeded in real code", "defects", "precision [95 %]", "recall [95 %]", table.String())
	}
}

// libraryFiles are paths of Go files of the standard library.
func libraryFiles(t *testing.T) []string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, pkg := range strings.Fields("archive/zip bufio bytes compress/flate context crypto/tls database/sql encoding/json encoding/xml flag fmt go/ast go/parser html/template io log math/big mime net net/http net/url os os/exec path/filepath reflect regexp runtime sort strconv strings sync testing text/template time unicode/utf8") {
		found, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "src", pkg, "*.go"))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v", pkg, err)
		}
		files = append(files, found...)
	}
	return files
}

// mutate checks one defect; it returns false where this file has no place for it.
func (s *score) mutate(t *testing.T, m mutation, d *drawer, name string) bool {
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	p := "lib/" + filepath.Base(name)
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	at := d.IntN(len(lines))
	if !m.on(p) || ClassOf(p) != Source && ClassOf(p) != Test {
		return false
	}
	if m.rule == "test-skipped" || m.rule == "test-emptied" || m.rule == "tests-removed" { // the next test
		for at < len(lines) && !goTest.MatchString(lines[at]) {
			at++
		}
		if at == len(lines) {
			return false
		}
	}
	with, gone, hit := m.do(d, lines, at)
	if with == nil {
		return false
	}
	c := replaced(p, lines, at, gone, with)
	s.bad++
	want := fmt.Sprintf("%s %s:%d", m.rule, p, at+1+hit)
	if hit < 0 {
		want = fmt.Sprintf("%s %s:0", m.rule, p)
		if now, _ := c.Read("b1"); isEmptied("go", now, []byte(strings.Join(lines, "\n"))) { // it was the only one
			want = fmt.Sprintf("test-deleted %s:0", p)
		}
	}
	missed := true
	for _, got := range found(c) {
		switch {
		case got == want:
			s.hit++
			missed = false
		case strings.HasPrefix(got, m.rule+" "):
			s.alarm++
			s.misses["found too: "+got]++
		}
	}
	if missed {
		s.missed++
		s.misses[fmt.Sprintf("%s:%d", name, at+1)]++
	}
	return true
}

// replaced is the change that replaces some lines by others, with five lines of context like git's.
func replaced(p string, lines []string, at, gone int, with []string) Change {
	f := git.FileDiff{Path: p, OldPath: p, Status: 'M', OldMode: "100644", NewMode: "100644", OldOID: "a1", NewOID: "b1"}
	h := git.Hunk{}
	for i := max(at-5, 0); i < at; i++ {
		h.Lines = append(h.Lines, git.DiffLine{Kind: ' ', Old: i + 1, New: i + 1, Text: lines[i]})
	}
	for i := at; i < at+gone; i++ {
		if gone != 1 || len(with) == 0 || with[0] != lines[i] {
			h.Lines = append(h.Lines, git.DiffLine{Kind: '-', Old: i + 1, Text: lines[i]})
		}
	}
	for i, l := range with {
		if i == 0 && gone == 1 && l == lines[at] {
			h.Lines = append(h.Lines, git.DiffLine{Kind: ' ', Old: at + 1, New: at + 1, Text: l})
			continue
		}
		h.Lines = append(h.Lines, git.DiffLine{Kind: '+', New: at + 1 + i, Text: l})
	}
	for i := at + gone; i < min(at+gone+5, len(lines)); i++ {
		h.Lines = append(h.Lines, git.DiffLine{Kind: ' ', Old: i + 1, New: i + 1 - gone + len(with), Text: lines[i]})
	}
	f.Hunks = []git.Hunk{h}
	now := strings.Join(append(append(append([]string{}, lines[:at]...), with...), lines[at+gone:]...), "\n")
	return Change{Diff: &git.Diff{Files: []git.FileDiff{f}}, Read: func(oid string) ([]byte, error) {
		if oid == "b1" {
			return []byte(now), nil
		}
		return []byte(strings.Join(lines, "\n")), nil
	}}
}
