package share

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/testdata/texts"
)

// A plan that is split into pieces and put together again is the same, byte for byte, and has the same
// meaning, whatever its Markdown.
func TestSplitAndJoined(t *testing.T) {
	plans := map[string][]byte{}
	paths, _ := filepath.Glob("../../testdata/plans/*.md")
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		plans[path] = src
	}
	for _, c := range texts.Tricky {
		plans[c.Name] = []byte(c.Text)
	}
	parted := 0
	for name, src := range plans {
		src, err := journal.AsStored(src, "a-plan-0000", "work", "main")
		if err != nil {
			continue // no plan
		}
		o, err := Outlined(src)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		parted++
		want := string(o.Plan.Source)
		if diff := cmp.Diff(want, o.Text()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if parted < 30 {
		t.Errorf("only %d plans were parted", parted)
	}
}

// The pieces of the plan in the description of the format.
func TestPieces(t *testing.T) {
	o, err := Outlined(texts.Example(t))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"the first line of the front matter", "plan in the front matter", "branch in the front matter",
		"base in the front matter", "the last line of the front matter",
		"the title", "the summary", "section context", "section rules", "section checks", "heading steps",
		"step user-model", "step issue-tokens", "step format", "step rotate",
		"section edge cases", "section risks and assumptions", "section verification",
	}
	if diff := cmp.Diff(want, names(o.Pieces)); diff != "" {
		t.Error(diff)
	}
	if got, want := o.Named["step rotate"].Text, "- [ ] **Rotate keys** {#rotate}\n  - Needs: #issue-tokens"; got != want {
		t.Errorf("a step is %q, want %q", got, want)
	}
	if got := o.Named["step user-model"].Text[:5]; got != "- [ ]" {
		t.Errorf("a done step begins with %q", got)
	}
}

func names(pieces []Piece) []string {
	var out []string
	for _, p := range pieces {
		out = append(out, p.Name)
	}
	return out
}
