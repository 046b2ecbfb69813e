package work

import "sync"

// Turn is one worker's right to read and write the work tree, the branch and the index while others
// are at work in parallel. A nil Turn belongs to the only worker, which always has it.
//
// To land, a worker must also be first in line. It stays first while its long checks run and others
// have the turn: they may begin then, but not land.
type Turn struct {
	of          *Turns
	mine, first bool
}

// Turns is what parallel workers take turns at. The line always comes before the tree.
type Turns struct{ tree, line sync.Mutex }

// Lock and Unlock take and end a turn for a caller that is no worker.
func (t *Turns) Lock()   { t.tree.Lock() }
func (t *Turns) Unlock() { t.tree.Unlock() }

// NewTurn returns the turn of one of several workers.
func (t *Turns) NewTurn() *Turn { return &Turn{of: t} }

// Take waits for the turn, unless the worker has it.
func (t *Turn) Take() {
	if t != nil && !t.mine {
		t.of.tree.Lock()
		t.mine = true
	}
}

// TryLand takes the turn to land if no other worker lands or has the turn.
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

// Land waits for the turn to land.
func (t *Turn) Land() {
	if t == nil || t.mine {
		return
	}
	if !t.first {
		t.of.line.Lock()
		t.first = true
	}
	t.Take()
}

// YieldTree lets others begin; the worker stays the next to land.
func (t *Turn) YieldTree() {
	if t != nil && t.mine {
		t.mine = false
		t.of.tree.Unlock()
	}
}

// Release ends the turn.
func (t *Turn) Release() {
	t.YieldTree()
	if t != nil && t.first {
		t.first = false
		t.of.line.Unlock()
	}
}
