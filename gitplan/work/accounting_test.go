package work

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// reviewed runs a session of a reviewer.
func (s *shop) reviewed(name string) agent.Result {
	s.Helper()
	a, err := s.Runner.Checkout.Config.NamedAgent(name, agent.Reviewer)
	s.Fine(err)
	return s.RunReview(s.Context(), a, agent.Session{Role: agent.Reviewer, Branch: "work", Dir: s.Dir, Review: agent.Review{Round: 1, Reviewer: name}})
}

const answers = `echo '{}'; echo '{"tokens":{"in":900,"out":100}}' >"$GIT_PLAN_RESULT"`

// The usage of every session is reported by an event, once: sessions of one role and agent together, those
// without a reported usage separately.
func TestSessionsAreReportedOnce(t *testing.T) {
	s := newShop(t, answers)
	s.Agent("silent", "echo '{}'")
	s = reopened(s.World)
	for _, name := range []string{"m", "silent", "m"} {
		if r := s.reviewed(name); r.Status != agent.Done {
			t.Fatalf("%s ended %+v", name, r)
		}
	}
	if n := len(s.Unreported()); n != 2 {
		t.Fatalf("unreported are %+v", s.Unreported())
	}
	s.Fine(s.Account(t.Context(), journal.Event{Kind: journal.Checked}))
	last := s.Checkout.Doc.Events[len(s.Checkout.Doc.Events)-1]
	if len(last.Usage) != 2 || last.Usage[0].Sessions != 2 || last.Usage[0].Tokens.In != 1800 || last.Usage[1].Tokens.Unreported != 1 || last.By != journal.ByAgent {
		t.Errorf("reported: %+v", last.Usage)
	}
	if last.Tokens.In != 1800 || last.Agent != "" || last.Took <= 0 {
		t.Errorf("in all it is %+v", last)
	}
	events := len(s.Checkout.Doc.Events)
	s.Fine(s.Account(t.Context(), journal.Event{Kind: journal.Checked}))
	if len(s.Unreported()) != 0 || len(s.Checkout.Doc.Events) != events {
		t.Error("they are reported twice")
	}
}

// Sessions without a result are counted with the reason, and those of an earlier process, which died before
// it could report them, with those of this one.
func TestSessionsOfAnEarlierProcess(t *testing.T) {
	s := newShop(t, answers)
	s.reviewed("m")
	died := s.Unreported()
	s = reopened(s.World)
	s.Remember(died)
	why := errors.New("no verdict\nat all")
	if err := s.AccountFailed(t.Context(), why); !errors.Is(err, why) {
		t.Errorf("it returns %v", err)
	}
	last := s.Checkout.Doc.Events[len(s.Checkout.Doc.Events)-1]
	if last.Kind != journal.Failed || last.Reason != "no verdict" || last.Agent != "m" || last.Tokens.Out != 100 || last.Usage[0].Took != 0 {
		t.Errorf("reported: %+v", last)
	}
	s.Remember(died)
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.AccountFailed(interrupted, why); !errors.Is(err, why) || s.Checkout.Doc.Events[len(s.Checkout.Doc.Events)-1].Reason != journal.Interrupted {
		t.Errorf("interrupted it returns %v, with %+v", err, s.Checkout.Doc.Events[len(s.Checkout.Doc.Events)-1])
	}
	s.Remember(died)
	s.ClearUnreported()
	if len(s.Unreported()) != 0 {
		t.Error("reported sessions were not removed")
	}
}

// Sessions of the same agent are one entry, however long each took; their total time is from the first to the
// last.
func TestUnreportedSessions(t *testing.T) {
	var u unreported
	begin := time.Now().Add(-time.Hour)
	for i := range 3 {
		u.note(agent.Reviewer, agent.Result{Agent: "m", Tokens: agent.Tokens{In: 1}}, begin.Add(time.Duration(i)*10*time.Minute))
	}
	u.note(agent.Verifier, agent.Result{Agent: "m"}, begin)
	held, took := u.take()
	if len(held) != 2 || held[0].Sessions != 3 || held[0].Tokens.In != 3 || held[0].Took < 150*time.Minute || took < time.Hour || took > 90*time.Minute {
		t.Errorf("%+v took %s", held, took)
	}
	if held, took = u.take(); held != nil || took != 0 {
		t.Errorf("then %+v took %s", held, took)
	}
}

// A fixer's attempts, which no event reports, are counted together by its outcome.
func TestFixersAttemptsAreCounted(t *testing.T) {
	s := newShop(t, `echo a >>a.txt; echo '{"tokens":{"in":900,"out":100}}' >"$GIT_PLAN_RESULT"`)
	s.Set("planAgent.m.price", "1,1,1")
	s = reopened(s.World)
	out := s.works(s.fix("test $(wc -l <a.txt) = 3"))
	s.ended(out, agent.Done, "")
	if out.Attempts != 3 || out.Result.Tokens.In != 2700 || !out.Result.Cost.Known || out.Result.Cost.USD != 0.003 {
		t.Errorf("after %d attempts it used %+v, %+v", out.Attempts, out.Result.Tokens, out.Result.Cost)
	}
	if held := s.Unreported(); len(held) != 1 || held[0].Sessions != 3 || held[0].Role != agent.Fixer {
		t.Errorf("unreported are %+v", held)
	}
	if s.Said(journal.FixEnd) == "" {
		t.Error("failed attempts are not reported")
	}
}

// A session that never began is not counted, and neither is one without a plan, which has no events.
func TestSessionsThatAreNotCounted(t *testing.T) {
	s := newShop(t, "true")
	s.Set("plan.reviewer.timeout", "soon")
	s = reopened(s.World)
	if r := s.reviewed("m"); r.Status != agent.Failed || len(s.Unreported()) != 0 {
		t.Errorf("it ended %+v", r)
	}
	s.Checkout.Doc = nil
	s.Remember([]journal.RoleUsage{{Agent: "m", Sessions: 1}})
	s.Fine(s.Account(t.Context(), journal.Event{Kind: journal.Failed}))
}

// A session's environment names it in git's reflog, so that its commits can be recognised.
func TestEnvironmentOfASession(t *testing.T) {
	s := newShop(t, `env >"$HOME/told1"; echo a >a.txt`)
	s.works(s.step())
	env := "\n" + s.Heard(1)
	name := s.sessions()[0]
	for _, want := range []string{"GIT_PLAN_SESSION=" + name, "GIT_PLAN_STEP=a", "GIT_PLAN_ID=" + s.Plan, "GIT_PLAN_ROLE=executor", "GIT_PLAN_ATTEMPT=1", "GIT_PLAN_BRANCH=work", "GIT_PLAN_DEPTH=1", "GIT_REFLOG_ACTION="} {
		if !strings.Contains(env, "\n"+want) {
			t.Errorf("%s is not set:\n%s", want, env)
		}
	}
}
