//go:build unix

package main

import (
	"testing"

	"github.com/git-plan/git-plan/testdata/race"
)

// A person who edits the plan at a terminal during a run is shown the change and approves it at once, and the
// run continues with it.
func TestEditDuringARunAsksForApprovalAtOnce(t *testing.T) {
	race.Skip(t)
	tty := sit(t)
	tty.runs("git plan run --no-review >../ran 2>&1 & until grep -q begins ../ran; do sleep 0.05; done; echo at work")
	tty.ever(`^at work$`)
	tty.runs(`GIT_EDITOR='sed -i "s/add a line/add two lines/"' git plan edit`)
	tty.until(`^Approve this change\? \[y/N\]`)
	tty.types("y", "Enter")
	tty.until(`waiting for the session`)
	for _, step := range []string{"s1", "s2", "s3", "s4"} {
		tty.goOn(step)
	}
	tty.ever(`^approved$`)
	tty.types("wait $! && echo over", "Enter")
	tty.ever(`^over$`)
}
