package main

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/agent"
)

// live shows what happens while a plan is worked on: lines for people on
// standard error, or one JSON object a line on standard output.
type live struct {
	people io.Writer
	events *json.Encoder // nil without --json-events
	began  time.Time
}

func newShow(c *cli.Context) *live {
	// What is alive is small; without a word the collector lets garbage grow to
	// several times of it while a session prints.
	debug.SetMemoryLimit(32 << 20)
	l := &live{people: c.App.ErrWriter, began: time.Now()}
	if c.Bool("json-events") {
		l.events = json.NewEncoder(c.App.Writer)
		l.events.SetEscapeHTML(false)
	}
	return l
}

func (l *live) end() {}

// notice is told everything that happens; lock, where there is one, is told
// which step is worked on.
func (l *live) notice(lock *gitplan.Lock) func(gitplan.Notice) {
	return func(n gitplan.Notice) {
		if lock != nil && n.Event == gitplan.StepStart {
			lock.Working(n.Step)
		}
		if l.events != nil {
			_ = l.events.Encode(n)
		}
		if line := words(n); line != "" {
			say(l.people, "%s %s", n.Time.Format("15:04:05"), line)
		}
	}
}

// words are what a person is told of a notice; nothing for most of them.
func words(n gitplan.Notice) string {
	text := clean(n.Text)
	switch n.Event {
	case gitplan.StepStart:
		return fmt.Sprintf("step %s: %s", n.Step, text)
	case gitplan.SandboxKind:
		line := "sandbox: " + text
		if n.Reason != "" {
			line += " (" + clean(n.Reason) + ")"
		}
		return line
	case gitplan.SessionStart:
		return "  " + who(n) + " begins"
	case gitplan.SessionText:
		if n.Reason != "" {
			return "    waiting: " + clean(n.Reason)
		}
	case gitplan.SessionTool:
		if strings.HasPrefix(n.Command, "submit_") {
			text = "" // a whole plan or answer
		}
		if n.Reviewer != "" {
			text = strings.TrimRight(text, " ") + " (" + n.Reviewer + ")"
		}
		return strings.TrimRight("    "+n.Command+" "+text, " ")
	case gitplan.SessionEnd:
		line := "  " + who(n) + " ended"
		for _, t := range unique([]string{text, clean(n.Reason)}) {
			if t != "" {
				line += ": " + t
			}
		}
		if n.Tokens != nil && *n.Tokens != (agent.Tokens{}) {
			line += fmt.Sprintf(" (%s)", n.Tokens)
		}
		return line
	case gitplan.CheckStart:
		return "  check: " + clean(n.Command)
	case gitplan.CheckEnd:
		if n.ExitCode != nil && *n.ExitCode != 0 {
			line := fmt.Sprintf("  check failed with %d: %s", *n.ExitCode, clean(n.Command))
			for _, l := range strings.Split(printable(n.Text), "\n") {
				line += "\n           | " + l
			}
			return line
		}
	case gitplan.StepFailed:
		return fmt.Sprintf("  attempt %d failed: %s", n.Attempt, clean(n.Reason))
	case gitplan.StepBlocked:
		return fmt.Sprintf("step %s blocked: %s", n.Step, clean(n.Reason))
	case gitplan.StepDone:
		line := fmt.Sprintf("step %s done: %s", n.Step, short(n.Commit))
		if text != "" {
			line += " (" + text + ")"
		}
		return line
	case gitplan.StepNote:
		return "  note: " + text
	case gitplan.BudgetWarn:
		return "warning: " + text
	case gitplan.ReviewRound:
		if text != "" {
			text = " " + text
		}
		return fmt.Sprintf("review, round %d%s", n.Round, text)
	case gitplan.ReviewerEnd, gitplan.FindingSeen, gitplan.FixEnd:
		return "  " + text
	case gitplan.ReviewEnd:
		return "review: " + text
	}
	return ""
}

// who names a session for people.
func who(n gitplan.Notice) string {
	name := string(n.Role)
	if n.Reviewer != "" {
		name = "reviewer " + n.Reviewer
	}
	if n.Attempt > 1 {
		name += fmt.Sprintf(", attempt %d", n.Attempt)
	}
	return fmt.Sprintf("%s (%s)", name, n.Agent)
}
