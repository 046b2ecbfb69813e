package status

import (
	"os"
	"strconv"
	"time"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
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
		text += " by " + visible.Line(a.Agent)
	}
	if a.Attempt > 1 {
		text += ", attempt " + strconv.Itoa(a.Attempt)
	}
	return text
}

// atWork fills in who is at work on which step, and what keeps other steps from being at work at
// the same time.
func (s *Plan) atWork(co *checkout.Checkout, waits plan.Unapproved) {
	holder, working := journal.Working(co.Repo, co.Doc.ID)
	if working = working && holder.PID != os.Getpid(); working {
		for _, n := range journal.UnderWay(co.Repo, co.Doc.ID) {
			s.runs(n)
		}
	}
	if step, ok := co.OpenByNext(); ok {
		if row := s.step(step); row != nil {
			row.Running = &AtWork{By: journal.ByPerson, Since: co.Progress.Steps[step].Last().Time}
		}
	}
	s.jobs, _ = co.Config.Int("plan.jobs")
	several := working && len(holder.Steps) > 0
	if several {
		s.jobs = 0 // as --jobs says
	}
	if s.jobs > 1 || several {
		busy := map[string]bool{}
		for _, id := range holder.Steps {
			busy[id] = working
		}
		beside := co.Progress.Beside(co.Doc.Plan, waits, busy)
		s.Beside = &beside
	}
}

// runs takes note of the beginning of a step that is at work, or of its session.
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

// SideBySide says what keeps steps from being at work at once, if they may be: a line for each
// reason.
func (s *Plan) SideBySide() []string {
	if s.Beside == nil {
		return nil
	}
	return s.Beside.Lines(s.jobs)
}

func (s *Plan) step(id string) *Step {
	for i := range s.Steps {
		if s.Steps[i].ID == id {
			return &s.Steps[i]
		}
	}
	return nil
}
