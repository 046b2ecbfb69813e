package plan

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A change that affects no command, file or instruction needs no approval; a change of a step needs approval
// for that step only.
func TestUnapprovedChanges(t *testing.T) {
	const text = `# Work

One word.

## Context

Old.

## Rules

- Be kind.

## Checks

- ` + "`make`" + `

## Steps

- [ ] **One** {#one}
  - Do: this
  - Estimate: 10
  - Check: ` + "`make one`" + `
- [ ] **Two** {#two}
  - Files: ` + "`a`" + `
- [ ] **Three** {#three}
`
	parse := func(text string) *Plan {
		p, err := Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	approved := parse(text)
	for _, tt := range []struct {
		name, old, new string
		want           Unapproved
	}{
		{"a title, and the plan's", "**One**", "**Uno**", Unapproved{}},
		{"the title of a step without a body", "**Three**", "**Tre**", Unapproved{Steps: []string{"three"}}},
		{"the plan's title", "# Work", "# Works", Unapproved{}},
		{"the summary", "One word.", "Two words.", Unapproved{}},
		{"context", "Old.", "New.", Unapproved{}},
		{"an estimate", "Estimate: 10", "Estimate: 20", Unapproved{}},
		{"a removed estimate", "  - Estimate: 10\n", "", Unapproved{}},
		{"a box", "- [ ] **One**", "- [x] **One**", Unapproved{}},
		{"files that must be there", "Files: `a`", "Files to create: `a`", Unapproved{Steps: []string{"two"}}},
		{"an instruction", "Do: this", "Do: that", Unapproved{Steps: []string{"one"}}},
		{"a command", "`make one`", "`make two`", Unapproved{Steps: []string{"one"}}},
		{"a command under an informational field", "  - Estimate: 10\n", "  - For: all\n    - `rm -rf /`\n", Unapproved{Steps: []string{"one"}}},
		{"a file", "`a`", "`b`", Unapproved{Steps: []string{"two"}}},
		{"another step", "- [ ] **Three**", "- [ ] **More** {#more}\n- [ ] **Three**", Unapproved{Steps: []string{"more", "three"}}},
		{"no step", "- [ ] **Three** {#three}\n", "", Unapproved{Gone: []string{"three"}}},
		{"a rule", "Be kind.", "Be rude.", Unapproved{Whole: "Rules"}},
		{"a check", "- `make`\n", "- `make all`\n", Unapproved{Whole: "Checks"}},
		{"a section", "## Context", "## Verification", Unapproved{Whole: "Verification"}},
		{"the base", "# Work", "---\nbase: other\n---\n# Work", Unapproved{Whole: "base"}},
	} {
		changed := strings.Replace(text, tt.old, tt.new, 1)
		if changed == text {
			t.Fatal(tt.name, "changes nothing")
		}
		if diff := cmp.Diff(tt.want, NotApproved(parse(changed), approved)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}
