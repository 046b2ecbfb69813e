package form_test

import (
	"fmt"

	"github.com/git-plan/git-plan/gitplan/form"
)

// A task list of OpenSpec becomes a plan: the format is recognised, numbers become ids, and changed parts are
// noted.
func ExampleImport() {
	tasks := `## 1. Counting

- [x] 1.1 Add the counter
- [ ] 1.2 Print the counts
`
	in, err := form.Import("tasks.md", []byte(tasks), "")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %s\n\n%s\n", in.Form, in.Reason, in.Text)
	for _, n := range in.Notes {
		fmt.Println(n.Text)
	}

	// Output:
	// openspec: 2 of 2 boxes have numbers such as 1.1
	//
	// # Add the counter
	//
	// ## Steps
	//
	// - [x] Add the counter {#1-1}
	//   - For: 1. Counting
	// - [ ] Print the counts {#1-2}
	//   - For: 1. Counting
	//
	// boxes read as steps: 2
	// there is no title; `Add the counter` is used
}

// A plan is exported for another tool, in ralphex's format: a heading for each step.
func ExampleExport() {
	text := `# Count words

## Steps

- [x] **Add the counter** {#counter}
  - Check: ` + "`go test ./...`" + `
- [ ] **Print the counts** {#print}
`
	out, err := form.Export([]byte(text), form.Ralphex)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s", out.Files[0].Text)

	// Output:
	// # Count words
	//
	// ## Implementation Steps
	//
	// ### Task 1: Add the counter {#counter}
	//
	// - Check: `go test ./...`
	// - [x] Add the counter
	//
	// ### Task 2: Print the counts {#print}
	//
	// - [ ] Print the counts
}
