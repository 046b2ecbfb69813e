package rounds

import (
	"fmt"
	"maps"
	"slices"

	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers/ledger"
)

// State is the state of the loop between its transitions.
type State struct {
	Rounds int  // the maximum number of rounds, at least 1
	NoFix  bool // no fixer runs

	Round int            // the number of the current round, from 1
	Trees []string       // the tree of each round so far; the last is the current one
	Fixed map[string]int // finding ID -> how often the fixer claimed to have fixed it
	Open  []Blocking     // the blocking findings of the current round
}

// Blocking is a finding that keeps the review from passing.
type Blocking struct {
	ID  string
	Ask bool // only a person can settle it
}

// Judged is the result of one round's reviewers and verifier.
type Judged struct {
	Tree       string // the tree of the judged commit
	Answers    int    // the number of usable answers of required reviewers
	Incomplete string // why a required answer is missing; empty if none is missing
	Moved      string // how the branch moved meanwhile; empty if it did not
	Spent      string // why the budget allows no more sessions; empty if it does
	Blocking   []Blocking
	Notes      int // the number of open findings that do not block
	Unread     int // the number of files that reviewers were shown and none judged, though asked again
}

// Repaired is the result of one fixer. Its strings are empty if they do not apply.
type Repaired struct {
	Tree      string   // the tree of HEAD afterwards
	Moved     string   // how the branch was moved from outside
	Spent     string   // why the budget allows no more sessions
	Later     string   // why the fixer could not work now, or its dismissals could not be verified
	Reason    string   // why the fixer did not finish, in one line
	Fixed     []string // IDs of findings that it claims to have fixed
	Dismissed []string // IDs of findings that it dismissed with the verifier's consent
}

// Do is the kind of an Action.
type Do string

// The kinds of actions. Fix is about the blocking findings of the round.
const (
	Judge Do = "judge"
	Fix   Do = "fix"
	Stop  Do = "stop"
)

// Action is the next action and, for Stop, how the review ended and why.
type Action struct {
	Do     Do
	End    ledger.End
	Reason string
}

func end(e ledger.End, format string, a ...any) Action {
	return Action{Do: Stop, End: e, Reason: fmt.Sprintf(format, a...)}
}

// Begin returns the state before the first round.
func Begin(rounds int, noFix bool) State {
	return State{Rounds: max(rounds, 1), NoFix: noFix, Round: 1, Fixed: map[string]int{}}
}

// AfterJudging decides what follows a round. No review passes while a required answer is missing.
func AfterJudging(s State, j Judged) (State, Action) {
	s.Trees = append(slices.Clone(s.Trees), j.Tree)
	s.Open = j.Blocking
	switch {
	case j.Moved != "":
		return s, end(ledger.Moved, "%s", j.Moved)
	case j.Spent != "":
		return s, end(ledger.Budget, "%s", j.Spent)
	case j.Incomplete != "":
		return s, end(ledger.Incomplete, "%s", j.Incomplete)
	case j.Answers < 1:
		return s, end(ledger.Incomplete, "no reviewer judged the change")
	case len(j.Blocking) == 0 && j.Unread > 0:
		return s, end(ledger.Notes, "nothing blocks, and no reviewer judged %s; %s", visible.Count(j.Unread, "file"),
			visible.Count(j.Notes, "note"))
	case len(j.Blocking) == 0 && j.Notes == 0:
		return s, end(ledger.Clean, "nothing is open")
	case len(j.Blocking) == 0:
		return s, end(ledger.Notes, "nothing blocks; %s", visible.Count(j.Notes, "note"))
	case s.NoFix:
		return s, end(ledger.Found, "%s; --no-fix was given, so nothing was fixed", blocks(j.Blocking))
	}
	for _, b := range j.Blocking {
		if s.Fixed[b.ID] >= 2 {
			return s, end(ledger.Stalemate, "finding %s is still there after two fixes", ledger.Short(b.ID))
		}
	}
	switch {
	case !slices.ContainsFunc(j.Blocking, func(b Blocking) bool { return !b.Ask }):
		return s, end(ledger.Stalemate, "%s that only a person can settle", visible.Count(len(j.Blocking), "finding"))
	case s.Round >= s.Rounds:
		return s, end(ledger.RoundsUp, "%s after %s", blocks(j.Blocking), visible.Count(s.Round, "round"))
	}
	return s, Action{Do: Fix}
}

// AfterFixing decides what follows a fixer: another round if no round had the tree, else the end.
func AfterFixing(s State, r Repaired) (State, Action) {
	switch {
	case r.Moved != "":
		return s, end(ledger.Moved, "%s", r.Moved)
	case r.Spent != "":
		return s, end(ledger.Budget, "%s", r.Spent)
	case r.Tree == s.Trees[len(s.Trees)-1] && r.Later != "": // an unmoved HEAD proves nothing then
		return s, end(ledger.Incomplete, "%s", r.Later)
	case r.Tree == s.Trees[len(s.Trees)-1]:
		left := slices.DeleteFunc(slices.Clone(s.Open), func(b Blocking) bool { return slices.Contains(r.Dismissed, b.ID) })
		open := visible.Count(len(left), "finding") + " open"
		switch {
		case len(left) == 0:
			return s, end(ledger.Explained, "%s explained away, and the verifier agrees", visible.Count(len(s.Open), "finding"))
		case r.Reason != "":
			return s, end(ledger.Stalemate, "no change by the fixer was committed (%s), with %s", r.Reason, open)
		}
		return s, end(ledger.Stalemate, "the fixer changed nothing, with %s", open)
	case slices.Contains(s.Trees, r.Tree):
		return s, end(ledger.Oscillation, "the fix brought back the tree of an earlier round")
	}
	fixed := map[string]int{}
	maps.Copy(fixed, s.Fixed)
	for _, id := range slices.Compact(slices.Sorted(slices.Values(r.Fixed))) {
		fixed[id]++
	}
	s.Fixed, s.Round = fixed, s.Round+1
	return s, Action{Do: Judge}
}

func blocks(list []Blocking) string {
	return visible.Count(len(list), "finding") + map[bool]string{true: " blocks", false: " block"}[len(list) == 1]
}
