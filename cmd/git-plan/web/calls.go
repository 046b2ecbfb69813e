package web

import (
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Call is something that a session at work does, or that is done for it, in one line. N counts them.
type Call struct {
	N     int    `json:"n"`
	Step  string `json:"step"` // "" for a review
	Who   string `json:"who"`
	Time  string `json:"time"`
	Text  string `json:"text"`
	Fresh bool   `json:"fresh,omitempty"` // its session begins: what this one did before is over
	Brief bool   `json:"brief,omitempty"` // it counts only until the next
}

// saysLater is why nothing more is heard of some sessions while they are at work.
const saysLater = "a command of your own; what it prints is shown when it has ended"

// callOf returns a notice in one line; without a text it says nothing to a person.
func callOf(n journal.Notice) Call {
	c := Call{Step: n.Step, Who: string(n.Role), Time: n.Time.Local().Format("15:04:05")}
	if n.Reviewer != "" {
		c.Who += " " + visible.OneLine(n.Reviewer, 60)
	}
	switch n.Kind {
	case journal.SessionStart:
		c.Text, c.Fresh = "begins", true
		if n.Command != "" { // the step's own, without an agent
			c.Who, n.Text = "run", n.Command
		}
		if n.Text != "" {
			c.Text += ": " + n.Text
		}
	case journal.SessionTool:
		c.Text = terminal.Called(n)
	case journal.SessionEnd:
		c.Text = n.Text
	case journal.SessionText:
		c.Text = n.Reason
	case journal.SessionUsage:
		if n.Tokens != nil {
			c.Text, c.Brief = n.Tokens.String(), true
		}
	case journal.CheckStart:
		c.Text, c.Who, c.Brief = n.Command, "check", true
	case journal.CheckEnd:
		c.Text, c.Who = n.Command+": "+passed(n.ExitCode), "check"
	case journal.ReviewerEnd, journal.FixEnd, journal.StepNote, journal.StepLands:
		c.Text = n.Text
	}
	c.Text = visible.OneLine(c.Text, 300)
	return c
}

// passed says how a command ended.
func passed(exit *int) string {
	switch {
	case exit == nil:
		return "ended"
	case *exit == 0:
		return "passed"
	}
	return "failed"
}
