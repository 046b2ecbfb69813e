package terminal

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// lines returns what a person reads of a notice: "" for most of them, else a line, or
// several without a line end behind the last.
func lines(n journal.Notice) string {
	text := visible.Line(n.Text)
	switch n.Kind {
	case journal.StepStart:
		return fmt.Sprintf("step %s: %s", n.Step, text)
	case journal.SandboxKind:
		return visible.Line(sandboxOf(n))
	case journal.SessionStart:
		if n.Command != "" {
			return "  " + who(n) + ": " + visible.Line(n.Command)
		}
		return "  " + who(n) + " begins"
	case journal.SessionText:
		if n.Reason != "" {
			return "    waiting: " + visible.Line(n.Reason)
		}
	case journal.SessionTool:
		if n.Reviewer != "" {
			return "    " + Called(n) + " (" + n.Reviewer + ")"
		}
		return "    " + Called(n)
	case journal.SessionEnd:
		line := "  " + who(n) + " ended"
		if text != "" {
			line += ": " + text
		}
		if why := visible.Line(n.Reason); why != "" && why != text {
			line += ": " + why
		}
		if n.Tokens != nil && *n.Tokens != (agent.Tokens{}) {
			line += fmt.Sprintf(" (%s)", n.Tokens)
		}
		return line
	case journal.CheckStart, journal.SetupStart:
		return "  " + purpose(n) + ": " + visible.Line(n.Command)
	case journal.CheckEnd, journal.SetupEnd:
		if n.ExitCode != nil && *n.ExitCode != 0 {
			line := fmt.Sprintf("  %s: %s", failing(n), visible.Line(n.Command))
			if n.Text != "" {
				line += "\n           | " + strings.ReplaceAll(visible.Text(n.Text), "\n", "\n           | ")
			}
			return line
		}
	case journal.StepFailed:
		if n.Final { // the next notice says how the step ended
			return ""
		}
		if n.Question {
			return "  " + asked(n)
		}
		return fmt.Sprintf("  attempt %d failed: %s", n.Attempt, visible.Line(n.Reason))
	case journal.StepBlocked:
		return fmt.Sprintf("step %s %s", n.Step, outcome(n))
	case journal.StepDone:
		line := fmt.Sprintf("step %s done: %s", n.Step, Committed(n.Commit))
		if n.Total > 0 {
			line += fmt.Sprintf(", %d of %d", n.Done, n.Total)
		}
		if text != "" {
			line += " (" + text + ")"
		}
		return line
	case journal.StepNote:
		return "  note: " + text
	case journal.BudgetWarn:
		return "warning: " + text
	case journal.ReviewRound:
		if text != "" {
			text = " " + text
		}
		return fmt.Sprintf("review, round %d%s", roundOf(n), text)
	case journal.ReviewerEnd, journal.FindingSeen, journal.FixEnd:
		return "  " + text
	case journal.ReviewEnd:
		return "review: " + text
	}
	return ""
}

// outcome says how a step ended, without its name.
func outcome(n journal.Notice) string {
	switch {
	case n.Kind == journal.StepDone:
		return strings.TrimSuffix(fmt.Sprintf("%s (%s)", Committed(n.Commit), visible.Line(n.Text)), " ()")
	case n.Question:
		return "asks: " + visible.Line(n.Reason)
	}
	return strings.TrimSuffix("blocked: "+visible.Line(n.Reason), ": ")
}

// asked says what the session of an attempt asked, and what follows.
func asked(n journal.Notice) string {
	return fmt.Sprintf("attempt %d asked: %s; the next one assumes an answer", n.Attempt, visible.Line(n.Reason))
}

// heading says in a line what a run is about, where it works, and with what. next is the first
// thing that happens in it.
func heading(start, next journal.Notice) string {
	parts := []string{visible.OneLine(start.Text, 100), start.Branch}
	if start.Agent != "" {
		parts = append(parts, because("agent "+agentOf(start), start.Reason))
	}
	if next.Kind == journal.SandboxKind {
		parts = append(parts, sandboxOf(next))
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "   ")
}

// sandboxOf names the sandbox in force, and why there is none that is stronger.
func sandboxOf(n journal.Notice) string { return because("sandbox "+n.Text, n.Reason) }

func because(text, reason string) string {
	if reason == "" {
		return text
	}
	return text + " (" + reason + ")"
}

// purpose says what a command is run for: "check" judges the work, "setup" prepares its
// place.
func purpose(n journal.Notice) string {
	kind, _, _ := strings.Cut(n.Kind, ".")
	return kind
}

// failing says how a check, or the setup, failed.
func failing(n journal.Notice) string {
	if n.Reason != "" { // a signal ended it, so its exit code is not its own
		return purpose(n) + " " + n.Reason
	}
	return fmt.Sprintf("%s failed with %d", purpose(n), *n.ExitCode)
}

// Called says which tool a session calls, and what it gives that.
func Called(n journal.Notice) string {
	if strings.HasPrefix(n.Command, "submit_") { // a whole plan or answer
		return visible.Line(n.Command)
	}
	return strings.TrimSpace(visible.Line(n.Command) + " " + visible.Line(n.Text))
}

// Committed returns the commit of a step that is done, in few words.
func Committed(oid string) string {
	if oid == journal.None {
		return "nothing to commit"
	}
	return visible.Short(oid)
}

// named returns the role of a session, or the name of its reviewer.
func named(n journal.Notice) string {
	name := string(n.Role)
	if n.Command != "" && n.Kind != journal.SessionTool { // the step's own, without an agent
		name = "run"
	}
	if n.Reviewer != "" {
		name = n.Reviewer
	}
	return name
}

// who names a session for people, with its attempt and agent.
func who(n journal.Notice) string {
	name := named(n)
	if n.Reviewer != "" {
		name = "reviewer " + name
	}
	if n.Attempt > 1 {
		name += fmt.Sprintf(", attempt %d", n.Attempt)
	}
	if n.Command != "" {
		return name
	}
	return fmt.Sprintf("%s (%s)", name, agentOf(n))
}

// agentOf names the agent of a session, with its model if that is known.
func agentOf(n journal.Notice) string {
	if n.Model == "" {
		return n.Agent
	}
	return n.Agent + "/" + n.Model
}

func roundOf(n journal.Notice) int {
	if n.Round == nil {
		return 0
	}
	return *n.Round
}

// Count writes a number with its word: 1 step, 2 steps.
func Count(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
