package status

import (
	"os"
	"strconv"
	"time"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
)

// AtWork is who is at work on a step.
type AtWork struct {
	By      string    `json:"by"`              // agent or person
	Agent   string    `json:"agent,omitempty"` // of the session, once it has begun
	Attempt int       `json:"attempt,omitempty"`
	Session string    `json:"session,omitempty"`
	Since   time.Time `json:"since"` // when the step began, or the session that is at it
}

// String says it to people.
func (a AtWork) String() string {
	text := "running since " + a.Since.Local().Format("15:04:05")
	switch {
	case a.By == journal.ByPerson:
		text = "open by git plan next since " + a.Since.Local().Format("2006-01-02 15:04")
	case a.Agent != "":
		text += " by " + a.Agent
	}
	if a.Attempt > 1 {
		text += ", attempt " + strconv.Itoa(a.Attempt)
	}
	return text
}

func (s *Plan) atWork(co *checkout.Checkout) {
	if holder, working := journal.Working(co.Repo, co.Doc.ID); working && holder.PID != os.Getpid() {
		for _, n := range holder.Open {
			s.runs(n)
		}
	}
	if step, ok := co.OpenByNext(); ok {
		if row := s.step(step); row != nil {
			row.Running = &AtWork{By: journal.ByPerson, Since: co.Progress.Steps[step].Last().Time}
		}
	}
}

func (s *Plan) runs(n journal.Notice) {
	row := s.step(n.Step)
	switch {
	case row == nil || row.State != progress.StateRunning:
	case n.Kind == journal.StepStart:
		row.Running = &AtWork{By: journal.ByAgent, Attempt: n.Attempt, Since: n.Time}
	case n.Kind == journal.SessionStart && row.Running != nil:
		row.Running.Agent, row.Running.Attempt, row.Running.Session, row.Running.Since = n.Agent, n.Attempt, n.Session, n.Time
	}
}

func (s *Plan) step(id string) *Step {
	for i := range s.Steps {
		if s.Steps[i].ID == id {
			return &s.Steps[i]
		}
	}
	return nil
}
