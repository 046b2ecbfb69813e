package reviewers

import (
	"fmt"
	"slices"
	"strings"
)

// End is how a review ended.
type End string

// The ends of a review. Only the first three are passes.
const (
	Clean       End = "clean"       // every reviewer answered and nothing is open
	Notes       End = "notes"       // only findings below the bar, or advice
	Explained   End = "dismissed"   // the fixer explained each finding away and the verifier agreed
	Stalemate   End = "stalemate"   // HEAD did not move and something still blocks, or one finding was "fixed" twice
	Oscillation End = "oscillation" // the tree is one that an earlier round had
	RoundsUp    End = "rounds"      // as many rounds as are allowed
	Moved       End = "moved"       // somebody else moved the branch
	Found       End = "findings"    // something blocks and nobody is to fix it
	Budget      End = "budget"      // tokens, money or time are spent
	Incomplete  End = "incomplete"  // somebody who must judge did not
)

// Passes reports whether the branch is good as far as the review goes.
func (e End) Passes() bool { return e == Clean || e == Notes || e == Explained }

// Code returns the exit code of the end.
func (e End) Code() int {
	switch e {
	case Clean, Notes, Explained:
		return 0
	case Moved:
		return 5
	case Budget:
		return 6
	}
	return 4
}

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
	Incomplete string // why somebody who must judge did not; empty when all did
	Moved      string // how the branch moved meanwhile
	Spent      string // why the budget allows no more
	Blocking   []Blocking
	Notes      int // open findings that do not block
}

// Repaired is what one fixer came to.
type Repaired struct {
	Tree      string // of HEAD afterwards
	Moved     string // how somebody else moved the branch
	Spent     string
	Later     string   // why the fixer, or the verifier of what it says, could not work now
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
	End    End
	Reason string
}

func end(e End, format string, a ...any) Action {
	return Action{Do: Stop, End: e, Reason: fmt.Sprintf(format, a...)}
}

// Begin returns the state before the first round. At least one round is run.
func Begin(rounds int, noFix bool) State {
	return State{Rounds: max(rounds, 1), NoFix: noFix, Round: 1, Fixed: map[string]int{}}
}

// AfterJudging decides what follows a judged round. The order of the cases is
// the point: nothing is good before it is known that everybody answered.
func AfterJudging(s State, j Judged) (State, Action) {
	s.Trees = append(slices.Clone(s.Trees), j.Tree)
	s.Open = j.Blocking
	switch {
	case j.Moved != "":
		return s, end(Moved, "%s", j.Moved)
	case j.Spent != "":
		return s, end(Budget, "%s", j.Spent)
	case j.Incomplete != "":
		return s, end(Incomplete, "%s", j.Incomplete)
	case j.Answers < 1:
		return s, end(Incomplete, "nobody judged the change")
	case len(j.Blocking) == 0 && j.Notes == 0:
		return s, end(Clean, "every reviewer that must answer did, and nothing is open")
	case len(j.Blocking) == 0:
		return s, end(Notes, "nothing blocks; %s", count(j.Notes, "note"))
	case s.NoFix:
		return s, end(Found, "%s; --no-fix was given, so nothing was fixed", blocks(j.Blocking))
	}
	for _, b := range j.Blocking {
		if s.Fixed[b.ID] >= 2 {
			return s, end(Stalemate, "finding %s was fixed twice and is still there", b.ID)
		}
	}
	switch {
	case !slices.ContainsFunc(j.Blocking, func(b Blocking) bool { return !b.Ask }):
		return s, end(Stalemate, "%s that only a person can settle", count(len(j.Blocking), "finding"))
	case s.Round >= s.Rounds:
		return s, end(RoundsUp, "%s after %s", blocks(j.Blocking), count(s.Round, "round"))
	}
	return s, Action{Do: Fix}
}

// AfterFixing decides what follows a fixer: another round if the tree is one that no
// round had, else the end.
func AfterFixing(s State, r Repaired) (State, Action) {
	switch {
	case r.Moved != "":
		return s, end(Moved, "%s", r.Moved)
	case r.Spent != "":
		return s, end(Budget, "%s", r.Spent)
	case r.Tree == s.Trees[len(s.Trees)-1] && r.Later != "": // then it says nothing that HEAD did not move
		return s, end(Incomplete, "%s", r.Later)
	case r.Tree == s.Trees[len(s.Trees)-1]:
		return s, s.stood(r)
	case slices.Contains(s.Trees, r.Tree):
		return s, end(Oscillation, "the fix brought back the tree of an earlier round")
	}
	fixed := make(map[string]int, len(s.Fixed))
	for id, n := range s.Fixed {
		fixed[id] = n
	}
	for _, id := range slices.Compact(slices.Sorted(slices.Values(r.Fixed))) {
		fixed[id]++
	}
	s.Fixed, s.Round = fixed, s.Round+1
	return s, Action{Do: Judge}
}

// stood returns the end if HEAD did not move after a fixer.
func (s State) stood(r Repaired) Action {
	var left []string
	dismissed := setOf(r.Dismissed)
	for _, b := range s.Open {
		if !dismissed[b.ID] {
			left = append(left, b.ID)
		}
	}
	switch {
	case len(left) == 0:
		return end(Explained, "%s explained away, and the verifier agrees", count(len(s.Open), "finding"))
	case r.Reason != "":
		return end(Stalemate, "the fixer changed nothing (%s), with %s open: %s", r.Reason, count(len(left), "finding"), strings.Join(left, ", "))
	}
	return end(Stalemate, "the fixer changed nothing, with %s open: %s", count(len(left), "finding"), strings.Join(left, ", "))
}

func blocks(list []Blocking) string {
	if len(list) == 1 {
		return "1 finding blocks"
	}
	return fmt.Sprintf("%d findings block", len(list))
}
