package plan

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/git-plan/git-plan/testdata/texts"
)

// The digest can be computed from the words of the description.
func TestDigestOfExample(t *testing.T) {
	text := string(texts.Example(t))
	for _, line := range []string{"plan: add-jwt-auth-7d3f\n", "branch: feature/jwt\n", "  - Status: blocked - the vault address is not known\n"} {
		text = strings.Replace(text, line, "", 1)
	}
	text = strings.Replace(text, "[x]", "[ ]", 1)
	if want := fmt.Sprintf("%x", sha256.Sum256([]byte(text))); digest(texts.Example(t)) != want {
		t.Errorf("the meaning is\n%s", cmp.Diff(text, string(Meaning(texts.Example(t)))))
	}
}

// Working on a plan never needs a new approval.
func TestProgressKeepsTheDigest(t *testing.T) {
	src := []byte("# T\r\n\r\n## Steps\r\n- [ ] a {#a}\r\n  - [ ] part\r\n- [ ] b {#b}\r\n  - Run: `x`")
	want := digest(src)
	text := src
	keep := func(out []byte, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if digest(out) != want {
			t.Errorf("the digest changed: %q", out)
		}
		text = out
	}
	keep(SetFront(text, "plan", "t-0000"))
	keep(SetFront(text, "branch", "feature/#1"))
	keep(Tick(text, "a", true))
	keep(SetStatus(text, "b", StepStatus{"blocked", "why: `y`"}))
	keep(SetFront(text, "branch", "main"))
	keep(SetStatus(text, "b", StepStatus{"reopened", ""}))
	keep(SetStatus(text, "b", StepStatus{}))
	keep(Tick(text, "b", true))
	keep([]byte(strings.ReplaceAll(string(text), "\r\n", "\n")), nil)
}

// Everything except boxes, Status bullets and the position of a step is covered.
func TestOtherChangesChangeTheDigest(t *testing.T) {
	base := "---\nplan: p\nowner: me\n---\n\n# T\n\nsum\n\n## Notes\n- [ ] n\n\n## Steps\n- [ ] a\n  - Do: x\n\n  ```\n  - [ ] code\n  - Status: blocked - code\n  ```\n\n  Status: blocked - text\n\n  > - [ ] quote\n\n- [ ] b\n  - notes\n    - Status: blocked - deep\n- note [ ]\n\n## Verification\n- [ ] `v`\n\nplan: text\n"
	if _, err := Parse([]byte(base)); err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{digest([]byte(base)): "the text as it was"}
	for _, change := range [][2]string{
		{"owner: me", "owner: you"}, {"# T", "# U"}, {"sum", "sun"}, {"- [ ] n", "- [x] n"}, {"- [ ] a", "- [ ] A"}, {"Do: x", "Do: y"},
		{"- [ ] code", "- [x] code"}, {"blocked - code", "blocked - rm"}, {"blocked - text", "blocked - rm"}, {"blocked - deep", "blocked - rm"},
		{"- [ ] quote", "- [x] quote"}, {"note [ ]", "note [x]"}, {"- [ ] `v`", "- [x] `v`"}, {"plan: text", "plan: rm"},
		{"  - Do: x\n", ""}, {"- [ ] b", "* [ ] b"}, {"- [ ] b", "- [ ]  b"}, {"---\n\n#", "---\n#"}, {"text\n", "text"},
	} {
		out := strings.Replace(base, change[0], change[1], 1)
		sum := digest([]byte(out))
		if before, ok := seen[sum]; ok || out == base {
			t.Errorf("%q -> %q has the digest of %s", change[0], change[1], before)
		}
		seen[sum] = fmt.Sprintf("%q -> %q", change[0], change[1])
	}
}

// A line that approval ignores must not change the meaning of the lines around it: each of these texts would
// do something other than its meaning, so none parses.
func TestStatusCannotHideInstructions(t *testing.T) {
	for name, text := range map[string]string{
		"turns a line of text into a list": "- [ ] a\n  - Status: reopened\n  2. Run: `evil`\n",
		"turns a heading into a rule":      "- [ ] a\n- [ ] b\n  - Status: reopened\n  ---\n",
		"hides nested text":                "- [ ] a\n  - Check: `x`\n  -   Status: reopened\n\n    - `y`\n",
		"includes following text":          "- [ ] a\n  - Status: reopened\n\n    - Run: `evil`\n",
		"begins on the line above":         "- [ ] a\n  - x\n  -\n    Status: reopened\n",
	} {
		_, err := Parse([]byte(texts.Steps(text)))
		if !errors.As(err, new(*ParseError)) || !strings.Contains(err.Error(), "Status") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Removing front matter must not turn the following text into front matter.
func TestFrontMatterCannotHideFrontMatter(t *testing.T) {
	for _, text := range []string{
		"---\nplan: x\n---\n---\nbase: evil\n---\n" + texts.Steps("- [ ] a\n"),
		"---\nplan: x\n---\n\n---\nbase: evil\n---\n" + texts.Steps("- [ ] a\n"),
		"---\nplan: x\n---\n\ufeff---\nbase: evil\n---\n" + texts.Steps("- [ ] a\n"),
		"---\nplan: x\n---\n---\n" + texts.Steps("- [ ] a\n"),
	} {
		p, err := Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		q, err := Parse(Meaning([]byte(text)))
		if err != nil || q.Base != p.Base || len(q.Sections) != len(p.Sections) {
			t.Errorf("%q means %q: %v", text, Meaning([]byte(text)), err)
		}
	}
}

// A session reads exactly the approved text of a step: an instruction in the reason of a status does not
// reach it.
func TestApprovedText(t *testing.T) {
	p, err := Parse([]byte(texts.Steps("- [x] a\n  - [x] part\n  - Status: reopened - run `evil`\n\n  text\n- [ ] b\n  - Status: blocked - x")))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("- [ ] a\n  - [ ] part\n\n  text", p.Steps[0].Approved()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff("- [ ] b", p.Steps[1].Approved()); diff != "" {
		t.Error(diff)
	}
}

// The plans in testdata have their own meaning.
func TestMeaningOfPlans(t *testing.T) {
	for _, name := range []string{"example.md", "windows.md", "shapes.md"} {
		src, err := os.ReadFile("../../testdata/plans/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Parse(src); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		meaningIsItsOwnMeaning(t, src)
	}
}

// digest returns the digest of a text, even of an invalid plan.
func digest(src []byte) string { return fmt.Sprintf("%x", sha256.Sum256(Meaning(src))) }
