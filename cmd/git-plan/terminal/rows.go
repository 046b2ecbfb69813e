package terminal

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// The signs that a row begins with.
const (
	signDone    = "✓"
	signFailed  = "✗"
	signAsks    = "?"
	signFound   = "!"
	signStopped = "■"
)

var spinner = strings.Split("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏", "")

// row draws a row up to its last column: sign, name, time and tokens. left is the width of the last column.
func row(c Colors, width int, sign Painted, name string, took time.Duration, used usage) (text string, left int) {
	const facts = len("  1:02:20  123.4k tok")
	room := min(max(width-1-2-facts-22, 16), 56)
	name = Cut(visible.Line(name), room)
	tokens := ""
	if n := used.tokens.In + used.tokens.Out; n > 0 {
		tokens = Thousands(n) + " tok"
	}
	name += strings.Repeat(" ", room-ansi.StringWidth(name))
	return fmt.Sprintf("%s %s%s", sign, name, c.Dim(fmt.Sprintf("  %7s  %10s", clock(took), tokens))),
		width - 1 - 2 - room - facts - 2
}

// rows draws running tasks in at most room rows of less than width columns. A task that waits may take two.
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
		name := t.name
		if name == "" {
			name, doing = doing, ""
		}
		doing = visible.Line(doing)
		text, left := row(c, width, sign, name, now.Sub(t.began), t.used.add(t.using))
		full := strings.TrimSuffix(fmt.Sprintf("attempt %d: %s", t.attempt, doing), ": ")
		if t.attempt > 1 && ansi.StringWidth(full) <= left { // a line above the rows has it, too
			doing = full
		}
		if strings.Contains(doing, "waiting") && ansi.StringWidth(doing) > left && 2*len(b.tasks) <= room {
			rows = append(rows, strings.TrimRight(text, " "), Cut("    "+doing, width-1))
			continue
		}
		rows = append(rows, Cut(strings.TrimRight(text+"  "+shortened(doing, left), " "), width-1))
	}
	if more := len(rows) - room; more > 0 {
		rows = append(slices.Clip(rows[:max(room-1, 0)]), Cut(fmt.Sprintf("%s %d more at work", sign, more+1), width-1))
	}
	return rows
}

// shortened cuts an activity to a width: a path at its beginning, since its end says more.
func shortened(doing string, width int) string {
	verb, path, _ := strings.Cut(doing, " ")
	over := ansi.StringWidth(doing) - width
	if over <= 0 || strings.Contains(path, " ") || !strings.Contains(path, "/") {
		return Cut(doing, width)
	}
	end := ansi.TruncateLeft(path, over+1, "")
	return verb + " …" + end[max(strings.Index(end, "/"), 0):]
}

// status draws the last row: progress of the plan, usage of this run, keys, and as much of the goal as fits.
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
		parts = append(parts, Thousands(n)+" tok")
	}
	if used.cost.Known {
		parts = append(parts, used.total())
	}
	parts = slices.DeleteFunc(append(parts, b.keys, b.goal), func(part string) bool { return part == "" })
	return string(c.Dim(Cut("  "+strings.Join(parts, " · "), width-1)))
}

// ended draws the last row of a step, which stays; a reason is below it.
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
	text += "  " + Cut(how, left) + "\n"
	if why != "" {
		text += folded(width, "    "+visible.Line(why)+strings.ReplaceAll(below(n.Also...), behindTime, "\n    | "))
	}
	return text
}

// folded returns the lines of a text as FoldText prints them, none of which reaches the last column.
func folded(width int, text string) string {
	var out strings.Builder
	FoldText(&out, width-1, text)
	return out.String()
}

// heading draws the first lines of a run: its title, branch, agent and sandbox.
func (c Colors) heading(parts []string, width int) string {
	title, rest := parts[0], strings.Join(parts[1:], " · ")
	if ansi.StringWidth(title+rest)+2 < width {
		return string(c.Bold(title)) + "  " + string(c.Dim(rest)) + "\n"
	}
	return string(c.Bold(Cut(title, width-1))) + "\n" + c.DimLines(folded(width, "  "+rest))
}

// lines paints each line of a text by itself: colours do not reach over line ends everywhere.
func (c Colors) lines(color, text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString(c.raw(color, strings.TrimSuffix(line, "\n")) + "\n")
	}
	return out.String()
}

// DimLines dims the lines of a text.
func (c Colors) DimLines(text string) string { return c.lines("2", text) }

// round is a round of the review, until its row is drawn.
type round struct {
	n         int
	began     time.Time
	used      usage
	reviewers []string
	silent    bool // a reviewer gave no answer
	found     bool // a reviewer found something
}

// reviewed draws the row of a round, once all its reviewers have answered, and only once; else "".
func (b *board) reviewed(c Colors, n journal.Notice, width int) string {
	r := b.round
	if b.round = nil; r == nil || len(r.reviewers) == 0 {
		return ""
	}
	slices.Sort(r.reviewers)
	sign := c.Good(signDone)
	switch {
	case r.silent:
		sign = c.Bad(signFailed)
	case r.found:
		sign = c.Wait(signFound)
	}
	text, _ := row(c, width, sign, fmt.Sprintf("round %d", r.n), n.Time.Sub(r.began), r.used)
	return strings.TrimRight(text, " ") + "\n" + c.DimLines(folded(width, "    "+strings.Join(r.reviewers, ", ")))
}

// kept returns the lines of a notice that stay above the rows; "" for a notice that only changes rows.
func (b *board) kept(c Colors, n journal.Notice, width int) string {
	before, sign := "", Painted("")
	switch n.Kind {
	case journal.SessionStart: // the failure of the attempt before it is above
		if n.Step == "" || n.Attempt < 2 || n.Attempt == b.taskOf(n).attempt {
			return ""
		}
		return folded(width, linef("step %s: attempt %d", n.Step, n.Attempt))
	case journal.StepStart, journal.StepLands, journal.SessionText, journal.SessionTool, journal.SessionUsage,
		journal.CheckStart, journal.SetupStart, journal.ReviewerEnd:
		return ""
	case journal.SessionEnd:
		if n.Reason == "" || n.Step != "" || n.Reviewer != "" || b.stopping {
			return "" // the end of the attempt, or of the round, includes it
		}
	case journal.StepNote:
		if b.repeats(n) {
			return ""
		}
	case journal.StepFailed:
		t := b.taskOf(n)
		n.Reason, n.Also = t.failure(n)
		t.said, t.failed = "", ""
		b.endUnlessStarted(t)
	case journal.ReviewRound, journal.ReviewEnd:
		return b.reviewed(c, n, width)
	case journal.FindingSeen:
		if b.round != nil {
			b.round.found = true
		}
		before, sign = b.reviewed(c, n, width), c.Wait(signFound)
		if strings.HasSuffix(n.Text, "(blocks)") {
			sign = c.Bad(signFailed)
		}
	case journal.FixEnd:
		before = b.reviewed(c, n, width)
		if t := b.fixer; t != nil && n.Commit != "" {
			text, _ := row(c, width, c.Good(signDone), t.name, n.Time.Sub(t.began), t.used)
			return before + text + "  " + visible.Short(n.Commit) + "\n"
		}
	}
	named := b.jobs || n.Kind == journal.StepFailed // the row above may be of another step
	text := folded(width, strings.ReplaceAll(b.lines(n, named), behindTime, "\n    | "))
	switch {
	case sign != "":
		text = string(sign) + text[1:]
	case n.Kind == journal.StepNote || n.Kind == journal.CheckEnd:
		text = c.DimLines(text)
	case n.Kind == journal.StepFailed || n.Kind == journal.BudgetWarn:
		text = c.lines("33", text)
	}
	return before + text
}

// failure returns why an attempt failed, and more reasons, without the failed check that the line above has.
func (t *task) failure(n journal.Notice) (why string, also []string) {
	switch why = n.Reason; {
	case t.failed != "" && strings.HasPrefix(why, "`"+t.failed+"`"):
		return n.Text, n.Also[min(1, len(n.Also)):] // n.Text begins with the first of n.Also
	case t.said != "" && !strings.Contains(why, t.said):
		why = strings.TrimSuffix(t.said+"; "+why, "; ")
	}
	return why, n.Also
}

// verdict returns the end of a run in one line, and its usage in a second one.
func (b *board) verdict(c Colors, now time.Time, width int) string {
	word, sign, color := "done", signDone, "1;32"
	interrupted := b.code > 128 // by Ctrl-C, or another signal
	switch {
	case interrupted:
		word, sign, color = "stopped", signStopped, "1;33"
	case len(b.blocked) > 0:
		word = "blocked"
	case b.ending != "":
		word = b.ending
	case b.code != 0:
		word = "not finished"
	}
	if !interrupted && (b.code != 0 || len(b.blocked) > 0) {
		sign, color = signFailed, "1;31"
	}
	left := max(0, b.total-b.ticked-b.skipped-len(b.blocked))
	if b.done == 0 && b.rounds > 0 { // a review alone
		left = 0
	}
	blocked := fmt.Sprintf("%d blocked", len(b.blocked))
	if len(b.blocked) > 1 {
		blocked += " (" + visible.Few(slices.Sorted(slices.Values(b.blocked))) + ")"
	}
	steps := visible.Count(b.done, "step") + map[bool]string{true: " done"}[left+len(b.blocked) > 0 && word != "done"]
	parts := []string{steps, blocked, fmt.Sprintf("%d left", left), visible.Count(b.rounds, "round"),
		visible.Count(b.fixes, "fixer commit")}
	parts = append(slices.DeleteFunc(parts, func(s string) bool { return s[0] == '0' }), clock(now.Sub(b.began)))
	text := c.lines(color, folded(width, sign+" "+word+": "+strings.Join(parts, ", ")))
	if b.why != "" && b.code != 0 {
		text += folded(width, "  "+visible.Line(b.why))
	}
	for _, note := range slices.Sorted(maps.Keys(b.notes)) {
		if times := b.notes[note]; times > 1 && note != b.goal {
			text += c.DimLines(folded(width, fmt.Sprintf("  note, %d times: %s", times, note)))
		}
	}
	if b.sessions == b.commands {
		return strings.TrimSuffix(text, "\n")
	}
	used := "  " + visible.Count(b.sessions-b.commands, "session")
	if b.used != (usage{}) { // a model was reached
		used += ", " + Tokens(b.used.tokens) + ", " + b.used.total()
	}
	return text + string(c.Dim(used))
}

// redrawTime is the longest time between a notice and the frame that shows it.
const redrawTime = 200 * time.Millisecond

// block is the part of a terminal that is redrawn, below the final lines; the view's lock guards it. Between two
// frames the cursor is on its first row, wherever a resized terminal moves that.
type block struct {
	out    *os.File
	size   func() (width, height int)
	colors Colors

	frame   string // rows on the screen, from the cursor on
	pending string // final lines, while nothing can be printed
	held    int    // number of questions and git commands that have the terminal
	partial bool   // the last write by others had no line end
	over    bool
}

// draw prints final lines, and below them the rows, if they changed.
func (b *block) draw(final string, rows []string) {
	if b.held > 0 || b.partial || b.over {
		b.pending += final
		return
	}
	const lineEnd = "\x1b[K\r\n"
	final, b.pending = b.pending+final, ""
	if !proc.Foreground(int(b.out.Fd())) { // a shell has the terminal
		if final == "" {
			return
		}
		rows = nil
	}
	frame := strings.Join(rows, lineEnd)
	if final == "" && frame == b.frame {
		return
	}
	b.frame = frame
	text := "\r" + strings.ReplaceAll(final, "\n", lineEnd) + frame + "\x1b[K\x1b[J\r" // typing may have moved the cursor
	if len(rows) > 1 {
		text += fmt.Sprintf("\x1b[%dA", len(rows)-1)
	}
	_, _ = b.out.WriteString(text)
}
