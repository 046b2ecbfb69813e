package work

import (
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// verdict is what follows an attempt.
type verdict int

const (
	finished verdict = iota // the task is done
	another                 // another attempt, which learns why this one failed
	givenUp                 // what the session left is kept, and the tree put back
)

// ended is what is known of an attempt that is over.
type ended struct {
	done      bool
	asks      bool // another session answers its question, once
	retryable bool // another fresh session may turn it into done
	hopeless  bool // another one would end the same way
	refused   bool // nothing but git commit refuses the work
	last      bool // all attempts are used up
}

// next decides what follows. The order of the cases is the point.
func (e ended) next() verdict {
	switch {
	case e.done:
		return finished
	case e.hopeless, e.refused:
		return givenUp
	case e.asks:
		return another // a question counts as no attempt
	case e.retryable && !e.last:
		return another
	}
	return givenUp
}

// over returns what is known of the attempt now that it is over. last says that no other is left.
func (a *Attempt) over(last bool) ended {
	out := a.out
	e := ended{done: out.Status == agent.Done, asks: a.t.Assume && out.asked() && a.try.Question == "", retryable: retryable(*out), last: last}
	e.refused = a.uncommitted && out.Status == agent.Failed && a.t.Record != nil && (out.Hopeless || a.repeats() || a.t.passed(a.try) || last)
	if out.asked() {
		out.Reason = out.Question
	}
	e.hopeless = a.hopeless()
	return e
}

// reportUnsettled reports what whoever settles the task does not.
func (a *Attempt) reportUnsettled() {
	if a.out.Status == agent.Done && a.t.Record != nil {
		return
	}
	for _, text := range a.out.Reported {
		a.w.Report(journal.About(a.t.Name, a.t.Role, a.try.N).Of(journal.StepNote, text))
	}
}
