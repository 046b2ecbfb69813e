package progress_test

import (
	"fmt"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
)

const demo = `---
plan: demo
---
# Count words

## Steps

- [ ] **Add the counter** {#counter}
- [ ] **Print the counts** {#print}
- [ ] **Describe it** {#readme}
  - Needs: none
`

// A plan is parsed, its progress is derived from its events and the branch's commits, and the next step
// follows. No box is ticked: a step is done if the branch has its commit.
func Example() {
	p, err := plan.Parse([]byte(demo))
	if err != nil {
		fmt.Println(err)
		return
	}
	show := func(events []journal.Event, commits ...git.Commit) {
		at := progress.From(p, events, commits, func(string) (git.Commit, bool) { return git.Commit{}, false })
		for _, s := range p.Steps {
			fmt.Printf("%s %s; ", s.ID, at.Steps[s.ID].State)
		}
		next, _ := at.Next(p)
		fmt.Println("next:", next.ID)
	}

	const oid = "c0ffee0000000000000000000000000000000000"
	var events []journal.Event
	show(events)

	events = append(events, journal.Event{Kind: journal.Blocked, Steps: []string{"counter"}, Reason: "which separator?"})
	show(events)

	events = append(events, journal.Event{Kind: journal.Done, Steps: []string{"counter"}, Head: oid})
	counter := git.Commit{OID: oid, Message: "Add the counter\n\nPlan-Step: demo/counter\n"}
	show(events, counter)

	revert := git.Commit{OID: "c2", Parents: []string{oid}, Message: "Revert \"Add the counter\"\n\nThis reverts commit " + oid + ".\n"}
	show(events, revert, counter) // newest first, as git log prints them

	// Output:
	// counter open; print open; readme open; next: counter
	// counter blocked; print open; readme open; next: readme
	// counter done; print open; readme open; next: print
	// counter reopened; print open; readme open; next: counter
}
