package status

import (
	"testing"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/reviewers/ledger"
)

// While a plan is worked on, whatever blocks everything else comes first.
func TestNextCommand(t *testing.T) {
	s2 := openStep{id: "s2"}
	for _, c := range []struct {
		facts   facts
		command string
		text    string // "" is the command alone
	}{
		{facts{state: Open, open: s2}, "git plan step", "git plan step s2, or git plan run"},
		{facts{state: Open, open: openStep{id: "s2", half: true}}, "git plan step", "git plan step s2, which continues where it stopped (--clean starts over), or git plan run"},
		{facts{state: Open, open: openStep{id: "s2", noAgent: true}}, "git plan next", "git plan next s2; git plan step needs an agent: git plan doctor"},
		{facts{state: Open, open: openStep{id: "s2", noAgent: true}, spent: "git config plan.maxCost VALUE"}, "git config plan.maxCost VALUE", "git config plan.maxCost VALUE, then git plan step s2, or git plan run"},
		{facts{state: Open, open: openStep{id: "s2", first: because("git pull", "12ab did it")}}, "git pull", "git pull (12ab did it)"},
		{facts{state: Unapproved}, "git plan approve", ""},
		{facts{state: Unapproved, unseen: "a.txt changed"}, "git plan approve", "look at it, revert it or keep it, then git plan approve (a.txt changed)"},
		{facts{state: Blocked}, "git plan edit", ""},
		{facts{state: Blocked, blocked: "s1", ended: true}, "git plan replan -m 'what to try'", "git plan replan -m 'what to try' (the goal came no nearer; then git plan run)"},
		{facts{state: Blocked, blocked: "s1"}, "git plan log s1", "see why: git plan log s1; if the step is wrong: git plan edit s1; to try again: git plan reopen s1"},
		{facts{state: Blocked, blocked: "s1", why: journal.Event{Question: true}}, "git plan answer s1 \"your answer\"", "git plan answer s1 \"your answer\""},
		{facts{state: Running, holder: journal.Holder{Command: "run", PID: 7}}, "", "git plan run is at work (pid 7)"},
		{facts{state: Running, holder: journal.Holder{Command: "run", PID: 7}, stopping: true}, "", "git plan run is at work (pid 7); it was asked to stop, and ends after what is in progress"},
		{facts{state: Running, holder: journal.Holder{Command: "run", PID: 7}, underWay: "a merge is under way"}, "", "git plan run is at work (pid 7)"},
		{facts{state: Running, taken: "s1"}, "git plan done", "git plan done (step s1 was opened by git plan next)"},
		{facts{state: Unapproved, underWay: "a merge is under way"}, "git status", "git status (a merge is under way: finish or abort it first)"},
	} {
		is(t, next(c.facts), c.command, c.text)
	}
}

// is compares an advice; an empty text means the command alone.
func is(t *testing.T, a Advice, command, text string) {
	t.Helper()
	if text == "" {
		text = command
	}
	if a.Command != command || a.String() != text {
		t.Errorf("%q: %s\nwant %q: %s", a.Command, a, command, text)
	}
}

// When every step is done the review comes next, by an agent or a command that can run it; when it has ended,
// its result decides what follows.
func TestNextCommandAfterTheSteps(t *testing.T) {
	pushed := push{mergedInto: "main", branch: "work", hasPlan: true}
	of := func(end ledger.End, f ReviewFacts) Review { return Review{End: end, Facts: f} }
	for _, c := range []struct {
		facts   facts
		command string
		text    string
	}{
		{facts{review: of(none, ReviewFacts{})}, "git plan review", ""},
		{facts{review: of(none, ReviewFacts{}), pursues: true}, "git plan run", ""},
		{facts{review: of(none, ReviewFacts{}), pursues: true, ended: true}, "git plan replan -m 'what to try'", "git plan replan -m 'what to try' (the goal came no nearer; then git plan run)"},
		{facts{review: of(none, ReviewFacts{}), pursues: true, ended: true, spent: "git plan edit"}, "git plan edit", "git plan edit, then git plan run"},
		{facts{review: Review{End: ledger.Clean, Stale: true}}, "git plan review", ""},
		{facts{review: Review{End: ledger.Clean, LeftOut: "12"}}, "git plan review", ""},
		{facts{review: of(ledger.Clean, ReviewFacts{})}, "", "nothing, main already has work"},
		{facts{review: of(ledger.Clean, ReviewFacts{Stopped: true})}, "git plan review", "git plan review, by all reviewers: no review has passed for this version of the plan; pre-push blocks until one does"},
		{facts{review: Review{End: ledger.Notes, Only: []string{"rules", "sec"}}}, "git plan review", "git plan review, by all reviewers: only rules, sec judged"},
		{facts{review: of(ledger.Stalemate, ReviewFacts{Blocking: []string{"f915e03"}})}, "git plan review", "fix what blocks (git plan show --review) and commit it, then git plan review; or, if a finding is wrong: git plan dismiss f915e03 -m WHY"},
		{facts{review: of(ledger.Stalemate, ReviewFacts{Blocking: []string{"f915e03", "765ace4"}, Asked: "which one?"})}, `git plan answer f915e03 "your answer"`, "answer \"which one?\": git plan answer f915e03 \"your answer\", then git plan review; or decide it in the code and commit that; or, to leave the code as it is: git plan dismiss f915e03 -m WHY; 765ace4 blocks, too"},
		{facts{review: of(ledger.Budget, ReviewFacts{}), spent: "git config plan.maxTime VALUE"}, "git config plan.maxTime VALUE", "git config plan.maxTime VALUE, then git plan review"},
		{facts{review: of(ledger.Budget, ReviewFacts{})}, "git plan review", ""},
		{facts{review: of(none, ReviewFacts{}), noReviewer: true, gated: true}, "git plan review", "git plan review, which needs an agent, or a command that judges: git plan review -h"},
		{facts{review: of(none, ReviewFacts{}), noReviewer: true}, "git plan verify", "git plan verify, then nothing, main already has work; git plan review needs an agent, or a command that judges: git plan review -h"},
		{facts{review: of(ledger.Incomplete, ReviewFacts{Nothing: true})}, "", "nothing, main already has work"},
		{facts{review: of(ledger.Incomplete, ReviewFacts{GoesOn: true})}, "git plan review", "git plan review, which continues where it stopped"},
		{facts{review: of(ledger.Incomplete, ReviewFacts{})}, "git plan review", "fix what stopped it (git plan show --review) and commit that, then git plan review"},
		{facts{review: of(ledger.Incomplete, ReviewFacts{Missing: []string{"lint"}})}, "git plan review", "git plan review, which asks only those who gave no answer (lint); git plan show --review says why"},
	} {
		c.facts.state, c.facts.push = Done, pushed
		is(t, next(c.facts), c.command, c.text)
	}
	is(t, next(facts{state: Done, review: of(ledger.Incomplete, ReviewFacts{Nothing: true})}), "git plan review", "commit the changes to review, then git plan review")
}
