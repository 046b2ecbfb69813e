package rules

import (
	"fmt"

	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/git"
)

func TestTestsOfAFile(t *testing.T) {
	for ext, test := range map[string]struct{ code, want string }{
		"go":   {"func TestA(t *testing.T) {\n\tcheck(t)\n}\n\nfunc TestB(t *testing.T) {\n}\n\nfunc helper() {\n}\n", "1 5-"},
		"py":   {"def test_a():\n    assert f()\n\ndef test_b(): pass\n\ndef other():\n    pass\n", "1 4-"},
		"js":   {"it('works', () => {\n  expect(f()).toBe(1)\n})\ntest('later', () => {})\ntest('named', work)\n", "1 4- 5"},
		"java": {"@Test\npublic void a() {\n  assertTrue(f());\n}\nvoid b() {\n}\n@Override\npublic void testC() {\n}\nvoid testD() {\n}\n", "2 10-"},
		"rs":   {"#[test]\nfn a() {\n    // later\n}\nfn b() {\n}\n", "2-"},
		"rb":   {"def test_a = true\nit 'works' do\n  expect(f).to eq 1\nend\n", "1 2"},
		"c":    {"void test_a(void) {\n}\n", ""},
	} {
		var got []string
		for _, found := range testsIn(ext, []byte(test.code)) {
			got = append(got, fmt.Sprint(found.Line)+map[bool]string{true: "-"}[found.Empty])
		}
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("%s: %q, want %q (- is an empty one)", ext, s, test.want)
		}
	}
}

func TestLineSkipsATest(t *testing.T) {
	for _, test := range []struct {
		ext, code string // whose last line it is
		want      bool
	}{
		{"go", "func TestA(t *testing.T) {\n\tt.Skip()", true},
		{"go", "\tif testing.Short() {\n\t\tt.Skip()", false},
		{"go", "\tif true {\n\t\tt.Skip()", true},
		{"py", "@pytest.mark.skip", true},
		{"py", "@pytest.mark.skipif(sys.platform == 'win32')", false},
		{"js", "it.skip('works', () => {", true},
		{"js", "test('works', {\n  skip: true,", true},
		{"js", "test(\n  'works',\n  { skip: 'flaky' },", true},
		{"js", "load({\n  skip: true,", false},
		{"rs", "#[ignore]", true},
		{"c", "skip()", false},
	} {
		p := &Line{File: &File{Ext: test.ext}, At: strings.Count(test.code, "\n")}
		for _, l := range strings.Split(test.code, "\n") {
			p.Hunk = append(p.Hunk, git.DiffLine{Kind: '+', Text: l})
		}
		got := isSkip(p, marksOf(test.ext, skips))
		if got != test.want {
			t.Errorf("%s: %q: skips %v", test.ext, test.code, got)
		}
	}
}

func TestStrengthOfAssertions(t *testing.T) {
	order := [][2]string{ // the line, and the one after it; each proves more than those above
		{"assert.Len(t, xs, 2)", ""},
		{"assert.NotEqual(t, 1, x)", ""},
		{"assertIsNotNone(x)", ""},
		{"self.assertTrue(x)", ""},
		{"expect(xs).toContain(1)", ""},
		{"\tif x != 1 {", "\t\tt.Fatal(x)"},
	}
	for i, a := range order[1:] {
		if before := order[i]; gradeOf(a[0], a[1]) <= gradeOf(before[0], before[1]) {
			t.Errorf("%q proves no more than %q", a[0], before[0])
		}
	}
	for _, line := range []string{
		"test('x', () => assert.equal(true, true))", "it('x', () => assert.ok(true))", "expect(1).toBe(1)", "self.assertEqual(1, 1)", "assert True",
		"assert.Equal(t, 1, 1)", `assert.Equal(t, "a", "a")`, "assert!(true);",
	} {
		if g := gradeOf(line, ""); g != isConstant {
			t.Errorf("%q: %d", line, g)
		}
	}
	if g := gradeOf("test('x', () => assert.ok(f()))", ""); g != isTruthy {
		t.Errorf("an arrow is taken for a comparison: %d", g)
	}
	for _, line := range []string{"assertEqual(x, None)", "// assert.Equal(t, 1, x)", "if x != 1 {", "check(x)"} {
		if g := gradeOf(line, "\tlog(x)"); g != notCompared {
			t.Errorf("%q: %d", line, g)
		}
	}
}

func TestEmptiedTestFile(t *testing.T) {
	const was = "import a from 'a'\n\nit('works', () => {\n  expect(a()).toBe(1)\n})\n"
	for now, want := range map[string]bool{
		"":                              true,
		"import a from 'a'\n// later\n": true,
		"import './others'\n":           false, // which may run the tests
		was:                             false,
		"run(import.meta)\n":            false,
		"/* it('works')\n*/\n":          true,
	} {
		if got := isEmptied("js", []byte(now), []byte(was)); got != want {
			t.Errorf("%q: emptied %v", now, got)
		}
	}
	if tests, asserts := countTests("js", codeLines([]byte(was))); tests != 1 || asserts != 1 {
		t.Errorf("%d tests, %d assertions", tests, asserts)
	}
}

func TestLineReturnsFromATest(t *testing.T) {
	for line, want := range map[string]bool{
		"\treturn": true, "  return;": true, "return None": true, "return t.end();": true, "if true { return }": true, "if (true) return;": true,
		"return x": false, "if x { return }": false, "if (x) return;": false, "returns": false,
	} {
		if got := onlyReturns(line); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
	for line, want := range map[string]bool{
		"if true {": true, "if (1) {": true, "if True:": true, "if len(t.Name()) > 0 {": true, "if (!false)": true,
		"if x {": false, "if true && x {": false, "if testing.Short() {": false, "else {": false, "if (f(1)) {": false,
	} {
		if got := alwaysHolds(line); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}
