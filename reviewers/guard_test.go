package reviewers

import (
	"slices"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/workspace"
	"github.com/git-plan/git-plan/reviewers/rules"
	"github.com/git-plan/git-plan/testdata/branches"
)

// changeOf is the difference between two trees of a real repository, as guards get it.
func changeOf(b *branches.Branch, before, after []string) rules.Change {
	b.T.Helper()
	from := b.Commit(before...)
	for i := 0; i < len(before); i += 2 {
		b.Git("rm", "-q", "--cached", before[i])
	}
	b.Git("clean", "-q", "-fd")
	to := b.Commit(append([]string{"kept.txt", "x\n"}, after...)...)
	d, err := git.DiffTrees(b.T.Context(), b.Repo, from, to)
	if err != nil {
		b.T.Fatal(err)
	}
	return rules.Change{Diff: d, Read: git.Contents(b.T.Context(), b.Repo)}
}

func TestTheGuardAfterAStep(t *testing.T) {
	test := "package a\n\nfunc TestA(t *testing.T) {\n\tif work() != 1 {\n\t\tt.Fatal()\n\t}\n}\n\nfunc helper() {}\n"
	files := []string{"a.go", "package a\n", "a_test.go", test}
	conflict := strings.Repeat("<", 7) + " HEAD\na\n" + strings.Repeat("=", 7) + "\nb\n" + strings.Repeat(">", 7) + " x\n"
	step := plan.Step{ID: "one", Files: []string{"a.go", "a_*test.go", "testdata/*", "kept.txt"}}
	for name, tt := range map[string]struct {
		after  []string
		had    string // a_test.go before, if it differs
		action string
		drift  string
		says   string // the session, of the other file
		check  bool   // one changed the other file
		fails  string
		report string
	}{
		"good work":                  {after: []string{"a.go", "package a // better\n", "a_test.go", test}},
		"a test file deleted":        {after: []string{"a.go", "package a\n"}, fails: "a_test.go: a test file was deleted"},
		"a test file emptied":        {after: []string{"a.go", "package a\n", "a_test.go", "package a\n"}, fails: "a_test.go: a test file was emptied"},
		"a test file of 0 bytes":     {after: []string{"a.go", "package a\n", "a_test.go", ""}, fails: "a_test.go: a test file was emptied"},
		"a helper stays":             {after: []string{"a.go", "package a\n", "a_test.go", "package a\n\nfunc helper() {}\n"}, fails: "a_test.go: a test file was emptied"},
		"emptied as asked":           {after: []string{"a.go", "package a\n", "a_test.go", ""}, action: "delete"},
		"deleted as asked":           {after: []string{"a.go", "package a\n"}, action: "delete"},
		"a test skipped":             {after: []string{"a.go", "package a\n", "a_test.go", strings.Replace(test, "\tif work", "\tt.Skip()\n\tif work", 1)}, fails: "a_test.go:4: a test is skipped"},
		"a test emptied":             {after: []string{"a.go", "package a\n", "a_test.go", "package a\n\nfunc TestA(t *testing.T) {\n}\n"}, fails: "a_test.go:3: a test has nothing in it"},
		"a constant for a value":     {after: []string{"a.go", "package a\n", "a_test.go", strings.Replace(test, "if work() != 1 {\n\t\tt.Fatal()\n\t}", "work()\n\tassert.True(t, true)", 1)}, fails: "a_test.go:5: an assertion that always holds replaces a real one"},
		"one of two tests removed":   {after: []string{"a.go", "package a\n", "a_test.go", test}, had: test + "\nfunc TestB(t *testing.T) {\n\tif work() {\n\t\tt.Fatal(1)\n\t}\n}\n", fails: "a_test.go: the change takes 1 more test away than it adds: TestB, and the session gave no reason"},
		"removed, with a reason":     {after: []string{"a.go", "package a\n", "a_test.go", test}, had: test + "\nfunc TestB(t *testing.T) {\n\tif work() {\n\t\tt.Fatal(1)\n\t}\n}\n", says: "TestA has it", report: "a_test.go: the change takes 1 more test away than it adds: TestB; its session says: TestA has it"},
		"a constraint":               {after: []string{"a.go", "package a\n", "a_test.go", "//go:build never\n\n" + test}, fails: "a_test.go: a test file has a build constraint now, and is not built, and the session gave no reason"},
		"a constraint, explained":    {after: []string{"a.go", "package a\n", "a_test.go", "//go:build integration\n\n" + test}, says: "it needs a server", report: "a_test.go: a test file has a build constraint now, and is not built; its session says: it needs a server"},
		"another system's":           {after: []string{"a.go", "package a\n", "a_plan9_test.go", test}, fails: "a_plan9_test.go: go test no longer looks at this file: its name or folder leaves it out, and the session gave no reason"},
		"another's, with a reason":   {after: []string{"a.go", "package a\n", "a_plan9_test.go", test}, says: "only there", report: "a_plan9_test.go: go test no longer looks at this file: its name or folder leaves it out; its session says: only there"},
		"to testdata":                {after: []string{"a.go", "package a\n", "testdata/a_test.go", test}, fails: "testdata/a_test.go: go test no longer looks at this file: its name or folder leaves it out, and the session gave no reason"},
		"a skip for a failure":       {after: []string{"a.go", "package a\n", "a_test.go", strings.Replace(test, "t.Fatal()", "t.Skip(\"later\")", 1)}, fails: "a_test.go:5: a test is skipped where it failed before, and the session gave no reason"},
		"a skip, with a reason":      {after: []string{"a.go", "package a\n", "a_test.go", strings.Replace(test, "t.Fatal()", "t.SkipNow()", 1)}, says: "no clock there", report: "a_test.go:5: a test is skipped where it failed before; its session says: no clock there"},
		"a new test that may skip":   {after: []string{"a.go", "package a\n", "a_test.go", test + "\nfunc TestB(t *testing.T) {\n\tif testing.Short() {\n\t\tt.Skip(1)\n\t}\n\twork()\n}\n"}},
		"a conflict":                 {after: append([]string{"b.go", conflict}, files...), fails: "b.go:1: unresolved merge conflict", report: "b.go: the step does not name this file"},
		"a private key":              {after: append([]string{"b.go", "x = \"-----BEGIN " + "PRIVATE KEY-----" + "q8Zr2LmX0vKd7TnYw4HsJc9GpBf3AeUo6RiQ1ZtVxMkN5ShWyDl8CgPb2EjFaOu" + "\"\n"}, files...), fails: "b.go:1: private key", report: "b.go: the step does not name"},
		"another file":               {after: append([]string{"b.go", "package a\n"}, files...), report: "b.go: the step does not name this file"},
		"another file, which fails":  {after: append([]string{"b.go", "package a\n"}, files...), drift: "fail", fails: "b.go: the step does not name this file"},
		"another file, not declared": {after: append([]string{"b.go", "package a\n"}, files...), drift: "declared", fails: "b.go: the step does not name this file, and the session gave no reason (drift)"},
		"another file, declared":     {after: append([]string{"b.go", "package a\n"}, files...), drift: "declared", says: "a.go calls it", report: "b.go: the step does not name this file; its session says: a.go calls it"},
		"another file, by a check":   {after: append([]string{"b.go", "package a\n"}, files...), drift: "declared", check: true, report: "b.go: the step does not name this file; a check or a commit hook changed it"},
		"by a check, which fails":    {after: append([]string{"b.go", "package a\n"}, files...), drift: "fail", check: true, fails: "b.go: the step does not name this file; a check or a commit hook changed it"},
	} {
		t.Run(name, func(t *testing.T) {
			s := step
			s.Action = tt.action
			before := slices.Clone(files)
			if tt.had != "" {
				before[slices.Index(before, "a_test.go")+1] = tt.had
			}
			c := changeOf(branches.New(t), before, tt.after)
			c.Plan, c.OfStep = planOf(&s), true
			set := workspace.Changeset{Diff: c.Diff, Declared: []agent.Drift{{File: "b.go", Because: tt.says}, {File: "a_test.go", Because: tt.says}}}
			if tt.check {
				set.Rewritten = []string{"b.go"}
			}
			said := guarded(rules.Find(c, rules.Guard()), set, &s, tt.drift)
			for what, got := range map[string]struct {
				lines []string
				want  string
			}{"fails": {said.Failing, tt.fails}, "reports": {said.Reported, tt.report}} {
				if len(got.lines) > 1 || !strings.HasPrefix(strings.Join(got.lines, ""), got.want) || (got.want == "") != (len(got.lines) == 0) {
					t.Errorf("%s %q, want %q", what, got.lines, got.want)
				}
			}
		})
	}
}

// A reason for removing tests applies to the file that loses them, not to another one in which a test is
// renamed.
func TestReasonForRemovedTestsAppliesPerFile(t *testing.T) {
	two := func(a, b string) string {
		body := "(t *testing.T) {\n\tif work() != 1 {\n\t\tt.Fatal()\n\t}\n}\n"
		return "package a\n\nfunc Test" + a + body + "\nfunc Test" + b + body
	}
	one := strings.Split(two("C", "D"), "\nfunc TestD")[0]
	c := changeOf(branches.New(t), []string{"a_test.go", two("A", "B"), "c_test.go", two("C", "D")}, []string{"a_test.go", two("Renamed", "B"), "c_test.go", one})
	step := &plan.Step{ID: "one", Files: []string{"a_test.go", "c_test.go", "kept.txt"}}
	for declared, fails := range map[string]int{"a_test.go": 1, "c_test.go": 0} {
		set := workspace.Changeset{Diff: c.Diff, Declared: []agent.Drift{{File: declared, Because: "it is as it should be"}}}
		if said := guarded(rules.Find(c, rules.Guard()), set, step, ""); len(said.Failing) != fails || len(said.Failing)+len(said.Reported) != 1 {
			t.Errorf("with a reason for %s: %+v", declared, said)
		}
	}
}

func TestLostExecutableBitIsReported(t *testing.T) {
	d := &git.Diff{Files: []git.FileDiff{{Path: "run.sh", OldMode: "100755", NewMode: "100644"}, {Path: "a.sh", OldMode: "100644", NewMode: "100755"}}}
	said := guarded(nil, workspace.Changeset{Diff: d}, &plan.Step{}, "")
	if len(said.Failing) > 0 || !slices.Equal(said.Reported, []string{"run.sh: it is no longer executable"}) {
		t.Errorf("%+v", said)
	}
}

// A folder or a wider pattern that a pattern of the Bounds matches does not widen them, and no lock file is
// excused.
func TestFilesOutOfBounds(t *testing.T) {
	d := &git.Diff{Files: []git.FileDiff{{Path: "src/a.go"}, {Path: "src/a_test.go"}, {Path: "src/in/a.go"}, {Path: "web/package-lock.json"}, {OldPath: "docs/b.md", Path: "src/b.go", Status: 'R'}}}
	for files, want := range map[string]string{
		"src/c.go": "docs/b.md src/in/a.go web/package-lock.json", "src/**": "docs/b.md src/in/a.go web/package-lock.json", "src/in": "docs/b.md src/in/a.go web/package-lock.json",
		"docs/b.md": "src/in/a.go web/package-lock.json", "web/**": "docs/b.md src/in/a.go",
	} {
		out := strings.Join(outOfBounds(&plan.Bounds{Files: []string{"src/*"}}, d, plan.Step{Files: []string{files}}), " ")
		if got := strings.ReplaceAll(out, ": it is outside of the plan's Bounds", ""); got != want {
			t.Errorf("a step of %s within src/*: outside is %s, want %s", files, got, want)
		}
	}
}

func TestTheGuardOfAFix(t *testing.T) {
	test := "package a\n\nfunc TestA(t *testing.T) {\n\trequire.Equal(t, 1, work())\n\twork()\n}\n"
	files := []string{"a.go", "package a\n", "a_test.go", test}
	with := func(more ...string) []string { return append(more, files...) }
	for name, tt := range map[string]struct {
		after []string
		want  string
	}{
		"a good fix":           {[]string{"a.go", "package a // better\n", "a_test.go", test}, ""},
		"a deleted test":       {[]string{"a.go", "package a\n"}, "a_test.go: a test file was deleted"},
		"an emptied file":      {[]string{"a.go", "package a\n", "a_test.go", "package a\n"}, "a_test.go: a test file was emptied"},
		"a weaker test":        {[]string{"a.go", "package a\n", "a_test.go", strings.Replace(test, "\trequire.Equal(t, 1, work())\n", "", 1)}, "a_test.go: the change takes 1 more assertion away"},
		"a silenced linter":    {[]string{"a.go", "package a\nvar x = f() //nolint\n", "a_test.go", test}, "a.go:2: a checker is switched off here"},
		"the reviewers":        {with(".gitplan/reviewers/quality.md", "x\n"), ".gitplan/reviewers/quality.md: a fix may not touch the reviewers"},
		"the hooks":            {with(".husky/pre-push", "exit 0\n"), ".husky/pre-push: a fix may not touch the hooks"},
		"git's attributes":     {with("a/.gitattributes", "* -diff\n"), "a/.gitattributes: a fix may not touch git's attributes"},
		"another hook manager": {with("lefthook.yml", "x: 1\n"), "lefthook.yml: a fix may not touch the hooks"},
	} {
		t.Run(name, func(t *testing.T) {
			c := changeOf(branches.New(t), files, tt.after)
			got := fixGuarded(rules.Find(c, rules.Those(ofFixes)), c.Diff)
			if len(got) > 1 || !strings.HasPrefix(strings.Join(got, ""), tt.want) || (tt.want == "") != (len(got) == 0) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// A token of a known form is found anywhere in a file, and in its name.
func TestStepGuardReadsEveryByte(t *testing.T) {
	b := branches.New(t)
	t.Chdir(b.Dir)
	c, err := checkout.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	token := "ghp" + "_" + "4kT9wQz7Lm2Xv8Rb" + "1Nc6Hy3Jd5Gf0Ps4UaWe"
	head := b.Git("rev-parse", "HEAD")
	for name, file := range map[string][2]string{
		"after a NUL":               {"a", "\x00\n" + token + "\n"},
		"in UTF-16":                 {"a", strings.Join(strings.Split("x = "+token+"\n", ""), "\x00") + "\x00"},
		"at the end of a long line": {"a", strings.Repeat("x ", 64<<10) + token + "\n"},
		"at the end of a long file": {"a", strings.Repeat("a line\n", 400_000) + token + "\n"},
		"in a name":                 {token, "a\n"},
	} {
		b.Commit(file[0], file[1])
		tree := b.Git("rev-parse", "HEAD^{tree}")
		d, err := git.DiffTrees(t.Context(), b.Repo, head, tree)
		if err != nil {
			t.Fatal(err)
		}
		said, err := StepGuard(t.Context(), c, nil, workspace.Changeset{Head: head, Tree: tree, Diff: d})
		all := strings.Join(append(said.Failing, said.Reported...), "\n")
		if err != nil || len(said.Failing) != 1 || !strings.Contains(all, "GitHub token (ghp_") || strings.Contains(all, token) {
			t.Errorf("%s: %v, %q", name, err, all)
		}
		b.Git("reset", "-q", "--hard", head)
	}
}

// An unexplained file is listed with its exact name, even if the printed line shortens it: it is set aside by
// that name.
func TestUnexplainedFilesHaveExactNames(t *testing.T) {
	strange := "a \"tab\"\t.go"
	c := changeOf(branches.New(t), []string{"a.go", "package a\n"}, []string{"a.go", "package a\n", strange, "package a\n"})
	said := guarded(nil, workspace.Changeset{Diff: c.Diff}, &plan.Step{ID: "a", Files: []string{"a.go"}}, "declared")
	if !slices.Contains(said.Unexplained, strange) || strings.Contains(strings.Join(said.Failing, ""), "\t") {
		t.Errorf("%+v", said)
	}
}
