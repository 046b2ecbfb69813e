package ledger

import (
	"cmp"
	"slices"
)

// End is how a review ended.
type End string

// The ends of a review. Only the first three are passes.
const (
	Clean       End = "clean"       // every reviewer answered; nothing is open but findings with a wrong quote
	Notes       End = "notes"       // no open finding blocks
	Explained   End = "dismissed"   // each blocking finding was dismissed, by a person, or by the fixer and the verifier
	Stalemate   End = "stalemate"   // HEAD did not move and something still blocks, or one finding was "fixed" twice
	Oscillation End = "oscillation" // a fix restored the tree of an earlier round
	RoundsUp    End = "rounds"      // something blocks after the last allowed round
	Moved       End = "moved"       // the branch was moved from outside
	Found       End = "findings"    // something blocks, and no fixer is set
	Budget      End = "budget"      // tokens, money or time are spent
	Incomplete  End = "incomplete"  // a required reviewer or verifier did not answer
)

// Passes reports whether the review passed.
func (e End) Passes() bool { return e == Clean || e == Notes || e == Explained }

// Repairable reports whether a review ended with findings that a fixer or a person can settle.
func (e End) Repairable() bool {
	return slices.Contains([]End{Stalemate, Oscillation, RoundsUp, Found}, e)
}

// Code returns the exit code of the end.
func (e End) Code() int {
	if e.Passes() {
		return 0
	}
	return cmp.Or(map[End]int{Moved: 5, Budget: 6}[e], 4)
}

// Words returns the end in words for people.
func (e End) Words() string {
	return cmp.Or(map[End]string{Notes: "passed with notes", Explained: "passed with dismissed findings",
		Stalemate: "waits for you", RoundsUp: "out of rounds"}[e], string(e))
}
