package journal

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// trailer is a field of an event as a line of its commit's message; a value "" is not written. What is read may come
// from a remote, so read leaves out what this program would not have written: object names are handed to git, kept
// attempts restored, numbers counted against the budget, texts shown on a terminal.
type trailer struct {
	key    string
	values func(e *Event, id string) []string
	read   func(e *Event, id, value string)
}

// trailers are the fields of events, in the order of writing.
var trailers = []trailer{
	text("Plan-Event", func(e *Event) *string { return (*string)(&e.Kind) }),
	{"Plan-Step", func(e *Event, id string) (out []string) {
		for _, step := range e.Steps {
			out = append(out, id+"/"+step)
		}
		return out
	}, func(e *Event, id, value string) {
		if step, ok := strings.CutPrefix(value, id+"/"); ok && plan.ValidID(step) {
			e.Steps = append(e.Steps, step)
		}
	}},
	object("Plan-Start", func(e *Event) *string { return &e.Start }),
	{"Plan-Imported", func(e *Event, _ string) []string { return []string{importedPath(e.Imported)} },
		func(e *Event, _, value string) { e.Imported = importedPath(value) }},
	object("Plan-Head", func(e *Event) *string { return &e.Head }),
	object("Plan-Tree", func(e *Event) *string { return &e.Tree }),
	number("Plan-Attempt", func(e *Event) *int { return &e.Attempt }),
	text("Plan-By", func(e *Event) *string { return &e.By }),
	text("Plan-Agent", func(e *Event) *string { return &e.Agent }),
	value("Plan-Tokens", func(e *Event) *agent.Tokens { return &e.Tokens }, tokensTrailer, parseTokens),
	value("Plan-Cost", func(e *Event) *agent.Cost { return &e.Cost }, costTrailer, parseCost),
	list("Plan-Sessions", func(e *Event) *[]RoleUsage { return &e.Usage }, RoleUsage.String, parseUsage),
	value("Plan-Duration", func(e *Event) *time.Duration { return &e.Took }, durationTrailer, parseDuration),
	text("Plan-Reason", func(e *Event) *string { return &e.Reason }),
	flag("Plan-Question", func(e *Event) *bool { return &e.Question }),
	flag("Plan-Stopped", func(e *Event) *bool { return &e.Stopped }),
	number("Plan-Answers", func(e *Event) *int { return &e.Answers }),
	flag("Plan-Unstuck", func(e *Event) *bool { return &e.Unstuck }),
	text("Plan-Check", func(e *Event) *string { return &e.Check }),
	text("Plan-Finding", func(e *Event) *string { return &e.Finding }),
	text("Plan-Summary", func(e *Event) *string { return &e.Summary }),
	{"Plan-Kept", func(e *Event, _ string) []string { return []string{e.Kept} }, func(e *Event, id, value string) {
		if strings.HasPrefix(value, AttemptPrefix+id+"/") {
			e.Kept = value
		}
	}},
	text("Plan-Proposal", func(e *Event) *string { return &e.Proposal }),
	text("Plan-Assumed", func(e *Event) *string { return &e.Assumed }),
	flag("Plan-Unchecked", func(e *Event) *bool { return &e.Unchecked }),
	list("Plan-Drift", func(e *Event) *[]string { return &e.Drift }, strings.Clone, line),
	list("Plan-Weakened", func(e *Event) *[]string { return &e.Weakened }, strings.Clone, line),
	{"Plan-Originals", func(e *Event, _ string) []string { return e.Originals }, func(e *Event, id, value string) {
		if strings.HasPrefix(value, AttemptPrefix+id+"/") {
			e.Originals = append(e.Originals, value)
		}
	}},
	value("Plan-Session", func(e *Event) *string { return &e.Session }, strings.Clone, func(value string) string {
		if len(value) > 200 || strings.Trim(value, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return "" // it could not name a file
		}
		return value
	}),
	list("Plan-Measured", func(e *Event) *[]Measured { return &e.Measured }, Measured.String, parseMeasured),
	list("Plan-Rewritten", func(e *Event) *[]Rewrite { return &e.Rewrites }, Rewrite.String, parseRewrite),
}

var byKey = func() map[string]trailer {
	out := map[string]trailer{}
	for _, t := range trailers {
		out[t.key] = t
	}
	return out
}()

// value returns the trailer of a field that one line holds, or none if it is zero.
func value[T comparable](key string, of func(*Event) *T, format func(T) string, parse func(string) T) trailer {
	return trailer{key, func(e *Event, _ string) []string {
		if *of(e) == *new(T) {
			return nil
		}
		return []string{format(*of(e))}
	}, func(e *Event, _, value string) { *of(e) = parse(value) }}
}

// list returns the trailer of a field with a line for each element.
func list[T any](key string, of func(*Event) *[]T, format func(T) string, parse func(string) (T, bool)) trailer {
	return trailer{key, func(e *Event, _ string) (out []string) {
		for _, element := range *of(e) {
			out = append(out, format(element))
		}
		return out
	}, func(e *Event, _, value string) {
		if element, ok := parse(value); ok {
			*of(e) = append(*of(e), element)
		}
	}}
}

func text(key string, of func(*Event) *string) trailer {
	return value(key, of, strings.Clone, visible.Line)
}

func object(key string, of func(*Event) *string) trailer {
	return value(key, of, strings.Clone, func(value string) string {
		if value != None && !IsOID(value) {
			return ""
		}
		return value
	})
}

func flag(key string, of func(*Event) *bool) trailer {
	return value(key, of, func(bool) string { return "yes" }, func(value string) bool { return value == "yes" })
}

func number(key string, of func(*Event) *int) trailer {
	return value(key, of, strconv.Itoa, func(value string) int {
		n, _ := strconv.Atoi(value)
		return min(max(n, 0), 1_000_000)
	})
}

// line reads an element of a list of texts.
func line(value string) (string, bool) { return visible.Line(value), true }

// Measured is the result of a command under Done when.
type Measured struct {
	Command string
	Passed  bool
	Number  string // the last number it printed, if the command has a limit; else ""
}

// String returns the value of the trailer Plan-Measured; the command is last, since it may hold anything.
func (m Measured) String() string {
	return fmt.Sprintf("%s %s %s", map[bool]string{true: "passes", false: "fails"}[m.Passed], cmp.Or(m.Number, "-"), m.Command)
}

func parseMeasured(value string) (m Measured, ok bool) {
	words := strings.SplitN(value, " ", 3)
	if len(words) < 3 {
		return m, false
	}
	m = Measured{Command: visible.Line(words[2]), Passed: words[0] == "passes", Number: words[1]}
	if _, err := strconv.ParseFloat(m.Number, 64); err != nil {
		m.Number = ""
	}
	return m, true
}

// RoleUsage is what the sessions of one role with one agent used in all.
type RoleUsage struct {
	Role     agent.Role
	Agent    string
	Sessions int
	Tokens   agent.Tokens
	Cost     agent.Cost
	Took     time.Duration // the sum over all sessions, even those side by side; 0 if unknown
}

// String returns the value of the trailer Plan-Sessions; the agent is last, since its name may hold anything.
func (u RoleUsage) String() string {
	cost := cmp.Or(costTrailer(u.Cost), "cost unknown")
	if u.Took > 0 {
		cost += ", " + durationTrailer(u.Took)
	}
	return fmt.Sprintf("%d %s; %s; %s; %s", u.Sessions, u.Role, tokensTrailer(u.Tokens), cost, u.Agent)
}

func parseUsage(value string) (u RoleUsage, ok bool) {
	parts := strings.SplitN(value, "; ", 4)
	if len(parts) < 4 {
		return u, false
	}
	n, role, _ := strings.Cut(parts[0], " ")
	cost, took, _ := strings.Cut(parts[2], ", ")
	u.Sessions, _ = strconv.Atoi(n)
	u.Role, u.Tokens, u.Cost = agent.Role(role), parseTokens(parts[1]), parseCost(cost)
	u.Agent, u.Took = visible.Line(parts[3]), parseDuration(took) // older events have no duration
	return u, u.Sessions > 0 && u.Sessions <= 1_000_000 && slices.Contains(settings.Roles, u.Role)
}

// durationTrailer writes whole seconds, or milliseconds below half a second: "0s" would read as unknown.
func durationTrailer(d time.Duration) string {
	if d < time.Second/2 {
		return fmt.Sprintf("%dms", max(d.Milliseconds(), 1))
	}
	return fmt.Sprintf("%ds", int(d.Round(time.Second).Seconds()))
}

func parseDuration(value string) time.Duration {
	const longest = 366 * 24 * time.Hour // bounds a session, so that sums do not overflow
	d, _ := time.ParseDuration(value)
	return min(max(d, 0), longest)
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
	return t.Believed()
}

// costTrailer writes cents, and further digits if they are not 0; "" if the cost is unknown.
func costTrailer(c agent.Cost) string {
	if !c.Known {
		return ""
	}
	s := strings.TrimRight(fmt.Sprintf("%.6f", c.USD), "0")
	if cents := strings.Index(s, ".") + 3; len(s) < cents {
		s += strings.Repeat("0", cents-len(s))
	}
	return s + " USD"
}

func parseCost(value string) (c agent.Cost) {
	if _, err := fmt.Sscanf(value, "%g USD", &c.USD); err != nil || !(c.USD >= 0 && c.USD < 1e9) {
		return agent.Cost{}
	}
	c.Known = true
	return c
}
