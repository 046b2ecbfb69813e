package journal

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
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

// durationTrailer writes whole seconds, but less than half a second in milliseconds: "0s"
// would read as unknown.
func durationTrailer(d time.Duration) string {
	if d < time.Second/2 {
		return fmt.Sprintf("%dms", max(d.Milliseconds(), 1))
	}
	return fmt.Sprintf("%ds", int(d.Round(time.Second).Seconds()))
}

func tokensTrailer(t agent.Tokens) string {
	s := fmt.Sprintf("%d in, %d cached, %d out", t.In, t.Cached, t.Out)
	if t.Unreported > 0 {
		s += fmt.Sprintf(", %d unreported", t.Unreported)
	}
	if t.Written > 0 {
		s += fmt.Sprintf(", %d written", t.Written)
	}
	return s
}

func parseTokens(value string) (t agent.Tokens) {
	of := map[string]*int64{"in": &t.In, "cached": &t.Cached, "out": &t.Out, "unreported": &t.Unreported, "written": &t.Written}
	for part := range strings.SplitSeq(value, ", ") {
		n, name, _ := strings.Cut(part, " ")
		if into := of[name]; into != nil {
			*into, _ = strconv.ParseInt(n, 10, 64)
		}
	}
	return t
}

// costTrailer writes cents, and further digits if they are not 0: many small sums add up.
func costTrailer(c agent.Cost) string {
	s := strings.TrimRight(fmt.Sprintf("%.6f", c.USD), "0")
	if cents := strings.Index(s, ".") + 3; len(s) < cents {
		s += strings.Repeat("0", cents-len(s))
	}
	return s + " USD"
}

func parseCost(value string) (c agent.Cost) {
	_, err := fmt.Sscanf(value, "%g USD", &c.USD)
	c.Known = err == nil
	return c
}
