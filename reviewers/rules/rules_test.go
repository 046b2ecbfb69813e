package rules

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// found are the hits as "rule path:line".
func found(c Change) []string {
	var out []string
	for _, h := range Find(c, All()) {
		out = append(out, fmt.Sprintf("%s %s:%d", h.Rule, h.Path, h.Line))
	}
	return out
}

// Markers are assembled here, so that this file does not contain a conflict.
var ours, middle, theirs = strings.Repeat("<", 7), strings.Repeat("=", 7), strings.Repeat(">", 7)

func TestEachRuleFindsItsPlace(t *testing.T) {
	for name, tt := range map[string]struct {
		file git.FileDiff
		want string
	}{
		"a conflict":                       {file("a.go", " x", "+"+ours+" HEAD", "+a", "+"+middle, "+b", "+"+theirs+" topic"), "conflict-markers a.go:2"},
		"a conflict with its base":         {file("a.go", "+"+ours+" HEAD", "+"+strings.Repeat("|", 7)+" base", "+"+middle, "+b", "+"+theirs+" topic"), "conflict-markers a.go:1"},
		"a conflict with existing sides":   {file("a.go", "+"+ours, " a", "+"+middle, " b", "+"+theirs), "conflict-markers a.go:1"},
		"a conflict with CRLF":             {file("a.txt", "+"+ours+" HEAD\r", "+"+middle+"\r", "+"+theirs+" x\r"), "conflict-markers a.txt:1"},
		"markers of other lengths":         {file("a.go", "+"+ours+"<<< HEAD", "+"+middle+"===", "+"+theirs+">>> t"), "conflict-markers a.go:1"},
		"a skipped Go test":                {file("a_test.go", " func TestA(t *testing.T) {", "+\tt.Skip(\"later\")", " \twork()", " }"), "test-skipped a_test.go:2"},
		"a skip that always applies":       {file("a_test.go", " func TestA(t *testing.T) {", "+\tif true {", "+\t\tt.Skip()", "+\t}", " \twork()", " }"), "test-skipped a_test.go:3"},
		"a skipped Python test":            {file("test_a.py", "+@pytest.mark.skip(reason='x')", " def test_a():", "     assert f()"), "test-skipped test_a.py:1"},
		"a Python test that may fail":      {file("test_a.py", "+@pytest.mark.xfail", " def test_a():", "     assert f()"), "test-skipped test_a.py:1"},
		"a skipped JavaScript test":        {file("a.test.ts", "+it.skip('works', () => {", "   expect(f()).toBe(1)", " })"), "test-skipped a.test.ts:1"},
		"a disabled Java test":             {file("src/test/java/ATest.java", "+  @Disabled(\"later\")", "   void works() { assertTrue(f()); }"), "test-skipped src/test/java/ATest.java:1"},
		"an ignored Rust test":             {file("src/lib.rs", " #[test]", "+#[ignore]", " fn works() {"), "test-skipped src/lib.rs:2"},
		"a focused test":                   {file("a.spec.js", "+describe.only('x', () => {"), "test-focused a.spec.js:1"},
		"an emptied Go test":               {file("a_test.go", " func TestA(t *testing.T) {", "-\tif f() != 1 {", "-\t\tt.Fatal()", "-\t}", " }"), "test-emptied a_test.go:1"},
		"an emptied Python test":           {file("test_a.py", " def test_a():", "-    check(f())", "+    pass"), "test-emptied test_a.py:1"},
		"an emptied JavaScript test":       {file("a.test.js", " it('works', () => {", "-  check(f())", " })"), "test-emptied a.test.js:1"},
		"bidirectional control characters": {file("a.c", "+/* \u202e } */"), "hidden-text a.c:1"},
		"a silenced linter":                {file("a.go", "+x := f() //nolint:errcheck"), "suppression a.go:1"},
		"a silenced type checker":          {file("a.ts", "+// @ts-ignore"), "suppression a.ts:1"},
		"a changed workflow":               {file(".github/workflows/ci.yml", "+  run: make"), "automation-changed .github/workflows/ci.yml:0"},
		"an SSH key by name":               {file("deploy/id_ed25519", "+x"), "credential-file deploy/id_ed25519:0"},
	} {
		t.Run(name, func(t *testing.T) {
			c := change(tt.file)
			if got := found(c); !slices.Contains(got, tt.want) {
				t.Errorf("found %q, want %q", got, tt.want)
			}
		})
	}
}

// Ordinary work has no hits.
func TestOrdinaryWorkHasNoHits(t *testing.T) {
	for name, f := range map[string]git.FileDiff{
		"a Markdown heading":                    file("README.md", "+Title", "+"+middle, "+", "+text"),
		"a heading in reStructuredText":         file("doc.rst", "+"+middle, "+Title", "+"+middle),
		"a shift in code":                       file("a.c", "+x = y <<<<<<< z;", "+"+middle),
		"markers in the wrong order":            file("a.txt", "+"+theirs+" quoted", "+"+middle, "+"+ours),
		"indented markers":                      file("a.py", "+    "+ours+" HEAD", "+    "+middle, "+    "+theirs+" x"),
		"a manual about conflicts":              file("git.md", "+```", "+"+ours+" HEAD", "+"+middle, "+"+theirs+" x", "+```", "+end"),
		"an old conflict":                       file("a.go", " "+ours+" HEAD", " "+middle, " "+theirs+" x", "+new"),
		"a skip for a platform":                 file("a_test.go", " func TestA(t *testing.T) {", "+\tif runtime.GOOS == \"windows\" {", "+\t\tt.Skip(\"no signals\")", "+\t}", " \twork()", " }"),
		"a skip under else":                     file("a_test.go", " func TestA(t *testing.T) {", " \tif ok() {", " \t\twork()", " \t} else {", "+\t\tt.Skip()", " \t}", " }"),
		"a skip with a condition in Python":     file("test_a.py", "+@pytest.mark.skipif(sys.platform == 'win32', reason='x')", " def test_a():", "     check(f())"),
		"a skip with a condition in TypeScript": file("a.spec.ts", "+test.skip(browser === 'webkit', 'not there')", " check(f())"),
		"a moved skip":                          file("a_test.go", " func TestA(t *testing.T) {", "-    t.Skip()", "+\tt.Skip()", " \twork()", " }"),
		"Skip of something else":                file("a.go", "+\tr.Skip(3)"),
		"only in prose":                         file("a.md", "+use describe.only to run one"),
		"a test with a body":                    file("a_test.go", "+func TestA(t *testing.T) {", "+\twork(t)", "+}"),
		"a test that was already empty":         file("a_test.go", " func TestA(t *testing.T) {", " }", "+", "+func TestB(t *testing.T) { work(t) }"),
		"a debugger in prose":                   file("a.js", "+// attach the debugger; then wait", "+const debuggerUrl = 1"),
		"printing":                              file("a.go", "+\tfmt.Println(x)"),
		"console.log":                           file("a.js", "+console.log(x)"),
		"a checksum":                            file("sums.yaml", "+sha: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
		"a checksum in base64":                  file("go.sum", "+example.com/m v1.0.0 h1:YM0e5sRB+pZg7pbXvdnuPXPrrdvS3dBVoK1W7vXrQrQ="),
		"an integrity string":                   file("package-lock.json", `+"integrity": "sha512-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08aa=="`),
		"a certificate":                         file("ca.pem", "+-----BEGIN CERTIFICATE-----", "+MIIBszCCAVmgAwIBAgIUQmVybGluMTIzNDU2Nzg5MEFCQ0RFRjANBgkqhkiG9w0B"),
		"a public key":                          file("key.pub", "+-----BEGIN PUBLIC KEY-----", "+MIIBszCCAVmgAwIBAgIUQmVybGluMTIzNDU2Nzg5MEFCQ0RFRjANBgkqhkiG9w0B"),
		"a key header in a parser":              file("pem.go", `+if strings.HasPrefix(s, "-----BEGIN RSA `+`PRIVATE KEY-----") {`, "+\treturn nil", "+}"),
		"an environment without secrets":        file(".env", "+PORT=3000", "+API_TOKEN=", "+PASSWORD=changeme"),
		"an example of an environment":          file(".env.example", "+API_TOKEN=8fd72hs92hs82hd7"),
		"an address for local use":              file("compose.yml", "+url: postgres://app:pa55word99@localhost:5432/app"),
		"an address with variables":             file("a.sh", "+curl https://user:${PASSWORD1}@host.net/"),
		"an address in a manual":                file("a.py", "+# https://user:hunter2hunter2@example.com/x"),
		"the deletion of a fixture":             {Path: "testdata/a_test.txt", OldPath: "testdata/a_test.txt", Status: 'D'},
		"a renamed test":                        {Path: "b_test.go", OldPath: "a_test.go", Status: 'R'},
	} {
		t.Run(name, func(t *testing.T) {
			if got := found(change(f)); len(got) > 0 {
				t.Errorf("found %q", got)
			}
		})
	}
}

func TestBidiIsOnlyNotedWhereLanguagesNeedIt(t *testing.T) {
	hits := Find(change(file("locale/ar.json", "+\"hi\": \"\u2068name\u2069\"")), All())
	if len(hits) != 1 || hits[0].Severity != "low" {
		t.Errorf("hits %+v", hits)
	}
}

func TestDeletedTestIsFoundUnlessTheStepAsksForIt(t *testing.T) {
	c := change(git.FileDiff{Path: "old/a_test.go", OldPath: "old/a_test.go", Status: 'D'})
	if got := found(c); !cmp.Equal(got, []string{"test-deleted old/a_test.go:0"}) {
		t.Errorf("without a plan: %q", got)
	}
	c.Plan = &plan.Plan{Steps: []plan.Step{{Files: []string{"old/**"}}}}
	if got := found(c); !slices.Contains(got, "test-deleted old/a_test.go:0") {
		t.Errorf("a step that modifies: %q", got)
	}
	c.Plan.Steps[0].Action = "delete"
	if got := found(c); len(got) > 0 {
		t.Errorf("a step that deletes: %q", got)
	}
}

// New tests of a step do not make up for a deleted test file that it does not name.
func TestNewTestsDoNotReplaceDeletedOnes(t *testing.T) {
	for files, want := range map[string]string{"a.go b_test.go": "high", "a.go *_test.go": "medium", "": "medium"} {
		c := change(file("b_test.go", "+func TestB(t *testing.T) {", "+\tif work() {", "+\t\tt.Fatal()", "+\t}", "+}"), file("a_test.go", "-func TestA(t *testing.T) {", "-\tif rest() {", "-\t\tt.Error()", "-\t}", "-}"))
		c.Diff.Files[1].Status, c.OfStep = 'D', true
		c.Plan = &plan.Plan{Steps: []plan.Step{{Files: strings.Fields(files)}}}
		hits := Find(c, Guard())
		if len(hits) != 1 || hits[0].Rule != "test-deleted" || hits[0].Severity != want ||
			hits[0].Explain != (want == "medium") || strings.Contains(hits[0].Title, "`git show HEAD:a_test.go >a_test.go`") != (want == "high") {
			t.Errorf("a step of %s: %v, want %s", files, hits, want)
		}
	}
}

func TestTestsThatMoveAreNotLost(t *testing.T) {
	a := file("a_test.go", "-func TestA(t *testing.T) {", "-\twork(t)", "-}", " func TestB(t *testing.T) { work(t) }")
	if got := found(change(a)); !slices.Contains(got, "tests-removed a_test.go:0") {
		t.Errorf("a deleted test: %q", got)
	}
	b := file("b_test.go", "+func TestA(t *testing.T) {", "+\twork(t)", "+}")
	if got := found(change(a, b)); len(got) > 0 {
		t.Errorf("a test that Moved: %q", got)
	}
}

// A file that no step names is drift, except for lock files and the tests beside a named file.
func TestDrift(t *testing.T) {
	c := change(file("store/user.go", "+x"), file("store/user_test.go", "+x"), file("web/page.html", "+x"), file("zoo.go", "+x"), file("go.sum", "+x"),
		git.FileDiff{Path: "test.c", OldPath: "test.c", Status: 'D'}, git.FileDiff{Path: "new.c", OldPath: "old.c", Status: 'R'})
	for _, tt := range []struct{ files, want []string }{
		{[]string{"store/user.go"}, []string{"new.c", "old.c", "test.c", "web/page.html", "zoo.go"}},
		{[]string{"store/user.go", "web/", "*.go"}, []string{"new.c", "old.c", "test.c"}},
		{[]string{"."}, nil},
	} {
		if got := Drift(c.Diff, tt.files); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q", tt.files, got)
		}
	}
}

func TestCommits(t *testing.T) {
	c := change()
	c.Commits = []git.Commit{{OID: "b1", Message: "fixup! Add the model\n"}, {OID: "a1", Message: "Add the model\n"}}
	hits := Find(c, All())
	if len(hits) != 1 || hits[0].Title != "commit b1 is a fixup! commit" {
		t.Errorf("%+v", hits)
	}
}

func TestOrderDoesNotDependOnTheDiff(t *testing.T) {
	a := file("a.js", "+// @ts-ignore", "+// ... rest of the code", "+// eslint-disable")
	b := file("b.js", "+// eslint-disable")
	one, other := found(change(a, b)), found(change(b, a))
	if diff := cmp.Diff(one, other); diff != "" || len(one) != 4 {
		t.Errorf("%q\n%s", one, diff)
	}
}
