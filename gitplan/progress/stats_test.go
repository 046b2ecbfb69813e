package progress_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
)

// timeline is two weeks of work on a plan of two steps, as its events record it.
//
//	20 Nov  a planner asks two questions and takes 2 minutes, a person approves
//	        5 minutes later
//	        step a fails twice for 10 minutes each, then asks a question
//	        an hour later a person edits, opens it again, and it is done in 10
//	        step b fails for 5; 5 minutes later a person does it in an hour
//	1 Dec   a review of 20 minutes, 3 of them its verifier's and 5 its fixer's; then
//	        the person takes step b back
func timeline(t *testing.T) progress.PlanEvents {
	t.Helper()
	at := func(text string) time.Time {
		when, err := time.Parse("2006-01-02 15:04", text)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	usd := func(f float64) agent.Cost { return agent.Cost{USD: f, Known: true} }
	a, b := []string{"a"}, []string{"b"}
	return progress.PlanEvents{
		Plan: "p",
		Events: []journal.Event{
			{Kind: journal.Created, By: journal.ByAgent, Time: at("2026-11-20 10:00"), Agent: "m/plan", Tokens: agent.Tokens{In: 1000, Out: 100}, Cost: usd(.5), Took: 2 * time.Minute, Answers: 2},
			{Kind: journal.Approved, By: journal.ByPerson, Time: at("2026-11-20 10:05")},
			{Kind: journal.Started, By: journal.ByAgent, Steps: a, Attempt: 1, Time: at("2026-11-20 10:06")},
			{Kind: journal.Failed, By: journal.ByAgent, Steps: a, Attempt: 1, Time: at("2026-11-20 10:16"), Agent: "m/code", Tokens: agent.Tokens{In: 2000, Cached: 500, Out: 200}, Cost: usd(.125), Took: 10 * time.Minute},
			{Kind: journal.Started, By: journal.ByAgent, Steps: a, Attempt: 2, Time: at("2026-11-20 10:16")},
			{Kind: journal.Failed, By: journal.ByAgent, Steps: a, Attempt: 2, Time: at("2026-11-20 10:26"), Agent: "m/code", Tokens: agent.Tokens{Unreported: 3}, Took: 10 * time.Minute},
			{Kind: journal.Blocked, By: journal.ByAgent, Steps: a, Question: true, Time: at("2026-11-20 10:26")},
			{Kind: journal.Edited, By: journal.ByPerson, Time: at("2026-11-20 11:26")},
			{Kind: journal.Reopened, By: journal.ByPerson, Steps: a, Time: at("2026-11-20 11:30")},
			{Kind: journal.Started, By: journal.ByAgent, Steps: a, Attempt: 1, Time: at("2026-11-20 11:31")},
			{Kind: journal.Checked, By: journal.ByAgent, Steps: a, Attempt: 1, Agent: "m/code", Time: at("2026-11-20 11:41")},
			{Kind: journal.Done, By: journal.ByAgent, Steps: a, Attempt: 1, Time: at("2026-11-20 11:41"), Agent: "m/code", Tokens: agent.Tokens{In: 3000, Out: 300}, Cost: usd(.25), Took: 10 * time.Minute},
			{Kind: journal.Started, By: journal.ByAgent, Steps: b, Attempt: 1, Time: at("2026-11-20 11:42")},
			{Kind: journal.Failed, By: journal.ByAgent, Steps: b, Attempt: 1, Time: at("2026-11-20 11:47"), Agent: "m/code", Tokens: agent.Tokens{In: 100, Out: 10}, Cost: usd(.125), Took: 5 * time.Minute},
			{Kind: journal.Blocked, By: journal.ByAgent, Steps: b, Time: at("2026-11-20 11:47")},
			{Kind: journal.Reopened, By: journal.ByPerson, Steps: b, Time: at("2026-11-20 11:52")},
			{Kind: journal.Started, By: journal.ByPerson, Steps: b, Attempt: 1, Time: at("2026-11-20 11:53")},
			{Kind: journal.Done, By: journal.ByPerson, Steps: b, Attempt: 1, Time: at("2026-11-20 12:53")},
			{Kind: journal.Reviewed, By: journal.ByAgent, Time: at("2026-12-01 09:00"), Took: 20 * time.Minute, Usage: []journal.RoleUsage{
				{Role: agent.Reviewer, Agent: "m/judge", Sessions: 1, Tokens: agent.Tokens{In: 400, Out: 40}, Cost: usd(.25), Took: 12 * time.Minute},
				{Role: agent.Verifier, Agent: "m/judge", Sessions: 1, Tokens: agent.Tokens{Unreported: 1}, Took: 3 * time.Minute},
				{Role: agent.Fixer, Agent: "m/fix", Sessions: 1, Tokens: agent.Tokens{In: 800, Out: 80}, Cost: usd(.125), Took: 5 * time.Minute},
			}},
			{Kind: journal.Undone, By: journal.ByPerson, Steps: b, Time: at("2026-12-01 10:00")},
		},
	}
}

// TestStatsAreExact compares with a result that was computed by hand.
func TestStatsAreExact(t *testing.T) {
	s := progress.Measure([]progress.PlanEvents{timeline(t)})
	type line struct {
		Seconds, Productive int64
		Sessions, Untimed   int
		Tokens              agent.Tokens
		Unknown             int
		USD                 float64
		Attempts, Wasted    int
		Interventions       int
		Mean                int64
	}
	of := func(r progress.Row) line {
		l := line{r.Seconds, r.Productive, r.Sessions, r.Untimed, r.Tokens, r.UnknownTokens, -1, r.Attempts, r.Wasted, r.Interventions.Total, -1}
		if r.CostUSD != nil {
			l.USD = *r.CostUSD
		}
		if r.Mean != nil {
			l.Mean = *r.Mean
		}
		return l
	}
	got := map[string]line{"total": of(s.Total)}
	var months []string
	wasted := map[string]int64{}
	for name, rows := range map[string][]progress.Row{"role": s.Roles, "model": s.Models, "plan": s.Plans, "month": s.Months, "step": s.Steps} {
		for _, r := range rows {
			wasted[name+" "+r.Name] = r.WastedTokens
			if name == "month" {
				months = append(months, r.Name)
			}
			if (r.Plan == "p") != (name == "step") {
				t.Errorf("%s %s is of plan %q", name, r.Name, r.Plan)
			}
			got[name+" "+r.Name] = of(r)
		}
	}
	// 2 + 10 + 10 + 10 + 5 + 20 minutes, of which 2 + 10 + 20 were not wasted.
	total := line{3420, 1920, 8, 0, agent.Tokens{In: 7300, Cached: 500, Out: 730, Unreported: 4}, 2, 1.375, 4, 3,
		4, 480}
	want := map[string]line{
		"total":         total,
		"plan p":        total,
		"month 2026-11": {2220, 720, 5, 0, agent.Tokens{In: 6100, Cached: 500, Out: 610, Unreported: 3}, 1, 1, 4, 3, 3, 240},
		"month 2026-12": {1200, 1200, 3, 0, agent.Tokens{In: 1200, Out: 120, Unreported: 1}, 1, .375, 0, 0, 1, 1200},
		"step a":        {1800, 600, 3, 0, agent.Tokens{In: 5000, Cached: 500, Out: 500, Unreported: 3}, 1, .375, 3, 2, 1, 600},
		"step b":        {300, 0, 1, 0, agent.Tokens{In: 100, Out: 10}, 0, .125, 1, 1, 2, 0},
		"role planner":  {120, 120, 1, 0, agent.Tokens{In: 1000, Out: 100}, 0, .5, 0, 0, 1, 120},
		"role executor": {2100, 600, 4, 0, agent.Tokens{In: 5100, Cached: 500, Out: 510, Unreported: 3}, 1, .5, 4, 3, 3, 200},
		"role reviewer": {720, 720, 1, 0, agent.Tokens{In: 400, Out: 40}, 0, .25, 0, 0, 0, -1},
		"role verifier": {180, 180, 1, 0, agent.Tokens{Unreported: 1}, 1, -1, 0, 0, 0, -1},
		"role fixer":    {300, 300, 1, 0, agent.Tokens{In: 800, Out: 80}, 0, .125, 0, 0, 0, -1},
		"model m/plan":  {120, 120, 1, 0, agent.Tokens{In: 1000, Out: 100}, 0, .5, 0, 0, 1, 120},
		"model m/fix":   {300, 300, 1, 0, agent.Tokens{In: 800, Out: 80}, 0, .125, 0, 0, 0, -1},
		"model m/code":  {2100, 600, 4, 0, agent.Tokens{In: 5100, Cached: 500, Out: 510, Unreported: 3}, 1, .5, 4, 3, 3, 200},
		"model m/judge": {900, 900, 2, 0, agent.Tokens{In: 400, Out: 40, Unreported: 1}, 1, .25, 0, 0, 0, -1},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(- by hand, + computed)\n%s", d)
	}
	if !slices.Equal(months, []string{"2026-11", "2026-12"}) || wasted["step a"] != 2200 || wasted["step b"] != 110 || wasted["month 2026-11"] != 2310 || wasted["month 2026-12"] != 0 {
		t.Errorf("months %v, wasted %v", months, wasted)
	}
	// Waited for: 5 minutes for the approval, an hour for the answer, 5 minutes at step b, an hour after the
	// review. Working: 4 and 1 minutes, and the hour at step b.
	if d := cmp.Diff(progress.Human{Waiting: 7800, Acting: 3900}, s.Human); d != "" || s.Approvals != 1 {
		t.Errorf("%s, %d approvals", d, s.Approvals)
	}
}

// TestUnreportedIsUnknown: an attempt that a crash ended, and a plan without any event.
func TestUnreportedIsUnknown(t *testing.T) {
	a := []string{"a"}
	s := progress.Measure([]progress.PlanEvents{{Plan: "p", Events: []journal.Event{
		{Kind: journal.Started, By: journal.ByAgent, Steps: a}, {Kind: journal.Failed, By: journal.ByAgent, Steps: a},
		// The same again after the crash is not an intervention; nor are merged events.
		{Kind: journal.Edited}, {Kind: journal.Started, By: journal.ByAgent, Steps: a},
	}}})
	if r := s.Total; r.Attempts != 1 || r.Untimed != 1 || r.UnknownTokens != 1 || r.CostUSD != nil || r.Mean != nil || r.Interventions.Total != 0 {
		t.Errorf("%+v", r)
	}
	if s := progress.Measure(nil); s.Total.Sessions != 0 || s.Roles == nil || s.Models == nil {
		t.Errorf("%+v", s)
	}
}

// TestEditAndReopeningAreOneIntervention: in either order, for the role that had the session before. Sums of
// money are exact: .1+.2 is .3.
func TestEditAndReopeningAreOneIntervention(t *testing.T) {
	a := []string{"a"}
	edit, reopen := journal.Event{Kind: journal.Edited, By: journal.ByPerson}, journal.Event{Kind: journal.Reopened, By: journal.ByPerson, Steps: a}
	cost := func(usd float64) agent.Cost { return agent.Cost{USD: usd, Known: true} }
	for _, acts := range [][]journal.Event{{edit, reopen}, {reopen, edit}} {
		s := progress.Measure([]progress.PlanEvents{{Plan: "p", Events: slices.Concat([]journal.Event{
			{Kind: journal.Started, By: journal.ByAgent, Steps: a},
			{Kind: journal.Failed, By: journal.ByAgent, Steps: a, Agent: "m", Cost: cost(.1)},
			{Kind: journal.Blocked, By: journal.ByAgent, Steps: a},
		}, acts, []journal.Event{
			{Kind: journal.Started, By: journal.ByAgent, Steps: a},
			{Kind: journal.Done, By: journal.ByAgent, Steps: a, Agent: "m", Cost: cost(.2)},
		})}})
		if s.Total.Interventions.Total != 1 || s.Roles[0].Name != "executor" || s.Roles[0].Interventions.Total != 1 {
			t.Errorf("%+v %+v", s.Total, s.Roles)
		}
		if *s.Total.CostUSD != .3 {
			t.Errorf("cost %v", *s.Total.CostUSD)
		}
	}
}

// TestTimeOfAReview: each role has the time of its own sessions, also of parallel ones.
func TestTimeOfAReview(t *testing.T) {
	s := progress.Measure([]progress.PlanEvents{{Plan: "p", Events: []journal.Event{{Kind: journal.Reviewed, By: journal.ByAgent, Took: time.Minute, Usage: []journal.RoleUsage{
		{Role: agent.Reviewer, Agent: "m", Sessions: 2, Took: 90 * time.Second}, {Role: agent.Fixer, Agent: "m", Sessions: 1},
	}}}}})
	if r, f, m := s.Roles[0], s.Roles[1], s.Models[0]; r.Seconds != 90 || r.Untimed != 0 || f.Seconds != 0 || f.Untimed != 1 || m.Seconds != 90 || m.Untimed != 1 || s.Total.Productive != 90 {
		t.Errorf("%+v", s)
	}
}

// TestParallelStepsAreCountedOnce: work that passed and found the branch moved on is one session and one
// attempt, whether its event is the step's or, when the run ended, the plan's.
func TestParallelStepsAreCountedOnce(t *testing.T) {
	a, b := []string{"a"}, []string{"b"}
	held := []journal.RoleUsage{{Role: agent.Executor, Agent: "m", Sessions: 1, Tokens: agent.Tokens{In: 10, Out: 1}}}
	began := []journal.Event{
		{Kind: journal.Started, By: journal.ByAgent, Steps: a}, {Kind: journal.Started, By: journal.ByAgent, Steps: b},
		{Kind: journal.Checked, By: journal.ByAgent, Steps: b, Agent: "m"}, {Kind: journal.Checked, By: journal.ByAgent, Steps: a, Agent: "m"},
		{Kind: journal.Done, By: journal.ByAgent, Steps: a, Agent: "m", Tokens: agent.Tokens{In: 10, Out: 1}, Took: time.Second},
	}
	checked := []journal.Event{{Kind: journal.Checked, By: journal.ByAgent, Steps: b}, {Kind: journal.Done, By: journal.ByAgent, Steps: b}}
	for name, between := range map[string][]journal.Event{
		"of the step": {{Kind: journal.Failed, By: journal.ByAgent, Steps: b, Stopped: true, Usage: held, Tokens: held[0].Tokens, Took: 2 * time.Second}},
		"of the plan": {
			{Kind: journal.Failed, By: journal.ByAgent, Reason: journal.Interrupted, Stopped: true, Usage: held, Tokens: held[0].Tokens, Took: 2 * time.Second},
			{Kind: journal.Failed, By: journal.ByAgent, Steps: b, Stopped: true},
		},
	} {
		got := progress.Measure([]progress.PlanEvents{{Plan: "p", Events: slices.Concat(began, between, checked)}}).Total
		if got.Sessions != 2 || got.Attempts != 2 || got.Wasted != 0 || got.Tokens != (agent.Tokens{In: 20, Out: 2}) || got.Seconds != 3 || got.Productive != 3 || got.Untimed != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	asked := journal.Event{Kind: journal.Failed, By: journal.ByAgent, Steps: b, Question: true, Agent: "m", Tokens: agent.Tokens{In: 10}}
	if got := progress.Measure([]progress.PlanEvents{{Plan: "p", Events: append(began, asked)}}).Total; got.WastedTokens != 0 {
		t.Errorf("a question counts as a failed attempt: %+v", got)
	}
}
