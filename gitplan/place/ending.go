package place

import (
	"fmt"
	"path"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// Ending is what became of the work of one attempt.
type Ending struct {
	Status   agent.Status // Done only if checks passed and the work is committed
	Commit   string       // the one commit; None if none was needed
	Reason   string
	Hopeless bool     // the same would fail another session
	Kept     string   // the ref that keeps an unfinished attempt
	Reported []string // drift and the like, which fails nothing
	// SetupChanged names what changed in the repository's set-up during a session. A person must
	// look at it; nothing was committed.
	SetupChanged []string
}

// Asked is what a task asks of its place.
type Asked struct {
	Files   []string // that it is to write; patterns, as a step names them
	Checks  []string // commands that judge it
	Session bool     // a session does it, not a person or a command of the plan
}

// Fail makes the ending a failed one, with its reason.
func (o *Ending) Fail(format string, args ...any) {
	o.Status, o.Reason = agent.Failed, fmt.Sprintf(format, args...)
}

// AlsoSay adds something to the ending: if it failed, to the reason, which its event and the
// command's last line say.
func (o *Ending) AlsoSay(text string) {
	if o.Status != agent.Failed {
		o.Reported = append(o.Reported, text)
		return
	}
	first, rest, _ := strings.Cut(o.Reason, "\n")
	o.Reason = strings.TrimSuffix(first+"; "+text+"\n"+rest, "\n")
}

// names returns the files that a task, or a command that checks it, asks for by name.
func (t Asked) names() []string {
	out := plan.Literals(t.Files)
	for _, command := range t.Checks {
		words := strings.FieldsFunc(command, func(c rune) bool { return strings.ContainsRune(" \t\n'\"`;|&<>()=,:", c) })
		for _, word := range words {
			out = append(out, path.Clean(word))
		}
	}
	return out
}
