package rules

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/testdata/repository"
)

// noteRule finds lines that contain NOTE; a moved line is not a hit.
func noteRule() Rule {
	return Rule{Name: "remark", Category: "test", Severity: "low", Moves: true, Why: "it is a remark",
		Wants: func(f *File) bool { return !f.ForTests },
		Line: func(p *Line) []Hit {
			word := func(s string) string { _, after, _ := strings.Cut(s, "NOTE "); return after }
			if word(p.Text()) == "" || p.Replaces(word) {
				return nil
			}
			return p.Hit("a remark")
		}}
}

// newFilesRule finds new files by their text, and reports at the end how many there were.
func newFilesRule() Rule {
	n := 0
	return Rule{Name: "whole", Blocks: true, Severity: "high",
		File: func(c *Change, f *File) []Hit {
			data, _ := c.Blob(f.FileDiff.NewOID)
			read := ""
			_ = c.Stream(f.FileDiff.NewOID, func(in io.Reader) error { all, err := io.ReadAll(in); read = string(all); return err })
			if !IsNew(f.FileDiff) || read != string(data) {
				return nil
			}
			n++
			return []Hit{{Path: f.FileDiff.Path, Title: fmt.Sprintf("%s, %d bytes, %s", f.Class, len(data), f.Ext)}}
		},
		End: func(c *Change) []Hit { return []Hit{{Title: fmt.Sprintf("%d new", n)}} },
	}
}

func said(hits []Hit) string {
	var out []string
	for _, h := range hits {
		out = append(out, fmt.Sprintf("%s %s:%d %s %s %t", h.Rule, h.Path, h.Line, h.Severity, h.Title, h.NonBlocking))
	}
	return strings.Join(out, "\n")
}

func sortedLines(text string) string {
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// Rules see a commit, a range of commits and the index as the same change.
func TestRuleSeesAChange(t *testing.T) {
	repository.Here(t)
	repository.Write(t, "moved.go", "// NOTE moved\n")
	repository.Write(t, "edited.go", "// NOTE the same\n")
	first := repository.Commit(t, "one")
	repository.Write(t, "moved.go", "\n")
	repository.Write(t, "here.go", "// NOTE moved\n")
	repository.Write(t, "edited.go", "  // NOTE the same\n")
	repository.Write(t, "new.md", "one\nNOTE new\n")
	repository.Write(t, "testdata/a.go", "// NOTE fixture\n")
	repository.Git(t, "", "add", "-A")
	r, err := git.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	want := sortedLines(`whole :0 high 3 new false
whole here.go:0 high source, 14 bytes, go false
remark new.md:2 low a remark true
whole new.md:0 high docs, 13 bytes, md false
whole testdata/a.go:0 high source, 16 bytes, go false`)
	sorted := func(hits []Hit, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		return sortedLines(said(hits))
	}
	head := repository.Commit(t, "two")
	if got := sorted(FindIn(t.Context(), r, first, head, Change{}, []Rule{noteRule(), newFilesRule()})); got != want {
		t.Errorf("the commit:\n%s", got)
	}
	d, err := git.DiffTrees(t.Context(), r, first, head)
	if err != nil {
		t.Fatal(err)
	}
	c := Change{Diff: d}
	if got := sorted(FindIn(t.Context(), r, first, head, c, []Rule{noteRule(), newFilesRule()})); got != want {
		t.Errorf("in memory:\n%s", got)
	}
}

// Hits beyond the limit of a rule are only counted.
func TestManyHits(t *testing.T) {
	d := git.FileDiff{Path: "a.go", OldPath: "a.go", Status: 'M', Hunks: []git.Hunk{{}}}
	for i := range MaxHits + 5 {
		d.Hunks[0].Lines = append(d.Hunks[0].Lines, git.DiffLine{Kind: '+', Text: fmt.Sprintf("NOTE %d", i), New: i + 1})
	}
	hits := Find(Change{Diff: &git.Diff{Files: []git.FileDiff{d}}}, []Rule{noteRule()})
	if last := hits[len(hits)-1]; len(hits) != MaxHits || last.Title != "a remark, and 5 more" {
		t.Errorf("%d hits, the last says %q", len(hits), last.Title)
	}
	if hits := Find(Change{Diff: &git.Diff{}}, []Rule{noteRule(), newFilesRule()}); said(hits) != "whole :0 high 0 new false" {
		t.Errorf("of nothing: %s", said(hits))
	}
}

func TestClassOf(t *testing.T) {
	for p, want := range map[string]Class{
		"a.go": Source, "a_test.go": Test, "tests/a.py": Test, "testdata/a_test.go": Source, "README.md": Docs, "vendor/a/b.go": Vendored,
		"go.sum": Lock, ".github/workflows/x.yml": CI, "a.pb.go": Generated, "a.json": Config, "Makefile": Source, "a.bin": Other,
	} {
		if got := ClassOf(p); got != want {
			t.Errorf("%s is %s, not %s", p, got, want)
		}
	}
	if !ForTests("fixtures/x") || !testName().MatchString("x_test.go") || testName().MatchString("tests/x.go") || !isOneOf("go", sourceExt) || isOneOf("md", sourceExt) || !isOneOf("toml", configExt) || IsObject("000") || !IsObject("a0") {
		t.Error("what a path says")
	}
}
