package status

import (
	"context"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/doctor"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
)

// State is how far a plan is, as `git plan status --porcelain` prints it.
type State string

// The states of a plan.
const (
	Running    State = "running" // it is being worked on, or a person has a step open
	Unapproved State = "unapproved"
	Open       State = "open" // a step can be done
	Blocked    State = "blocked"
	Done       State = "done" // every step is; its review is another matter
)

// Plan is how far a plan is, as status --json prints it.
type Plan struct {
	Schema   int      `json:"schema"`
	Plan     string   `json:"plan"`
	Branch   string   `json:"branch"`
	Base     string   `json:"base"`
	Title    string   `json:"title"`
	State    State    `json:"state"`
	Progress Progress `json:"progress"`
	Steps    []Step   `json:"steps"`

	Requirements []progress.Requirement `json:"requirements,omitempty"`
	Review       Review                 `json:"review"`

	Proposals []progress.Proposal `json:"proposals,omitempty"` // proposed changes of the plan

	DoneWhen  []progress.Course `json:"done_when,omitempty"` // the results of its commands
	Plannings int               `json:"plannings,omitempty"` // the number of plannings within the Bounds

	Manual []progress.Manual `json:"manual,omitempty"` // the criteria for a person

	Left []string `json:"left,omitempty"` // files in the tree after a session whose git plan was killed
}

type Progress struct {
	Done  int `json:"done"`
	Total int `json:"total"`
}

type Step struct {
	N      int            `json:"n"`
	ID     string         `json:"id"`
	Title  string         `json:"title"`
	State  progress.State `json:"state"`
	Commit string         `json:"commit"` // "" without one
	Reason string         `json:"reason,omitempty"`

	Weakened []string `json:"weakened,omitempty"` // weakened tests and checks, with the reasons

	Originals []string `json:"-"` // refs that keep the user's files as they were before sessions changed them

	Unapproved bool `json:"unapproved,omitempty"` // it was changed since the plan was approved

	Running *AtWork `json:"running,omitempty"` // the running attempt, or nil
}

// Of returns how far a plan is; with an error if its review cannot be read.
func Of(ctx context.Context, co *checkout.Checkout) (*Plan, error) {
	p := co.Doc.Plan
	s := &Plan{
		Schema: 1, Plan: co.Doc.ID, Branch: co.Branch, Base: p.Base, Title: p.Title,
		Progress: Progress{co.Progress.Done, co.Progress.Total}, DoneWhen: progress.Courses(co.Doc.Events),
		Plannings: progress.Plannings(co.Doc.Events), Manual: progress.Manuals(p, co.Doc.Events),
		Proposals: progress.Proposals(co.Doc.Events),
	}
	waits, err := integrity.Waits(co.Repo, co.Doc.ID, co.Doc.Plan)
	if err != nil {
		return nil, err
	}
	unended := doctor.UnfinishedTasks(co, co.Doc.ID, co.Doc.Events)
	for _, step := range p.Steps {
		st := co.Progress.Steps[step.ID]
		row := StepOf(&step, st)
		if st.State == progress.StateOpen && slices.Contains(unended, step.ID) {
			row.Reason = journal.Interrupted // the next command will record it
		}
		row.Unapproved = waits.Whole == "" && waits.WaitsFor(row.ID) && row.State != progress.StateDone &&
			row.State != progress.StateSkipped
		s.Steps = append(s.Steps, row)
	}
	for _, e := range co.Doc.Events {
		if row := s.step(e.Step()); row != nil && e.Originals != nil {
			row.Originals = plan.Unique(append(row.Originals, e.Originals...))
		}
	}
	s.Requirements = co.Progress.Requirements(p)
	s.Review, err = ReviewOf(ctx, co)
	fixes := slices.ContainsFunc(unended, func(task string) bool { _, ok := p.Step(task); return !ok })
	s.Review.Facts.GoesOn = s.Review.Facts.GoesOn || fixes || s.Review.End == "incomplete" && co.Attempts().FixWaits(ctx)
	if p.Approvable() != nil || len(co.Store.Unverified(co.Doc)) > 0 {
		waits.Whole = "the plan"
	}
	r := s.Review
	if _, unseen := co.SetupChange(); co.Progress.Complete() && r.End.Passes() && !r.Stale && !r.Facts.Stopped && len(r.Only) == 0 && !unseen { // nothing is left to run
		waits = plan.Unapproved{}
	}
	s.State = stateOf(co, waits)
	s.atWork(co)
	if len(unended) > 0 && s.State != Running {
		s.Left = gitplan.InterruptedFiles(ctx, co)
	}
	return s, err
}

// StepOf returns a step in its state.
func StepOf(s *plan.Step, st progress.StepState) Step {
	out := Step{N: s.N, ID: s.ID, Title: s.Title, State: st.State, Commit: st.CommitOID(), Reason: st.Reason}
	if st.State == progress.StateDone {
		out.Reason, out.Weakened = "", st.Last().Weakened
	}
	return out
}

func stateOf(co *checkout.Checkout, waits plan.Unapproved) State {
	holder, working := journal.Working(co.Repo, co.Doc.ID)
	working = working && holder.PID != os.Getpid() // our own process knows what it does
	_, open := co.OpenByNext()
	_, next := co.Progress.NextOf(co.Doc.Plan, waits)
	switch {
	case working || open:
		return Running
	case !next && !waits.None():
		return Unapproved
	case co.Progress.Complete():
		return Done
	case !next:
		return Blocked
	}
	return Open
}

// Findings returns how many findings of the last review keep a plan from being done whose steps all are.
func (s *Plan) Findings() int {
	if s.State != Done || s.Review.Stale || s.Review.LeftOut != "" {
		return 0
	}
	return len(s.Review.Facts.Blocking)
}

// AtWork is the running attempt at a step.
type AtWork struct {
	By      string    `json:"by"`              // agent or person
	Agent   string    `json:"agent,omitempty"` // the session's agent, once it has begun
	Attempt int       `json:"attempt,omitempty"`
	Session string    `json:"session,omitempty"`
	Since   time.Time `json:"since"` // the start of the session, or before it of the step
}

// String says it to people.
func (a AtWork) String() string {
	text := "running since " + a.Since.Local().Format("15:04:05")
	switch {
	case a.By == journal.ByPerson:
		text = "opened by git plan next at " + a.Since.Local().Format("2006-01-02 15:04")
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
	switch row := s.step(n.Step); {
	case row == nil || row.State != progress.StateRunning:
	case n.Kind == journal.StepStart:
		row.Running = &AtWork{By: journal.ByAgent, Attempt: n.Attempt, Since: n.Time}
	case n.Kind == journal.SessionStart && row.Running != nil:
		row.Running.Agent, row.Running.Attempt, row.Running.Session, row.Running.Since = n.Agent, n.Attempt, n.Session, n.Time
	}
}

func (s *Plan) step(id string) *Step {
	if i := slices.IndexFunc(s.Steps, func(st Step) bool { return st.ID == id }); i >= 0 {
		return &s.Steps[i]
	}
	return nil
}
