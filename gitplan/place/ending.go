package place

import "github.com/git-plan/git-plan/gitplan/agent"

// Ending is what became of the work of one attempt.
type Ending struct {
	Status   agent.Status // Done only when checks passed and the work is committed
	Commit   string       // the one commit; None if none was needed
	Reason   string
	Hopeless bool     // another session would fail for that, too
	Kept     string   // ref under which an unfinished attempt is kept
	Reported []string // drift and the like: told, not failed
	// SetupChanged names what of the repository's set-up changed during a
	// session. A person must look at it; nothing was committed.
	SetupChanged []string
}

// Asked is what a task asks of its place.
type Asked struct {
	Files   []string // that it is to write; patterns, as a step names them
	Checks  []string // commands that judge it
	Session bool     // a session does it, and neither a person nor a command of the plan
}
