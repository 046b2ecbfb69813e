package plan

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// Limit is what the last number that a command prints is compared with.
type Limit struct {
	Op    string // "<=", "<", ">=", ">" or "=="
	Bound float64
}

// limited matches what follows a command's code span if its output is compared, and the comment that keeps that in the
// command: "sh bench.sh # <= 120".
var limited = visible.NewPattern(`^(?:(.*\S) # )?(<=|>=|==|<|>) ?(-?\d+(?:\.\d+)?)$`)

// LimitOf returns what the last number that a command prints must be.
func LimitOf(command string) (l Limit, ok bool) {
	_, limit := Split(command)
	l.Op, limit, ok = strings.Cut(strings.TrimSuffix(limit, asBefore), " ")
	l.Bound, _ = strconv.ParseFloat(limit, 64)
	return l, ok
}

// Split returns a command's parts as its plan has them: sh bench.sh and <= 3. limit is "" without one.
func Split(command string) (run, limit string) {
	m := limited().FindStringSubmatch(command)
	if m == nil || m[1] == "" {
		return command, ""
	}
	limit = m[2] + " " + m[3]
	if before, ok := strings.CutSuffix(m[1], noWorse); ok {
		return before, limit + asBefore
	}
	return m[1], limit
}

// noWorse is said in a command whose number was measured before, and asBefore to people.
const noWorse, asBefore = " # no worse than before", ", as before the step"

// Unlimited returns a command without what its number is compared with.
func Unlimited(command string) string {
	run, _ := Split(command)
	return run
}

// NoWorse returns a command with a limit as one that fails if its number is worse than it was.
func NoWorse(command, was string) string {
	l, _ := LimitOf(command)
	n, _ := strconv.ParseFloat(was, 64)
	switch {
	case l.Op == "<" || l.Op == "==" && n > l.Bound:
		l.Op = "<="
	case l.Op == ">" || l.Op == "==" && n < l.Bound:
		l.Op = ">="
	}
	return Unlimited(command) + noWorse + " # " + l.Op + " " + was
}

// String says it to people: at most 120.
func (l Limit) String() string {
	words := map[string]string{"<=": "at most ", "<": "below ", ">=": "at least ", ">": "above ", "==": "exactly "}
	return words[l.Op] + strconv.FormatFloat(l.Bound, 'f', -1, 64)
}

// Holds reports whether a number is within a limit.
func (l Limit) Holds(n float64) bool {
	return n < l.Bound && l.Op[0] == '<' || n > l.Bound && l.Op[0] == '>' || n == l.Bound && strings.HasSuffix(l.Op, "=")
}

// Better reports whether a number is nearer to a limit than another, or within it while that is not.
func (l Limit) Better(n, than float64) bool {
	switch {
	case strings.HasPrefix(l.Op, "<"):
		return n < than
	case strings.HasPrefix(l.Op, ">"):
		return n > than
	}
	return max(n-l.Bound, l.Bound-n) < max(than-l.Bound, l.Bound-than)
}

// token matches what a program writes to a terminal beside text, a word, also with digits in it, and a number: its
// digits, an exponent, and a unit that is attached to it.
var token = visible.NewPattern(`\x1b\[[\d;:?]*[A-Za-z]|[\pL_][\pL\p{Nd}_-]*|([-+−]?\.?\p{Nd}[\p{Nd}.,'’_\x{a0}\x{2009}\x{202f}-]*(?:[eE][-+]?\d+)?)([\pL\p{Nd}_]*)`)

// figures matches a number as people write it: commas part its thousands.
var figures = visible.NewPattern(`^[-+]?(?:\d+|\d{1,3}(?:,\d{3})+)?(?:\.\d+)?(?:[eE][-+]?\d+)?$`)

var notNumbers = strings.Fields("nan inf infinity")

// LastNumber returns the last number in what a command printed; the error says that there is none, or that the last
// cannot be read: 1.234,5 is another number elsewhere.
func LastNumber(output string) (float64, error) {
	last, unit := "", ""
	for _, m := range token().FindAllStringSubmatch(output, -1) {
		if m[1] != "" || slices.Contains(notNumbers, strings.ToLower(m[0])) {
			last, unit = m[0][:len(m[0])-len(m[2])], m[2]
		}
	}
	if last == "" {
		return 0, errors.New("prints no number on standard output")
	}
	plain := strings.TrimRight(strings.Replace(last, "−", "-", 1), ".,'’-\u00a0\u2009\u202f")
	n, err := strconv.ParseFloat(strings.ReplaceAll(plain, ",", ""), 64)
	if err != nil || !figures().MatchString(plain) || strings.ContainsAny(unit, "0123456789_") {
		return 0, fmt.Errorf("prints `%s`, which cannot be read as a number", Shown(last+unit))
	}
	return n, nil
}

// likeLimit matches an item of Done when that a person takes for a command with a limit.
var likeLimit = visible.NewPattern("^`[^`]+`\\s*(?:[<>=≤≥]|!=)")

// readsAFile matches a command whose end a person takes for a limit.
var readsAFile = visible.NewPattern(`\S\s+[<>] ?= ?[^\s'"|;&()]*$`)

// refuseProse refuses a limit that is not one: as words it is not run, and a goal would be reached without it; as a part
// of the command a shell takes it for the name of a file.
func (d *reader) refuseProse(p *Plan) {
	for _, c := range p.Verification {
		m := typedLimit().FindStringSubmatch(strings.ReplaceAll(c.Text, "`", ""))
		_, ok := LimitOf(c.Command)
		if m != nil && !ok &&
			(strings.HasSuffix(m[1], "#") || c.Command != "" && strings.ContainsAny(m[2][:1], "<>") && m[2][1] == '=') {
			d.Problem(c.Line, "limit", "a limit stands behind the command, outside of its backticks: - %s %s", CodeSpan(strings.TrimRight(m[1], " #")), m[2])
			continue
		}
		if m == nil && !ok && readsAFile().MatchString(c.Command) {
			d.Problem(c.Line, "limit", "`%s` would read or write a file: a limit is one of <=, <, >=, > and == and a plain number, without a unit, behind the command", Shown(c.Command))
		}
		if p.Bounds != nil && c.Command == "" && likeLimit().MatchString(c.Text) {
			d.Problem(c.Line, "limit", "this is no command with a limit: `%s`; write one of <=, <, >=, > and == and a plain number, without a unit", Shown(c.Text))
		}
	}
}

// DoneWhen returns the section of commands as a person types them: behind one may stand what its number must be.
func DoneWhen(commands []string) string {
	var b strings.Builder
	for _, command := range commands {
		limit := ""
		if m := typedLimit().FindStringSubmatch(command); m != nil {
			command, limit = m[1], " "+m[2]
		}
		fmt.Fprintf(&b, "- %s%s\n", CodeSpan(command), limit)
	}
	return b.String()
}

var typedLimit = visible.NewPattern(`^(.*\S)\s+((?:<=|>=|==|<|>) ?-?\d+(?:\.\d+)?)$`)
