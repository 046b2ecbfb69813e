package install

// Hook is a hook of git in which this program has something to do.
type Hook struct {
	Name string // as git names its file
	Does string // one line, for people
	// Mark is the folder below <common dir>/plan without which there is nothing
	// to do: the installed lines look for it before they start any program. It is
	// empty for the gate, which alone may stop git and always runs.
	Mark string
}

// Gate reports whether git obeys the hook's exit code.
func (h Hook) Gate() bool { return h.Mark == "" }

// All is the table of hooks, in the order in which they are installed.
func All() []Hook {
	return []Hook{
		{"pre-push", "the gate: stops a push that brings a conflict, a secret or, with plan.prePush=block, what no review passed", ""},
		{"prepare-commit-msg", "puts Plan-Step on a commit that you make while git plan next has a step open", "open"},
		{"commit-msg", "the same for a message that you type", "open"},
		{"post-rewrite", "records in the plan which commits replaced others, so that squash, fixup and amend keep what is done", "attached"},
		{"post-checkout", "names the plan of the branch, or one that a deleted branch has left", "attached"},
	}
}
