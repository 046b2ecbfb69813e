package rounds

import (
	"fmt"
	"maps"
	"slices"

	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers/ledger"
)

// State is what the transition remembers from one round to the next.
type State struct {
	Rounds int  // how many are allowed, at least 1
	NoFix  bool // only report

	Round int            // the one under way, from 1
	Trees []string       // the tree of each round so far, the last is the current one
	Fixed map[string]int // how often the fixer said of a finding that it fixed it
	Open  []Blocking     // what the round under way found
}

// Blocking is a finding that keeps the branch from being good.
type Blocking struct {
	ID  string
	Ask bool // only a person can settle it
}

// Judged is what one round's reviewers and verifier came to.
type Judged struct {
	Tree       string // of the head that was judged
	Answers    int    // usable answers of required reviewers
	Incomplete string // why a required answer is missing; empty if none is
	Moved      string // how the branch moved meanwhile
	Spent      string // why the budget allows no more
	Blocking   []Blocking
	Notes      int // open findings that do not block
	Unread     int // files that reviewers were shown and none judged, though asked again
}

// Repaired is what one fixer came to.
type Repaired struct {
	Tree      string // of HEAD afterwards
	Moved     string // how the branch was moved from outside
	Spent     string
	Later     string   // why the fixer could not work now, or the verifier gave no usable answer about its work
	Reason    string   // why the fixer did not end well, in one line
	Fixed     []string // findings that it says it fixed
	Dismissed []string // findings that it explained away and the verifier agreed
}

// Do is what comes next.
type Do string

// The actions. Fix means the findings that the round found to block.
const (
	Judge Do = "judge"
	Fix   Do = "fix"
	Stop  Do = "stop"
)

// Action is what comes next and, for Stop, how the review ended and why.
type Action struct {
	Do     Do
	End    ledger.End
	Reason string
}

func end(e ledger.End, format string, a ...any) Action {
	return Action{Do: Stop, End: e, Reason: fmt.Sprintf(format, a...)}
}

// Begin returns the state before the first round. At least one round is run.
func Begin(rounds int, noFix bool) State {
	return State{Rounds: max(rounds, 1), NoFix: noFix, Round: 1, Fixed: map[string]int{}}
}

// AfterJudging decides what follows a round. Nothing is good before it is known that no required answer is missing.
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
	case r.Tree == s.Trees[len(s.Trees)-1] && r.Later != "": // in that case an unmoved HEAD means nothing
		return s, end(ledger.Incomplete, "%s", r.Later)
	case r.Tree == s.Trees[len(s.Trees)-1]:
		left := slices.DeleteFunc(slices.Clone(s.Open), func(b Blocking) bool { return slices.Contains(r.Dismissed, b.ID) })
		open := visible.Count(len(left), "finding") + " open"
		switch {
		case len(left) == 0:
			return s, end(ledger.Explained, "%s explained away, and the verifier agrees", visible.Count(len(s.Open), "finding"))
		case r.Reason != "":
			return s, end(ledger.Stalemate, "the fixer changed nothing (%s), with %s", r.Reason, open)
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
