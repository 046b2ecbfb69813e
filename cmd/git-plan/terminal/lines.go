package terminal

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Lines returns a notice for people: "" for most, else one or more lines without a final line end.
func Lines(n journal.Notice) string {
	switch n.Kind {
	case journal.StepStart:
		return linef("step %s: %s", n.Step, n.Text)
	case journal.SandboxKind:
		return because(linef("sandbox %s", n.Text), n.Reason)
	case journal.SessionStart:
		if n.Command != "" {
			return linef("  %s: %s", who(n), n.Command)
		}
		return linef("  %s begins", who(n))
	case journal.SessionText:
		if n.Reason != "" {
			return linef("    waiting: %s", n.Reason)
		}
	case journal.SessionTool:
		return "    " + because(Called(n), n.Reviewer)
	case journal.SessionEnd:
		line := linef("  %s ended", who(n))
		for _, more := range slices.Compact([]string{n.Text, n.Reason}) {
			if more != "" {
				line += linef(": %s", more)
			}
		}
		if n.Tokens != nil && *n.Tokens != (agent.Tokens{}) {
			line += fmt.Sprintf(" (%s)", n.Tokens)
		}
		return line
	case journal.CheckStart, journal.SetupStart:
		return linef("  %s: %s", purpose(n), asPlanned(n.Command))
	case journal.CheckEnd, journal.SetupEnd:
		if n.ExitCode != nil && *n.ExitCode != 0 {
			return failing(n)
		}
	case journal.StepFailed:
		switch {
		case n.Final: // the next notice has the end of the step
		case n.Question:
			return linef("  attempt %d asked: %s; the next one assumes an answer", n.Attempt, n.Reason)
		default:
			return strings.TrimSuffix(linef("  attempt %d failed: %s", n.Attempt, n.Reason), ": ") + below(n.Also...)
		}
	case journal.StepBlocked:
		how, why := outcome(n)
		return strings.TrimSuffix(linef("step %s %s: %s", n.Step, how, why), ": ") + below(n.Also...)
	case journal.StepDone:
		line := linef("step %s done: %s", n.Step, Committed(n.Commit))
		if n.Total > 0 {
			line += fmt.Sprintf(", %d of %d", n.Done, n.Total)
		}
		return because(line, n.Text)
	case journal.StepNote:
		return linef("  note: %s", n.Text)
	case journal.BudgetWarn:
		return linef("warning: %s", n.Text)
	case journal.ReviewRound:
		round := 0
		if n.Round != nil {
			round = *n.Round
		}
		return strings.TrimRight(linef("review, round %d %s", round, n.Text), " ")
	case journal.ReviewerEnd, journal.FindingSeen, journal.FixEnd:
		return linef("  %s", n.Text) + below(n.Also...)
	case journal.ReviewEnd:
		return linef("review: %s", n.Text)
	}
	return ""
}

// outcome returns the end of a step, and its reason.
func outcome(n journal.Notice) (how, why string) {
	switch {
	case n.Kind == journal.StepDone:
		return Committed(n.Commit), n.Text
	case n.Question:
		return "asks", n.Reason
	}
	return "blocked", n.Reason
}

func because(text, reason string) string {
	if reason == "" {
		return text
	}
	return text + linef(" (%s)", reason)
}

// asPlanned returns a command as a plan has it, with its limit: `sh bench.sh` <= 3.
func asPlanned(command string) string {
	if run, limit := plan.Split(command); limit != "" {
		return "`" + run + "` " + limit
	}
	return command
}

// purpose returns what a command is run as: check or setup.
func purpose(n journal.Notice) string {
	kind, _, _ := strings.Cut(n.Kind, ".")
	return kind
}

func failing(n journal.Notice) string {
	// A signal ended it, or its number is compared, if the exit code is not its own.
	how := cmp.Or(n.Reason, fmt.Sprintf("failed with %d", *n.ExitCode))
	line := linef("  %s %s: %s", purpose(n), how, asPlanned(n.Command))
	if n.Text != "" {
		line += below(longRule().ReplaceAllString(visible.Text(n.Text), "$1…"))
	}
	return line
}

const behindTime = "\n           | "

// below returns texts as lines below another, behind its time.
func below(texts ...string) (lines string) {
	for _, text := range texts {
		lines += strings.NewReplacer("\n", behindTime, "\t", "    ").Replace("\n" + text)
	}
	return lines
}

// longRule matches a rule across the page, which would wrap behind the margin on 80 columns.
var longRule = visible.NewPattern(`(?m)^(-{40}|={40})[-=]+$`)

// Called returns a tool call in few words, the same for all agents: read main.go.
func Called(n journal.Notice) string {
	name := strings.TrimSuffix(strings.ToLower(n.Command), "_file")
	switch name {
	case "bash", "shell", "run_command", "command_execution", "execute", "run_shell_command":
		name = "$"
	case "file_change": // of codex, whose text says how
		name = ""
	}
	if strings.HasPrefix(name, "submit_") { // a whole plan or answer
		return visible.Line(name)
	}
	return strings.TrimSpace(linef("%s %s", name, n.Text))
}

// Committed returns the short ID of a step's commit, or that there was nothing to commit.
func Committed(oid string) string {
	if oid == journal.None {
		return "nothing to commit"
	}
	return visible.Short(oid)
}

func named(n journal.Notice) string {
	switch {
	case n.Reviewer != "":
		return n.Reviewer
	case n.Command != "" && n.Kind != journal.SessionTool: // the step's own, without an agent
		return "run"
	}
	return string(n.Role)
}

// who returns the role of a session, with its attempt and agent.
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

// agentOf returns agent/model of a session, or only the agent.
func agentOf(n journal.Notice) string { return strings.TrimSuffix(n.Agent+"/"+n.Model, "/") }
