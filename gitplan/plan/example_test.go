package plan_test

import (
	"fmt"

	"github.com/git-plan/git-plan/gitplan/plan"
)

const demo = `---
plan: words-1a2b
---
# Count words

## Steps

- [x] **Add the counter** {#counter}
  - Files: ` + "`count.go`" + `
  - Check: ` + "`go test ./...`" + `
- [ ] **Print the counts** {#print}
  - Check: ` + "`go run . < README`" + `; the counts are sorted
- [ ] **Describe it** {#readme}
  - Needs: none
`

// A plan is a view of its text. A step has its fields, and needs the one above it unless it says otherwise.
func ExampleParse() {
	p, err := plan.Parse([]byte(demo))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.ID, "-", p.Title)
	for _, s := range p.Steps {
		fmt.Printf("%d %s: %s; needs %q; checks %q\n", s.N, s.ID, s.Title, s.Needs, plan.Commands(s.Checks))
	}
	_, err = plan.Parse([]byte("# Count words\n\n## Steps\n\n- [ ] Add the counter\n- [~] Print the counts\n"))
	fmt.Println(err)

	// Output:
	// words-1a2b - Count words
	// 1 counter: Add the counter; needs []; checks ["go test ./..."]
	// 2 print: Print the counts; needs ["counter"]; checks ["go run . < README"]
	// 3 readme: Describe it; needs []; checks []
	// line 6: this looks like a step or a box, but is text: write `- [ ] what to do`, with plain spaces, and an empty line above a list
}

// A change touches only its own line. Boxes and states are not part of what a person approves: the meaning
// stays the same.
func ExampleTick() {
	text, err := plan.Tick([]byte(demo), "print", true)
	if err == nil {
		text, err = plan.SetStatus(text, "readme", plan.StepStatus{Word: "blocked", Reason: "which language?"})
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	p, _ := plan.Parse(text)
	fmt.Println(p.Steps[1].Text)
	fmt.Println(p.Steps[2].Text)
	fmt.Println("same meaning:", string(plan.Meaning(text)) == string(plan.Meaning([]byte(demo))))

	// Output:
	// - [x] **Print the counts** {#print}
	//   - Check: `go run . < README`; the counts are sorted
	// - [ ] **Describe it** {#readme}
	//   - Status: blocked - which language?
	//   - Needs: none
	// same meaning: true
}
