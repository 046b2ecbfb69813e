package hooks

// Hook is one hook of git that this program has something to do in.
type Hook struct {
	Name string // as git names its file
	Does string // one line, for people
}

// All is the table of hooks, in the order in which they are installed.
func All() []Hook {
	return []Hook{
		{"pre-push", "the gate: stops a push that brings a conflict, a secret or, with plan.prePush=block, what no review passed"},
	}
}
