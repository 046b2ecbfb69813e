package plan

import (
	"fmt"
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
	m := limited.FindStringSubmatch(command)
	if m == nil || m[1] == "" {
		return l, false
	}
	l.Op = m[2]
	l.Bound, _ = strconv.ParseFloat(m[3], 64)
	return l, true
}

// Holds reports whether a number is within a limit.
func (l Limit) Holds(n float64) bool {
	switch l.Op {
	case "<=":
		return n <= l.Bound
	case "<":
		return n < l.Bound
	case ">=":
		return n >= l.Bound
	case ">":
		return n > l.Bound
	}
	return n == l.Bound
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

var number = visible.NewPattern(`-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?`)

// LastNumber returns the last number in what a command printed.
func LastNumber(output string) (n float64, ok bool) {
	all := number.FindAllString(output, -1)
	if len(all) == 0 {
		return 0, false
	}
	n, err := strconv.ParseFloat(all[len(all)-1], 64)
	return n, err == nil
}

// likeLimit matches an item of Done when that a person takes for a command with a limit.
var likeLimit = visible.NewPattern("^`[^`]+`\\s*(?:[<>=≤≥]|!=)")

// refuseProse refuses a limit that is not one: as words it is not run, and a goal would be reached without it.
func (d *reader) refuseProse(p *Plan) {
	for _, c := range p.Verification {
		if p.Bounds != nil && c.Command == "" && likeLimit.MatchString(c.Text) {
			d.Document.Problem(c.Line, "limit", fmt.Sprintf("this is no command with a limit: `%s`; write one of <=, <, >=, > and == and a plain number, without a unit", Shown(c.Text)))
		}
	}
}

// DoneWhen returns the section of commands as a person types them: behind one may stand what its number must be.
func DoneWhen(commands []string) string {
	var b strings.Builder
	for _, command := range commands {
		limit := ""
		if m := typedLimit.FindStringSubmatch(command); m != nil {
			command, limit = m[1], " "+m[2]
		}
		fmt.Fprintf(&b, "- %s%s\n", CodeSpan(command), limit)
	}
	return b.String()
}

var typedLimit = visible.NewPattern(`^(.*\S)\s+((?:<=|>=|==|<|>) ?-?\d+(?:\.\d+)?)$`)
