package testcode

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestTheTestsOfAFile(t *testing.T) {
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
		for _, found := range Of(ext, []byte(test.code)) {
			got = append(got, fmt.Sprint(found.Line)+map[bool]string{true: "-"}[found.Empty])
		}
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("%s: %q, want %q (- is an empty one)", ext, s, test.want)
		}
	}
}

func TestALineSkipsATest(t *testing.T) {
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
		lines := strings.Split(test.code, "\n")
		line, above := lines[len(lines)-1], slices.Clone(lines[:len(lines)-1])
		slices.Reverse(above)
		got := test.ext == "js" && SkipsByOption(line, slices.Values(above))
		for _, s := range Skips(test.ext) {
			got = got || s.Skips(line, slices.Values(above))
		}
		if got != test.want {
			t.Errorf("%s: %q: skips %v", test.ext, test.code, got)
		}
	}
}

func TestAssertionsAreInAnOrder(t *testing.T) {
	order := [][2]string{ // the line, and the one after it; each proves more than those above
		{"assert.Len(t, xs, 2)", ""},
		{"assert.NotEqual(t, 1, x)", ""},
		{"assertIsNotNone(x)", ""},
		{"self.assertTrue(x)", ""},
		{"expect(xs).toContain(1)", ""},
		{"\tif x != 1 {", "\t\tt.Fatal(x)"},
	}
	for i, a := range order[1:] {
		if before := order[i]; GradeOf(a[0], a[1]) <= GradeOf(before[0], before[1]) {
			t.Errorf("%q proves no more than %q", a[0], before[0])
		}
	}
	for _, line := range []string{
		"test('x', () => assert.equal(true, true))", "it('x', () => assert.ok(true))", "expect(1).toBe(1)", "self.assertEqual(1, 1)", "assert True",
		"assert.Equal(t, 1, 1)", `assert.Equal(t, "a", "a")`, "assert!(true);",
	} {
		if g := GradeOf(line, ""); g != isConstant {
			t.Errorf("%q: %d", line, g)
		}
	}
	if g := GradeOf("test('x', () => assert.ok(f()))", ""); g != isTruthy {
		t.Errorf("an arrow is taken for a comparison: %d", g)
	}
	for _, line := range []string{"assertEqual(x, None)", "// assert.Equal(t, 1, x)", "if x != 1 {", "check(x)"} {
		if g := GradeOf(line, "\tlog(x)"); g != NotCompared {
			t.Errorf("%q: %d", line, g)
		}
	}
}

func TestAFileOfTestsIsEmptied(t *testing.T) {
	const was = "import a from 'a'\n\nit('works', () => {\n  expect(a()).toBe(1)\n})\n"
	for now, want := range map[string]bool{
		"":                                true,
		"import a from 'a'\n// later\n":   true,
		"import './others'\n":             false, // which may run the tests
		was:                               false,
		"run(import.meta)\n":              false,
		"/* it('works')\n*/\nexport {}\n": true,
	} {
		if got := Emptied("js", []byte(now), []byte(was)); got != want {
			t.Errorf("%q: emptied %v", now, got)
		}
	}
	if tests, asserts := Count("js", []byte(was)); tests != 1 || asserts != 1 {
		t.Errorf("%d tests, %d assertions", tests, asserts)
	}
}

func TestTestsThatNothingRuns(t *testing.T) {
	const goTest = "package a\n\nfunc TestA(t *testing.T) {\n\tcheck(t)\n}\n"
	const cases = "class A(TestCase):\n    def test_a(self):\n        check()\n"
	for name, test := range map[string]struct {
		found []Found
		want  string
	}{
		"a Go test without its name":     {Ordinary("go", "go", goTest, strings.Replace(goTest, "TestA(t *testing.T)", "testA(t *testing.T)", 1)), "a test became a function that nothing runs"},
		"one that something else calls":  {Ordinary("go", "go", goTest, strings.Replace(goTest, "TestA(t *testing.T)", "testA(t *testing.T)", 1)+"func TestB(t *testing.T) {\n\ttestA(t)\n}\n"), ""},
		"a Java test without annotation": {Ordinary("java", "java", "@Test\nvoid a() {\n  check();\n}\n", "void a() {\n  check();\n}\n"), "a test became a function that nothing runs: a"},
		"a class that is no TestCase":    {Unloaded(cases, strings.Replace(cases, "(TestCase)", "", 1), false), "a class of tests is no longer a TestCase, so nothing runs it"},
		"one that pytest finds":          {Unloaded(strings.Replace(cases, "A(", "TestA(", 1), strings.Replace(cases, "A(TestCase)", "TestA", 1), true), ""},
		"a list of other tests":          {Unloaded(cases, cases+"\ndef load_tests(loader, tests, pattern):\n    return none()\n", false), "load_tests leaves out the tests of the file"},
		"a return before the work":       {Returning("go", []byte("func TestA(t *testing.T) {\n\treturn\n\tcheck(t)\n}\n")), "a test returns before it does anything"},
		"one under what always holds":    {Returning("go", []byte("func TestA(t *testing.T) {\n\tif true {\n\t\treturn\n\t}\n\tcheck(t)\n}\n")), "a test returns before it does anything"},
		"one under a condition":          {Returning("go", []byte("func TestA(t *testing.T) {\n\tif short() {\n\t\treturn\n\t}\n\tcheck(t)\n}\n")), ""},
	} {
		got := ""
		for _, f := range test.found {
			got += f.Title
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func TestAFileOfGoTestsIsNoLongerBuilt(t *testing.T) {
	const code = "package a\n"
	for name, test := range map[string]struct {
		checks  []string
		is, now string
		want    string
		never   bool
	}{
		"as it was":             {is: "a_test.go", now: code},
		"in testdata":           {is: "testdata/a_test.go", now: code, want: "a test file is where, or has a name by which, no test is looked for"},
		"of another system":     {is: "a_plan9_test.go", now: code, want: "a test file has the name of another system now"},
		"under a tag":           {is: "a_test.go", now: "//go:build slow\n\n" + code, want: "a test file has a build constraint now, and is not built"},
		"a tag of the check":    {checks: []string{"go test -tags slow ./..."}, is: "a_test.go", now: "//go:build slow\n\n" + code},
		"under a tag of nobody": {is: "a_test.go", now: "//go:build ignore\n\n" + code, want: "a test file has a build constraint that no build meets", never: true},
	} {
		found, ok := Unbuilt(test.checks, "a_test.go", test.is, false, []byte(code), []byte(test.now))
		if ok != (test.want != "") || found.Title != test.want || found.Never != test.never {
			t.Errorf("%s: %+v", name, found)
		}
	}
}
