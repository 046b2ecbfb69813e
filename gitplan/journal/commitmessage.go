package journal

import (
	"maps"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Lines in messages of the person's branch; the trailers are written by the program only.
const (
	StepTrailer   = "Plan-Step"
	ReviewTrailer = "Plan-Review"
	RevertsCommit = "This reverts commit " // beginning of the line by which git names the reverted commit
)

// NamedSteps returns the steps that a message names, as <plan-id>/<step-id>.
func NamedSteps(message string) (all []string) {
	for line := range strings.Lines(message) {
		if plan, step, ok := NamedStep(line); ok {
			all = append(all, plan+"/"+step)
		}
	}
	return all
}

// Reverts reports whether a message says that its commit reverts another.
func Reverts(message string) bool { return strings.Contains("\n"+message, "\n"+RevertsCommit) }

// NamedStep reads "Plan-Step: <plan-id>/<step-id>" on a line of its own, indented as a squash leaves it or not.
func NamedStep(line string) (planID, step string, ok bool) {
	value, ok := strings.CutPrefix(strings.TrimSpace(line), StepTrailer+":")
	if !ok {
		return "", "", false
	}
	planID, step, ok = strings.Cut(strings.TrimSpace(value), "/")
	return planID, step, ok && planID != "" && plan.ValidID(step)
}

// RevertedCommit returns the commit that a line says is reverted, which git may have abbreviated.
func RevertedCommit(line string) (oid string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), RevertsCommit)
	end := strings.IndexFunc(rest, func(r rune) bool { return !strings.ContainsRune("0123456789abcdef", r) })
	if end >= 0 {
		rest = rest[:end]
	}
	return rest, ok && len(rest) >= 7 && len(rest) <= 64
}

// withoutPlanLines returns a session's own text without lines "Plan-...:", and quotes lines that would revert a commit.
func withoutPlanLines(message string) string {
	var out []string
	for _, line := range strings.Split(message, "\n") {
		key, _, isField := strings.Cut(strings.TrimSpace(line), ":")
		if isField && strings.HasPrefix(strings.ToLower(key), "plan-") && !strings.ContainsAny(key, " \t") {
			continue
		}
		if _, ok := RevertedCommit(line); ok {
			line = "> " + line
		}
		out = append(out, line)
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}

// RestoreTrailers returns a message as hooks left it, with exactly the lines of the program that it had before.
func RestoreTrailers(now, before string) string {
	own := ownLines(before)
	if slices.Equal(ownLines(now), own) {
		return now
	}
	return strings.TrimRight(withoutPlanLines(now)+"\n\n"+strings.Join(own, "\n"), "\n") + "\n"
}

func ownLines(message string) (own []string) {
	for _, line := range strings.Split(message, "\n") {
		if line = strings.TrimSpace(line); line != "" && withoutPlanLines(line) != line {
			own = append(own, line)
		}
	}
	return own
}

// signOff matches a sign-off, which only a person may add to a commit.
var signOff = visible.NewPattern(`(?im)^signed-off-by:`)

// CommitMessage joins the subject proposed by the session, or else the task's, the body, and the trailer, if any.
func CommitMessage(proposed, subject, body, trailer string) string {
	proposed, _, _ = strings.Cut(withoutPlanLines(proposed), "\n")
	if proposed = visible.OneLine(proposed, 200); proposed == "" {
		proposed = visible.OneLine(subject, 200)
	}
	if _, _, names := NamedStep(proposed); names {
		proposed = "Step: " + proposed // a title must not become a trailer
	}
	var b strings.Builder
	b.WriteString(proposed + "\n\n")
	if body = signOff().ReplaceAllString(withoutPlanLines(body), "> $0"); body != "" {
		b.WriteString(body + "\n\n")
	}
	b.WriteString(trailer + "\n")
	return b.String()
}

// Rewrite is a Replaced with the old commit's effect on steps, which git forgets once no branch has the commit.
type Rewrite struct {
	Replaced
	Did map[string]bool // step ID -> whether the old commit completed the step (true) or reverted it
}

// String returns the value of the trailer Plan-Rewritten: "<old> <new> +completed -reverted".
func (r Rewrite) String() string {
	words := []string{r.Old, r.New}
	for _, step := range slices.Sorted(maps.Keys(r.Did)) {
		words = append(words, map[bool]string{true: "+", false: "-"}[r.Did[step]]+step)
	}
	return strings.Join(words, " ")
}

func parseRewrite(s string) (r Rewrite, ok bool) {
	words := strings.Fields(s)
	if len(words) < 2 || !IsOID(words[0]) || !IsOID(words[1]) {
		return r, false
	}
	r = Rewrite{Replaced{words[0], words[1]}, map[string]bool{}}
	for _, w := range words[2:] {
		if strings.ContainsAny(w[:1], "+-") && plan.ValidID(w[1:]) {
			r.Did[w[1:]] = w[0] == '+'
		}
	}
	return r, true
}

// Replaced is a line of git's post-rewrite hook: a commit and its successor. Several commits may have become one.
type Replaced struct{ Old, New string }

// IsOID reports whether a text is the whole name of an object.
func IsOID(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}
