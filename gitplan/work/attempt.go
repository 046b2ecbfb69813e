package work

import (
	"context"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/place"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/site"
)

// Attempt is one session at a task, and the judgement of what it left.
type Attempt struct {
	w           *Worker
	p           *place.Place
	t           Task
	try         prompt.Attempt
	before      string            // why the attempt before it failed
	watch       *site.Watch       // what the session must leave alone
	accepted    string            // the tree that passed the checks inside the session
	unchecked   error             // why nothing could run the checks
	refused     string            // the last check that failed during the session, with its output
	claimed     agent.Result      // what the session said when that check failed
	missing     string            // the program of the check that failed last, if nobody has it
	lenient     map[string]bool   // the accepted checks that ran last, and whether they pass
	idle        map[string]string // checks that passed and ran no test: what their runner says
	folded      string            // the message of the session's own last commit
	finished    *agent.Result     // what the session said when it was done, if nothing has refused it yet
	unexplained []string          // files by which it fails, since the session gave no reason
	uncommitted bool              // nothing but git commit refused what it did
	out         *Outcome          // how it ends
}

// Attempt returns an attempt at a task in a place, whose ending is out.
func (w *Worker) Attempt(p *place.Place, t Task, try prompt.Attempt, out *Outcome) *Attempt {
	return &Attempt{w: w, p: p, t: t, try: try, out: out}
}

// Of sets what the attempt must leave alone.
func (a *Attempt) Of(watch *site.Watch) *Attempt {
	a.watch = watch
	return a
}

func (a *Attempt) record(ctx context.Context, e journal.Event) error {
	if a.t.Record == nil {
		return nil
	}
	err := a.t.Record(context.WithoutCancel(ctx), e)
	if err == nil && e.Kind == journal.Failed {
		a.w.unreported.take() // this reported it
	}
	return err
}

// event is that of an attempt that is over.
func (a *Attempt) event(kind journal.Kind) journal.Event {
	return journal.Event{
		Kind: kind, Head: journal.OrNone(a.p.Before.Head), Attempt: a.try.N, By: journal.ByAgent,
		Agent: a.out.Result.Agent, Tokens: a.out.Result.Tokens, Cost: a.out.Result.Cost, Took: a.out.Took,
		Reason: a.out.why(), Kept: a.out.Kept, Proposal: a.out.Result.Proposal, Stopped: stopped(*a.out), Session: a.try.Session,
		Question: kind == journal.Failed && a.out.asked(),
	}
}
