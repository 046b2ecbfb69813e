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
	one.ReleaseAll()
	two.Exclusive(true)
	two.Take()
	two.Release() // it is kept
	if one.TryLand() {
		t.Error("another lands while one has the turn for its whole task")
	}
	two.ReleaseAll()
	if one.Land(); !one.mine || !one.first {
		t.Error("the turn was not given back")
	}
}
