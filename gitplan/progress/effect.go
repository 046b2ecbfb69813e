package progress

// effect is what a commit, or a part of its message, does to steps.
type effect map[string]turn

// turn is whether a step is given or taken back, first and last: a squashed message may hold
// a step, its revert, and the step again.
type turn struct {
	first, last bool
	named       bool // some word is its name: it was done, not only brought back by a revert
}

func (e effect) say(step string, given, named bool) {
	t, ok := e[step]
	if t.last, t.named = given, t.named || named; !ok {
		t.first = given
	}
	e[step] = t
}

// joint returns what several effects do one after another.
func joint(all []effect) effect {
	out := effect{}
	for _, e := range all {
		for step, t := range e {
			out.say(step, t.first, t.named)
			out.say(step, t.last, t.named)
		}
	}
	return out
}

// did returns the effect without its order, and without the steps that it leaves as they
// were.
func (e effect) did() map[string]bool {
	out := map[string]bool{}
	for step, t := range e {
		if t.first == t.last {
			out[step] = t.last
		}
	}
	return out
}
