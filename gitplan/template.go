package gitplan

import "strings"

// Template is the text on which the editor opens for a new plan: a whole plan
// that parses, with explanations in comments.
func Template(title string) []byte {
	title = strings.Join(strings.Fields(title), " ")
	if title == "" {
		title = "What this branch achieves"
	}
	return []byte("# " + title + `

<!-- Why, and what is out of scope. A comment like this one may stay or go. -->

## Rules

<!-- What every session keeps to, such as: do not change the public API. -->

## Checks

<!-- Commands in backticks that run after every step, such as: - ` + "`npm test`" + ` -->

## Steps

<!--
A step is one piece of work for one fresh session. Under it, each line optional:
  - Files: what it may touch; Do: the instruction;
  - Check: a command in backticks that must exit 0, or a criterion in words;
  - Needs: #ids of the steps before it, or none; without it, the step above.
-->

- [ ] **The first step**
  - Files:
  - Do:
  - Check:

## Verification

<!-- Commands and criteria for the whole, after the last step. -->
`)
}
