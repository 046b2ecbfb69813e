package work

import "testing"

// Whoever is the next to land lets others begin, and no other land.
func TestOthersBeginWhileTheNextToLandIsAside(t *testing.T) {
	turns := new(Turns)
	one, two := turns.NewTurn(), turns.NewTurn()
	if !one.TryLand() {
		t.Fatal("nobody has the turn")
	}
	if two.TryLand() {
		t.Fatal("two land at once")
	}
	one.YieldTree()
	two.Take() // waits for nobody: it begins
	two.Release()
	if two.TryLand() {
		t.Error("another lands before the one that is first in line")
	}
	two.Release()
	one.Land()
	one.Release()
	if !two.TryLand() {
		t.Error("the turn was not given back")
	}
}
