package terminal

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// The signs that a row begins with.
const (
	signDone    = "✓"
	signFailed  = "✗"
	signAsks    = "?"
	signStopped = "■"
)

var spinner = strings.Split("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏", "")

// row draws a row in columns, up to its last one: a sign, a name, the time that was taken, and the tokens used. It also
// returns how many columns are left.
func row(c Colors, width int, sign Painted, name string, took time.Duration, used usage) (text string, left int) {
	const facts = len("  1:02:20  123.4k tok")
	room := min(max(width-1-2-facts-22, 16), 56)
	name = Cut(visible.Line(name), room)
	tokens := ""
	if n := used.tokens.In + used.tokens.Out; n > 0 {
		tokens = thousands(n) + " tok"
	}
	name += strings.Repeat(" ", room-ansi.StringWidth(name))
	return fmt.Sprintf("%s %s%s", sign, name, c.Dim(fmt.Sprintf("  %7s  %10s", clock(took), tokens))), width - 1 - 2 - room - facts - 2
}

// rows draws at most room rows for what is at work, as lines that no terminal of width columns wraps.
func (b *board) rows(c Colors, now time.Time, width, room int) (rows []string) {
	sign := c.paint("36", spinner[int(now.Sub(b.began)/time.Second)%len(spinner)])
	if b.stopping {
		sign = c.Wait(signStopped)
	}
	for _, t := range b.tasks {
		doing := t.doing
		if t.until != nil && now.Before(*t.until) {
			doing = strings.Replace(doing, "waiting", "waiting "+clock(t.until.Sub(now)+time.Second-1), 1)
		}
		if t.attempt > 1 {
			doing = strings.TrimSuffix(fmt.Sprintf("attempt %d: %s", t.attempt, doing), ": ")
		}
		name := t.name
		if name == "" {
			name, doing = doing, ""
		}
		text, left := row(c, width, sign, name, now.Sub(t.began), t.used.add(t.using))
		rows = append(rows, Cut(strings.TrimRight(text+"  "+Cut(visible.Line(doing), left), " "), width-1))
	}
	if more := len(rows) - room; more > 0 {
		rows = append(slices.Clip(rows[:max(room-1, 0)]), Cut(fmt.Sprintf("%s %d more at work", sign, more+1), width-1))
	}
	return rows
}

// status draws the last row: how far the plan is, and what this run used.
func (b *board) status(c Colors, now time.Time, width int) string {
	used := b.used
	for _, t := range b.tasks {
		used = used.add(t.using)
	}
	parts := []string{fmt.Sprintf("%d running", len(b.tasks)), clock(now.Sub(b.began))}
	if b.total > 0 {
		parts = slices.Insert(parts, 0, fmt.Sprintf("%d/%d", b.ticked, b.total))
	}
	if n := used.tokens.In + used.tokens.Out; n > 0 {
		parts = append(parts, thousands(n)+" tok")
	}
	if used.costKnown {
		parts = append(parts, used.total())
	}
	return string(c.Dim(Cut("  "+strings.Join(parts, " · "), width-1)))
}

// ended draws the row of a step that ended, which stays: what does not fit stands below it.
func (t *task) ended(c Colors, n journal.Notice, width int) string {
	sign := c.Bad(signFailed)
	switch {
	case n.Kind == journal.StepDone:
		sign = c.Good(signDone)
	case n.Question:
		sign = c.Wait(signAsks)
	}
	text, left := row(c, width, sign, t.name, n.Time.Sub(t.began), t.used.add(t.using))
	how, why := outcome(n)
	var out strings.Builder
	fmt.Fprintln(&out, text+"  "+Cut(how, left))
	if why != "" {
		FoldText(&out, width-1, "    "+visible.Line(why))
	}
	return out.String()
}

// heading draws the first lines of a run: its title, and where and with what it works.
func (c Colors) heading(parts []string, width int) string {
	title, rest := parts[0], strings.Join(parts[1:], " · ")
	if ansi.StringWidth(title+rest)+2 < width {
		return string(c.Bold(title)) + "  " + string(c.Dim(rest)) + "\n"
	}
	var out strings.Builder
	FoldText(&out, width-1, "  "+rest)
	return string(c.Bold(Cut(title, width-1))) + "\n" + c.dimLines(out.String())
}

// dimLines paints each line of a text by itself, as terminals want it.
func (c Colors) dimLines(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString(string(c.Dim(strings.TrimSuffix(line, "\n"))) + "\n")
	}
	return out.String()
}

// round is a round of the review, until its row is drawn.
type round struct {
	n         int
	began     time.Time
	used      usage
	reviewers []string
	silent    bool // a reviewer did not answer
}

// reviewed draws the row of the round whose reviewers have answered, once; "" if there is none.
func (b *board) reviewed(c Colors, now time.Time, width int) string {
	r := b.round
	if b.round = nil; r == nil || len(r.reviewers) == 0 {
		return ""
	}
	slices.Sort(r.reviewers)
	sign := c.Good(signDone)
	if r.silent {
		sign = c.Bad(signFailed)
	}
	text, _ := row(c, width, sign, fmt.Sprintf("round %d: %s", r.n, strings.Join(r.reviewers, ", ")), now.Sub(r.began), r.used)
	return strings.TrimRight(text, " ") + "\n"
}

// kept returns what stays of a notice on a terminal, above the rows: "" if the rows alone show it.
func (b *board) kept(c Colors, n journal.Notice, width int) string {
	before := ""
	switch n.Kind {
	case journal.StepStart, journal.StepLands, journal.SessionStart, journal.SessionText, journal.SessionTool, journal.SessionUsage,
		journal.CheckStart, journal.SetupStart:
		return ""
	case journal.SessionEnd:
		if n.Reason == "" {
			return ""
		}
	case journal.StepNote:
		if b.notes == nil {
			b.notes = map[string]int{}
		}
		if b.notes[n.Text]++; b.notes[n.Text] > 1 {
			return "" // the end says how often
		}
	case journal.StepFailed:
		if n.Reason == b.said {
			n.Reason = "" // its session has just said so
		}
	case journal.ReviewRound, journal.ReviewEnd:
		return b.reviewed(c, n.Time, width)
	case journal.ReviewerEnd:
		if n.Reason == "" {
			return ""
		}
	case journal.FindingSeen, journal.FixEnd:
		before = b.reviewed(c, n.Time, width)
	}
	var out strings.Builder
	FoldText(&out, width-1, b.lines(n))
	if n.Kind == journal.StepNote || n.Kind == journal.CheckEnd {
		return before + c.dimLines(out.String())
	}
	return before + out.String()
}

// interrupted is the exit code after Ctrl-C.
const interrupted = 130

// verdict says in a line how a run ended; what it used is in a second one.
func (b *board) verdict(c Colors, now time.Time) string {
	word, sign, color := "done", signDone, "1;32"
	switch {
	case b.code == interrupted:
		word, sign, color = "stopped", signStopped, "1;33"
	case b.ending != "":
		word = b.ending
	case len(b.blocked) > 0:
		word = "blocked"
	case b.code != 0:
		word = "not finished"
	}
	if b.code != interrupted && (b.code != 0 || len(b.blocked) > 0) {
		sign, color = signFailed, "1;31"
	}
	parts := []string{Count(b.done, "step"), fmt.Sprintf("%d blocked", len(b.blocked)), Count(b.rounds, "round"), Count(b.fixes, "fixer commit")}
	parts = append(slices.DeleteFunc(parts, func(s string) bool { return s[0] == '0' }), clock(now.Sub(b.began)))
	text := string(c.paint(color, sign+" "+word+": "+strings.Join(parts, ", "))) + "\n"
	if b.why != "" && b.code != 0 {
		text += "  " + visible.Line(b.why) + "\n"
	}
	for _, note := range slices.Sorted(maps.Keys(b.notes)) {
		if times := b.notes[note]; times > 1 {
			text += string(c.Dim(fmt.Sprintf("  %d times: %s", times, note))) + "\n"
		}
	}
	if b.sessions == 0 {
		return strings.TrimSuffix(text, "\n")
	}
	return text + string(c.Dim(fmt.Sprintf("  %s, %s, %s", Count(b.sessions, "session"), b.used.sum(), b.used.total())))
}
