package views

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/work"
)

// Log prints the events of a plan, or of one step, newest first: most of them, or all if that is negative.
func Log(w io.Writer, co *checkout.Checkout, only string, most int) {
	width, paint := terminal.Width(os.Stdout), Colors(co, os.Stdout)
	failed, proved := only != "" && co.Progress.Steps[only].State != progress.StateDone, ""
	for i, e := range slices.Backward(co.Doc.Events) {
		if only != "" && !slices.Contains(e.Steps, only) {
			continue
		}
		if most--; most == -1 {
			return
		}
		if i > 0 && e.Kind == journal.Blocked && e.Reason == co.Doc.Events[i-1].Reason {
			e.Reason, e.Kept = "", "" // the attempt below has them
		}
		Event(w, width, paint, co, e)
		if only != "" && e.Session != "" && e.Session != proved { // checked and done have one session
			proved = e.Session
			proof(w, paint, co, e)
		}
		if failed && e.Kind == journal.Failed { // the last attempt
			failed = false
			if text, howToSee := checkout.FailureOutput(co, e); text != "" {
				quote(w, text, terminal.Colors{})
				say(w, "%*sall of that, and what the session did: %s", logIndent, "", howToSee)
			}
		}
	}
}

// The layout of a step's log.
const (
	checkLines = 5  // how many last lines of a check's output are shown
	diffLines  = 60 // how many first lines of a diff are shown
	logIndent  = 13 // the indentation of lines below an event, in columns
)

// proof prints what this clone keeps of the checks that passed in an event's session, and of what a failed one changed.
func proof(w io.Writer, paint terminal.Colors, co *checkout.Checkout, e journal.Event) {
	f, err := checkout.OpenTranscript(co, e.Session)
	if err != nil {
		return
	}
	defer f.Close()
	_ = agent.ReadTranscript(f, func(p agent.TranscriptPart) {
		switch {
		case p.Diff:
			lines := strings.Split(strings.TrimRight(p.Text, "\n"), "\n")
			if more := len(lines) - diffLines; more > 0 {
				lines = append(lines[:diffLines], fmt.Sprintf("... and %d more lines: git plan log --session %s", more, e.Session))
			}
			say(w, "%*swhat it had changed:", logIndent, "")
			quote(w, strings.Join(lines, "\n"), paint)
		case p.Check != "" && p.Exit == 0: // the event has the reason of a failure
			say(w, "%*s%s", logIndent, "", p.Heading)
			quote(w, visible.LastLines(p.Text, checkLines), terminal.Colors{})
		}
	})
	if e.Kind != journal.Failed { // the last failed check is printed with its output
		say(w, "%*swhat the session did: git plan log --session %s", logIndent, "", e.Session)
	}
}

func quote(w io.Writer, text string, paint terminal.Colors) {
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(visible.Text(text), "\n") {
		terminal.Println(w, fmt.Sprintf("%*s| %s", logIndent, "", paint.Diff(line)))
	}
}

// Event prints an event. On a terminal the name of the current branch and long numbers would only take up room.
func Event(w io.Writer, width int, paint terminal.Colors, co *checkout.Checkout, e journal.Event) {
	headline, tokens := e.Headline, e.Tokens.String()
	kept := strings.TrimPrefix(work.ShowKept(co, e.Kept), "; ")
	if width != terminal.Endless {
		headline, tokens = strings.TrimPrefix(headline, co.Branch+" "), terminal.Tokens(e.Tokens)
	}
	agents, n, by := []string{e.Agent}, 1, ""
	if len(e.Usage) > 0 {
		agents, n = nil, 0
	}
	for _, of := range e.Usage {
		agents, n = append(agents, of.Agent), n+of.Sessions
	}
	if agents = plan.Unique(agents); n > 1 {
		agents = append(agents, visible.Count(n, "session"))
	}
	if e.Tokens != (agent.Tokens{}) { // otherwise another event reports them
		agents = append(agents, tokens)
	}
	if e.Agent != "" || len(e.Usage) > 0 {
		by = " [" + strings.Join(agents, ", ") + "]"
	}
	terminal.Fold(w, width, logIndent, "%s %s %s%s", paint.Wait(visible.Short(e.Commit)),
		e.Time.Local().Format("2006-01-02 15:04:05"), headline, by)
	if e.Kind == journal.Done && e.Head == journal.None && !e.TickedByHand() {
		say(w, "%*s%s", logIndent, "", terminal.Committed(e.Head))
	}
	for _, more := range append([]string{e.Reason, e.Summary, kept}, e.Weakened...) {
		if more != "" && !strings.HasSuffix(e.Headline, ": "+more) { // a review's end is its headline
			terminal.Fold(w, width, logIndent, "%*s%s", logIndent, "", more)
		}
	}
	if e.Proposal != "" {
		terminal.Fold(w, width, logIndent, "%*sproposes to change the plan: %s", logIndent, "", e.Proposal)
	}
}

// Fetched describes a fetched plan; away means that it belongs to another branch.
func Fetched(p share.Fetched, remote string, away bool) string {
	text := strings.ReplaceAll(string(p.End), "{remote}", remote)
	if len(p.Conflicts) > 0 && p.End == share.FetchedNot {
		return "nothing was changed here, since both sides changed:"
	}
	if p.Plan == nil {
		return text
	}
	if p.End == share.FetchedNew {
		text += fmt.Sprintf(", %s for branch %s: %s", visible.Count(len(p.Plan.Steps), "step"), visible.Line(p.Plan.Branch),
			visible.Line(p.Plan.Title))
	}
	if len(p.LeftOut) > 0 {
		text += "; new there: " + visible.OneLine(strings.Join(p.LeftOut, "; "), 300)
	}
	if !p.Approved {
		text += "; not approved here: "
		if away {
			text += "git switch " + visible.Shell(p.Plan.Branch) + ", "
		}
		text += "read it, then git plan approve"
	}
	if len(p.Conflicts) > 0 {
		text += "; chosen between:"
	}
	return text
}

// Conflict prints both versions of a part, and which of them was chosen.
func Conflict(w io.Writer, k share.Conflict, chosen share.Side, remote string) {
	say(w, "  %s", k.Part)
	if k.Why != "" {
		say(w, "    cannot be put together: %s", k.Why)
	}
	for _, v := range []struct {
		side        share.Side
		where, text string
	}{{share.Ours, "here", k.Ours}, {share.Theirs, remote, k.Theirs}} {
		if v.side == chosen {
			v.where += ", chosen"
		}
		say(w, "    %s:", v.where)
		text := visible.Text(cmp.Or(v.text, "(removed)"))
		for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
			say(w, "      %s", line)
		}
	}
}

// Settled prints what an edit means for steps, if a person may not expect it.
func Settled(w io.Writer, settled []share.Effect) {
	for _, s := range settled {
		filled := strings.NewReplacer("{commit}", visible.Short(s.Commit), "{step}", s.Step)
		say(w, "step %s %s", s.Step, filled.Replace(string(s.How)))
	}
}

func Stats(w io.Writer, width int, s progress.Stats) error {
	t := s.Total
	terminal.Fold(w, width, 15, "sessions       %d in %s; work that was kept took %s", t.Sessions,
		atLeast(Seconds(t.Seconds), t.Untimed), Seconds(t.Productive))
	terminal.Fold(w, width, 15, "attempts       %d, %d wasted", t.Attempts, t.Wasted)
	reported := t.Tokens
	reported.Unreported += int64(t.UnknownTokens) // also sessions that reported nothing at all
	terminal.Fold(w, width, 15, "used           %s; %s", reported, money(t))
	terminal.Fold(w, width, 15, "people         waited for %s, at work %s; %s", Seconds(s.Human.Waiting),
		Seconds(s.Human.Acting), visible.Count(s.Approvals, "approval"))
	if t.Mean == nil {
		terminal.Fold(w, width, 15, "interventions  none")
	} else {
		terminal.Fold(w, width, 15, "interventions  %d, one for each %s of work that was kept (mean time between interventions)",
			t.Interventions.Total, Seconds(*t.Mean))
	}
	kinds, rows := []string{"role", "model", "month", "step"}, [][]progress.Row{s.Roles, s.Models, s.Months, s.Steps}
	if len(s.Plans) > 1 {
		kinds[3], rows[3] = "plan", s.Plans
	}
	for i, kind := range kinds {
		cells := [][]string{{"by " + kind, "sessions", "time", "attempts", "tokens", "cost", "interventions"}}
		for _, r := range rows[i] {
			row := StatsCells(r)
			row[5] = strings.TrimPrefix(row[5], "cost ") // its column says that
			cells = append(cells, row)
		}
		if len(cells) == 1 {
			continue
		}
		say(w, "")
		if err := terminal.Table(w, width, cells); err != nil {
			return err
		}
	}
	return nil
}

// StatsCells returns a row of a table of statistics.
func StatsCells(r progress.Row) []string {
	took := atLeast(Seconds(r.Seconds), r.Untimed)
	if r.Untimed > 0 && r.Seconds == 0 {
		took = "unknown"
	}
	all := r.Tokens.In + r.Tokens.Out
	tokens := atLeast(terminal.Thousands(all), r.UnknownTokens)
	if r.UnknownTokens > 0 && all == 0 {
		tokens = "unknown"
	} else if r.WastedTokens > 0 {
		tokens += fmt.Sprintf(", %d%% wasted", max(1, 100*r.WastedTokens/max(1, all)))
	}
	interventions := fmt.Sprint(r.Interventions.Total)
	if r.Mean != nil && *r.Mean > 0 { // otherwise none of its sessions' work was kept
		interventions += ", every " + Seconds(*r.Mean)
	}
	return []string{visible.Line(r.Name), fmt.Sprint(r.Sessions), took, fmt.Sprint(r.Attempts), tokens, money(r),
		interventions}
}

func atLeast(text string, unknown int) string {
	if unknown > 0 {
		return ">=" + text
	}
	return text
}

func money(r progress.Row) string {
	if r.CostUSD == nil {
		return "cost unknown"
	}
	return atLeast(agent.Cost{USD: *r.CostUSD, Known: true}.String(), r.UnknownCost)
}

// Seconds writes a time for people: 45s, 10m25s.
func Seconds(n int64) string { return (time.Duration(n) * time.Second).String() }
