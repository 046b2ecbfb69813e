package web

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-plan/git-plan/cmd/git-plan/status"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Page is what the page of a plan shows. All texts are cleaned.
type Page struct {
	Head
	Live    bool // for a browser that can ask again; a file cannot
	Acts    bool // for a person who may act
	Steps   []Step
	Manual  []string // what a person is to check, as git plan status says it
	Review  *Review
	Stats   *Stats
	Events  []Event
	More    int // how many earlier events are not shown
	Written time.Time
	LeftOut string // of a page that is one file, for its size

	steps map[string]int
}

type Head struct {
	Title, Summary string
	Goal           string
	DoneWhen       []DoneWhen
	Plannings      string // how often it was planned again
	ID, Branch     string
	Base           string
	State          status.State
	Reviewed       string // how far its review is once its steps are done
	Done, Total    int
	Next           string   // what comes next, as git plan status says it
	Waits          []string // the steps that are blocked: a person has to say how they go on
	Working        bool     // a run could be stopped
	Stopping       bool     // it was asked to
	GoOn           bool     // a run could begin
	Fresh          bool     // nothing has run yet
	Findings       string   // how many findings keep a plan from being done whose steps are: a person has to say what becomes of them
	Finding        string   // the first of these
	Stopped        string   // where a run that was begun from the page was stopped
	Begun          string   // why a run that was begun from the page could not go on; "" if it did, or something happened since
}

// DoneWhen is a command that proves the goal, with the course of its number as the points of a line, 100 by 20.
type DoneWhen struct {
	Command, Text, Line string
	Passed              bool
}

// doneWhen returns how the commands of Done when ended.
func doneWhen(courses []progress.Course) (out []DoneWhen) {
	for _, c := range courses {
		d := DoneWhen{Command: line(c.Command), Text: c.String(), Passed: c.Passed}
		var all []float64
		for _, text := range c.Numbers {
			n, _ := strconv.ParseFloat(text, 64)
			all = append(all, n)
		}
		if len(all) > 1 {
			low, high := slices.Min(all), slices.Max(all)
			for i, n := range all {
				d.Line += fmt.Sprintf("%.1f,%.1f ", 100*float64(i)/float64(len(all)-1), 1+18*(high-n)/(high-low))
			}
		}
		out = append(out, d)
	}
	return out
}

type Stats struct {
	Columns []string
	Rows    [][]string
	Human   string // how long work waited for people; "" if it never did
}

type Event struct{ Time, Text, Reason string }

// Of returns the page of a plan, without a review that cannot be read; file includes what a browser loads later.
func Of(ctx context.Context, co *checkout.Checkout, file bool) (*Page, error) {
	s, err := status.Of(ctx, co)
	if s == nil {
		return nil, err
	}
	whole := views.WholePlan(s, co)
	p := &Page{Written: time.Now(), steps: map[string]int{}, Head: Head{
		Title: line(whole.Title), Summary: visible.Text(whole.Summary), ID: line(co.Doc.ID), Branch: line(co.Branch), Base: line(whole.Base),
		Goal: visible.Text(whole.Goal), DoneWhen: doneWhen(s.DoneWhen),
		State: s.State, Done: s.Progress.Done, Total: s.Progress.Total,
	}}
	if s.Plannings > 0 {
		p.Plannings = terminal.Count(s.Plannings, "time")
	}
	next := s.Next(ctx, co)
	p.Next = line(next.String())
	for i, step := range whole.Steps {
		p.steps[step.ID] = i
		p.Steps = append(p.Steps, stepOf(step, s.Steps[i], co, max(1, min(mostAttempts, mostHistory/len(whole.Steps)))))
	}
	p.took(co.Doc.Events)
	p.Fresh = p.Done == 0
	p.waitingAnswers(share.WaitingAnswers(co.Repo, co.Doc.ID))
	for _, s := range p.Steps {
		if s.Blocked && s.Answer == "" {
			p.Waits = append(p.Waits, s.ID)
		}
		p.Fresh = p.Fresh && len(s.Attempts) == 0
	}
	if n := s.Findings(); n > 0 {
		p.State, p.Findings, p.Finding = status.Blocked, terminal.Count(n, "finding"), s.Review.Facts.First
	} else if s.State == status.Done {
		p.Reviewed = s.Review.Word()
	}
	p.run(co, next.Command)
	for _, m := range s.Manual {
		p.Manual = append(p.Manual, views.Manual(m))
	}
	p.Review = reviewOf(ctx, co, s)
	p.Stats = statsOf(progress.Measure([]progress.PlanEvents{progress.EventsOfPlan(co.Doc)}))
	p.Events = history(co.Branch, co.Doc.Events)
	p.More = max(0, len(co.Doc.Events)-mostEvents)
	if file {
		p.diffs(ctx, co)
		p.printed(co)
	}
	return p, nil
}

// Tab is the title of the page: what a browser shows of it while another one is read.
func (h Head) Tab() string {
	mark := ""
	if len(h.Waits) > 0 || h.Findings != "" || h.State == status.Unapproved {
		mark = "(!) "
	}
	return fmt.Sprintf("%s%d of %d – %s – git plan", mark, h.Done, h.Total, h.Title)
}

// run fills in whether the plan is being worked on, or a run could begin.
func (p *Page) run(co *checkout.Checkout, next string) {
	var who journal.Holder
	if who, p.Working = journal.Working(co.Repo, co.Doc.ID); p.Working {
		p.Stopping = journal.AskedToStop(co.Repo, co.Doc.ID, who)
		return
	}
	p.GoOn = slices.Contains([]string{"git plan step", "git plan run", "git plan review"}, next)
	last := co.Doc.Newest()
	if info, err := os.Stat(BegunPath(co.Repo, co.Doc.ID)); err == nil && last != nil && !info.ModTime().Before(last.Time) {
		p.Begun = Begun(co.Repo, co.Doc.ID)
		if where, ok := strings.CutPrefix(p.Begun, "error: interrupted"); ok { // a person's stop is not an error
			where, _, _ = strings.Cut(where, "\n")
			p.Begun, p.Stopped = "", "stopped"+where
		}
		for _, step := range p.Waits { // its row has the reason
			if strings.HasPrefix(p.Begun, "error: step "+step+" failed after ") || strings.HasPrefix(p.Begun, "error: step "+step+" is blocked: ") {
				p.Begun = ""
			}
		}
	}
}

// took fills in how long the sessions at each step took, with their number if there were several.
func (p *Page) took(events []journal.Event) {
	sum := make([]time.Duration, len(p.Steps))
	for i := range events {
		if n, ok := p.steps[events[i].Step()]; ok {
			sum[n] += events[i].Took
		}
	}
	for n, took := range sum {
		s := &p.Steps[n]
		if took > 0 {
			s.Took = views.Seconds(int64(took.Round(time.Second) / time.Second))
		}
		if tries := len(s.Attempts) + s.Earlier; tries > 1 {
			s.Took = strings.TrimSpace(terminal.Count(tries, "attempt") + "  " + s.Took)
		}
	}
}

// waitingAnswers notes at the steps which answers wait until no session is at work.
func (p *Page) waitingAnswers(list []*share.WaitingAnswer) {
	for _, w := range list {
		for i := range p.Steps {
			if p.Steps[i].ID == line(w.Step) {
				p.Steps[i].Answer = text(w.Text)
			}
		}
	}
}

func statsOf(s progress.Stats) *Stats {
	out := &Stats{}
	for _, r := range s.Roles {
		out.Rows = append(out.Rows, views.StatsCells(r))
	}
	total := s.Total
	total.Name = "all"
	out.Rows = append(out.Rows, views.StatsCells(total))
	out.Columns = slices.Clone(views.StatsColumns)
	out.Columns[0] = "by"
	for i := len(out.Columns) - 1; i > 0; i-- { // a column that says nothing is left out
		if !slices.ContainsFunc(out.Rows, func(row []string) bool { return row[i] != "0" && row[i] != "unknown" && row[i] != "cost unknown" }) {
			out.Columns = slices.Delete(out.Columns, i, i+1)
			for j := range out.Rows {
				out.Rows[j] = slices.Delete(out.Rows[j], i, i+1)
			}
		}
	}
	if n := s.Total.Interventions.Total; n > 0 || s.Human.Waiting > 0 {
		out.Human = terminal.Count(n, "intervention") + "; the work waited for people for " + views.Seconds(s.Human.Waiting)
	}
	return out
}

func history(branch string, events []journal.Event) (list []Event) {
	for i := len(events) - 1; i >= max(0, len(events)-mostEvents); i-- {
		e := &events[i]
		if e.Kind == journal.Checked && i+1 < len(events) && events[i+1].Kind == journal.Done {
			continue // the step's end says so
		}
		out := Event{Time: clock(e.Time), Text: line(strings.TrimPrefix(e.Headline, branch+" ")), Reason: visible.OneLine(e.Reason, mostReason)}
		if e.Reason == "" {
			out.Reason = visible.OneLine(e.Summary, mostReason)
		}
		if strings.HasSuffix(out.Text, ": "+out.Reason) { // a review's end is its headline
			out.Reason = ""
		}
		list = append(list, out)
	}
	return list
}

// diffs fills in what the commits of the steps changed, as far as a page that is one file has room.
func (p *Page) diffs(ctx context.Context, co *checkout.Checkout) {
	left := mostInFile
	for i := range p.Steps {
		s := &p.Steps[i]
		st := co.Progress.Steps[co.Doc.Plan.Steps[i].ID]
		if s.Commit == "" || left <= 0 {
			continue
		}
		if d, err := diffOf(ctx, co, st.Commit, min(mostDiff, left)); err == nil {
			s.Diff, left = d, left-len(d.Lines)
		}
	}
}

// printed fills in what was printed by what failed an attempt, the last of each step.
func (p *Page) printed(co *checkout.Checkout) {
	seen := map[string]bool{}
	for i := len(co.Doc.Events) - 1; i >= 0; i-- {
		e := co.Doc.Events[i]
		n, ok := p.steps[e.Step()]
		if !ok || e.Kind != journal.Failed || e.Stopped || e.Question || seen[e.Step()] {
			continue
		}
		seen[e.Step()] = true
		for j := range p.Steps[n].Attempts {
			if a := &p.Steps[n].Attempts[j]; a.End == "failed" && a.Session == line(e.Session) && a.N == e.Attempt {
				said, see := checkout.FailureOutput(co, e)
				a.Printed, a.See = ends(said), line(see)
			}
		}
	}
}
