package rounds

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/reviewers/ledger"
)

// drawRound draws a round of reviewers that may do anything: fail, repeat the same finding for ever, find
// something new each time.
func drawRound(r *rand.Rand, tree string) Judged {
	j := Judged{Tree: tree, Answers: r.IntN(4), Notes: r.IntN(3)}
	if r.IntN(12) == 0 {
		j.Incomplete = "timeout"
	}
	if r.IntN(20) == 0 {
		j.Moved = "switched"
	}
	if r.IntN(20) == 0 {
		j.Spent = "spent"
	}
	for range r.IntN(3) {
		j.Blocking = append(j.Blocking, Blocking{ID: fmt.Sprint(r.IntN(4)), Ask: r.IntN(6) == 0})
	}
	return j
}

// drawFix draws a fixer that may do anything: nothing, go back, lie.
func drawFix(r *rand.Rand, s State) Repaired {
	f := Repaired{Tree: s.Trees[len(s.Trees)-1]}
	if r.IntN(20) == 0 {
		f.Spent = "spent"
	}
	switch r.IntN(4) {
	case 0:
		f.Tree = s.Trees[r.IntN(len(s.Trees))]
	case 1, 2:
		f.Tree = fmt.Sprint("tree", r.Uint64())
	}
	if r.IntN(20) == 0 {
		f.Moved = "rewound"
	}
	for id := range 4 {
		switch r.IntN(3) {
		case 0:
			f.Fixed = append(f.Fixed, fmt.Sprint(id))
		case 1:
			f.Dismissed = append(f.Dismissed, fmt.Sprint(id))
		}
	}
	return f
}

func TestTheLoopEndsWhateverReviewersAndFixersDo(t *testing.T) {
	seen := map[ledger.End]int{}
	for seed := range uint64(50_000) {
		r := rand.New(rand.NewPCG(seed, 1))
		rounds := r.IntN(6)
		s := Begin(rounds, r.IntN(8) == 0)
		tree, judgedRounds := "tree0", 0
		var last Judged
		var dismissed []string
		next := Action{Do: Judge}
		for next.Do != Stop {
			switch next.Do {
			case Judge:
				last, dismissed = drawRound(r, tree), nil
				judgedRounds++
				s, next = AfterJudging(s, last)
			case Fix:
				if s.NoFix {
					t.Fatalf("seed %d: a fixer was started", seed)
				}
				f := drawFix(r, s)
				tree, dismissed = f.Tree, f.Dismissed
				s, next = AfterFixing(s, f)
			}
			if judgedRounds > max(rounds, 1) {
				t.Fatalf("seed %d: %d rounds of %d", seed, judgedRounds, rounds)
			}
		}
		seen[next.End]++
		if !next.End.Passes() {
			continue
		}
		if last.Incomplete != "" || last.Answers == 0 || last.Moved != "" || last.Spent != "" {
			t.Fatalf("seed %d: %s although the round was %+v", seed, next.End, last)
		}
		for _, b := range last.Blocking {
			if next.End != ledger.Explained || !slices.Contains(dismissed, b.ID) {
				t.Fatalf("seed %d: %s with %s open", seed, next.End, b.ID)
			}
		}
	}
	for _, e := range []ledger.End{ledger.Clean, ledger.Notes, ledger.Explained, ledger.Stalemate, ledger.Oscillation, ledger.RoundsUp, ledger.Moved, ledger.Found, ledger.Budget, ledger.Incomplete} {
		if seen[e] == 0 {
			t.Errorf("no run ended %s", e)
		}
	}
}

func TestFindingFixedTwiceIsAStalemate(t *testing.T) {
	s, next := Begin(9, false), Action{}
	for round := range 3 {
		s, next = AfterJudging(s, Judged{Tree: fmt.Sprint(round), Answers: 1, Blocking: []Blocking{{ID: "a"}}})
		if next.Do == Fix {
			s, next = AfterFixing(s, Repaired{Tree: fmt.Sprint(round + 1), Fixed: []string{"a"}})
		}
	}
	if next.End != ledger.Stalemate || s.Round != 3 {
		t.Errorf("%+v in round %d", next, s.Round)
	}
}

func TestNothingIsCleanWithoutAReviewer(t *testing.T) {
	if _, next := AfterJudging(Begin(3, false), Judged{Tree: "t", Answers: 1, Unread: 2}); next.End != ledger.Notes || !strings.Contains(next.Reason, "no reviewer judged 2 files") {
		t.Errorf("%+v", next)
	}
	if _, next := AfterJudging(Begin(3, false), Judged{Tree: "t"}); next.End != ledger.Incomplete {
		t.Errorf("%+v", next)
	}
}
