package work

import (
	"sync"
)

// Turn is the right of one worker to read and write the work tree, the branch and its index while
// others are at work beside it. Whoever has it may be sure that no other task of this process
// lands. A nil Turn is that of the only worker, who always has it.
//
// To land, a worker must also be first in line. It can stay first while others have the turn:
// during its long checks they may begin, but not land.
type Turn struct {
	of    *Turns
	mine  bool
	first bool // in line
	whole bool // it is given when the task is over, and not before
}

// Turns is what several take turns at.
type Turns struct{ tree, line sync.Mutex }

// Lock takes a turn for whoever does no task.
func (t *Turns) Lock() { t.tree.Lock() }

// Unlock ends it.
func (t *Turns) Unlock() { t.tree.Unlock() }

// NewTurn returns the turn of one of several workers.
func (t *Turns) NewTurn() *Turn { return &Turn{of: t} }

// Take waits for the turn, unless the worker has it.
func (t *Turn) Take() {
	if t == nil || t.mine {
		return
	}
	if t.whole { // it is going to land: being first in line always comes before the tree
		t.line()
	}
	t.of.tree.Lock()
	t.mine = true
}

func (t *Turn) line() {
	if !t.first {
		t.of.line.Lock()
		t.first = true
	}
}

// TryLand takes the turn to land if nobody else lands, or has the turn.
func (t *Turn) TryLand() bool {
	if t == nil || t.mine {
		return true
	}
	if !t.first && !t.of.line.TryLock() {
		return false
	}
	t.first = true
	t.mine = t.of.tree.TryLock()
	return t.mine
}

// Land waits for the turn, to land.
func (t *Turn) Land() {
	if t != nil && !t.mine {
		t.line()
		t.Take()
	}
}

// YieldTree lets others begin; the worker stays the next to land.
func (t *Turn) YieldTree() {
	if t != nil && t.mine && !t.whole {
		t.mine = false
		t.of.tree.Unlock()
	}
}

// Release lets the next have its turn, unless it is kept for the whole task.
func (t *Turn) Release() {
	if t != nil && !t.whole {
		t.ReleaseAll()
	}
}

// Exclusive keeps the turn until ReleaseAll: nobody else lands, or begins, meanwhile.
func (t *Turn) Exclusive(whole bool) { t.whole = whole }

// ReleaseAll lets the next have its turn: the task is over.
func (t *Turn) ReleaseAll() {
	if t == nil {
		return
	}
	if t.mine {
		t.mine = false
		t.of.tree.Unlock()
	}
	if t.first {
		t.first = false
		t.of.line.Unlock()
	}
}
