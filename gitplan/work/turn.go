package work

import "sync"

// Turn is the right of one worker to read and write the work tree, the branch and its index while
// others are at work beside it. Whoever has it may be sure that no other task of this process
// lands. A nil Turn is that of the only worker, who always has it.
type Turn struct {
	of    *sync.Mutex // of all
	mine  bool
	whole bool // it is given when the task is over, and not before
}

// NewTurn returns the turn of one of several, who share a lock.
func NewTurn(of *sync.Mutex) *Turn { return &Turn{of: of} }

// Take waits for the turn, unless the worker has it.
func (t *Turn) Take() {
	if t != nil && !t.mine {
		t.of.Lock()
		t.mine = true
	}
}

// Try takes the turn if nobody else has it.
func (t *Turn) Try() bool {
	if t != nil && !t.mine {
		t.mine = t.of.TryLock()
		return t.mine
	}
	return true
}

// Give lets the next have its turn, unless it is kept for the whole task.
func (t *Turn) Give() {
	if t != nil && !t.whole {
		t.End()
	}
}

// Whole keeps the turn until End: nobody else lands meanwhile.
func (t *Turn) Whole(whole bool) { t.whole = whole }

// End lets the next have its turn: the task is over.
func (t *Turn) End() {
	if t != nil && t.mine {
		t.mine = false
		t.of.Unlock()
	}
}
