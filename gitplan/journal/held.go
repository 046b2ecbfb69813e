package journal

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/markdown"
	"github.com/git-plan/git-plan/gitplan/settings"
)

// Held are the sessions of one role with one agent, and what they used in all.
type Held struct {
	Role     agent.Role
	Agent    string
	Sessions int
	Tokens   agent.Tokens
	Cost     agent.Cost
	Took     time.Duration // the sum, also of those that ran side by side; 0: unknown
}

// String returns the value of the trailer Plan-Sessions. The agent is last, since its name
// may hold anything; the time follows the cost, where older programs do not look.
func (h Held) String() string {
	cost := "cost unknown"
	if h.Cost.Known {
		cost = costTrailer(h.Cost)
	}
	if h.Took > 0 {
		cost += ", " + durationTrailer(h.Took)
	}
	return fmt.Sprintf("%d %s; %s; %s; %s", h.Sessions, h.Role, tokensTrailer(h.Tokens), cost, h.Agent)
}

func parseHeld(value string) (h Held, ok bool) {
	parts := strings.SplitN(value, "; ", 4)
	if len(parts) < 4 {
		return h, false
	}
	n, role, _ := strings.Cut(parts[0], " ")
	cost, took, _ := strings.Cut(parts[2], ", ")
	h.Sessions, _ = strconv.Atoi(n)
	h.Took, _ = time.ParseDuration(took) // not in older events
	h.Role, h.Tokens, h.Cost, h.Agent = agent.Role(role), parseTokens(parts[1]), parseCost(cost), parts[3]
	return h, h.Sessions > 0
}

// sanitize removes from an event what this program would not have written. A plan may come
// from a remote, so each of its commits is text that somebody else wrote: object names are
// handed to git, kept attempts are put into the work tree, and numbers count against the
// budget.
func sanitize(id string, e Event) Event {
	const longest = 366 * 24 * time.Hour // of a session, so that sums stay sums
	for _, oid := range []*string{&e.Head, &e.Tree, &e.Start} {
		if *oid != None && (len(*oid) != 40 && len(*oid) != 64 || strings.Trim(*oid, "0123456789abcdef") != "") {
			*oid = ""
		}
	}
	if !strings.HasPrefix(e.Kept, AttemptPrefix+id+"/") {
		e.Kept = ""
	}
	e.Imported = importedPath(e.Imported)
	e.Steps = slices.DeleteFunc(e.Steps, func(step string) bool { return !markdown.ValidID(step) })
	e.Attempt = min(max(e.Attempt, 0), 1_000_000)
	e.Took = min(max(e.Took, 0), longest)
	usedToForm(&e.Tokens, &e.Cost)
	e.Held = slices.DeleteFunc(e.Held, func(h Held) bool { return h.Sessions > 1_000_000 || !slices.Contains(settings.Roles, h.Role) })
	for i := range e.Held {
		e.Held[i].Took = min(max(e.Held[i].Took, 0), longest)
		usedToForm(&e.Held[i].Tokens, &e.Held[i].Cost)
	}
	return e
}

func usedToForm(t *agent.Tokens, c *agent.Cost) {
	for _, n := range []*int64{&t.In, &t.Cached, &t.Out, &t.Unreported} {
		*n = max(*n, 0)
	}
	if !(c.USD >= 0 && c.USD < 1e9) {
		*c = agent.Cost{}
	}
}
