package hooks

import (
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/reviewers/rules"
)

// The modes of the gate, plan.prePush.
const (
	off   = "off"
	warn  = "warn"
	block = "block"
)

// pushing is one push under way.
type pushing struct {
	*checkout.Checkout
	receives bool // this repository is pushed to: its own refs say what it has
	remote   string
	named    bool     // remote is the name of where we push to, so refs/remotes says what it has
	others   []string // patterns of refs below its name that are another remote's
	mode     string
	all      []Push
	tracks   map[string]Push // by the name below refs/remotes that tracks each
	most     int             // how many commits are kept in memory at once

	lacks *lacking    // nil: not read yet
	past  *rules.Past // what was searched for an earlier ref
}
