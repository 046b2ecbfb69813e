package web

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-plan/git-plan/cmd/git-plan/status"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Page is what the page of a plan shows. Its texts are as others wrote them: written cleans them.
type Page struct {
	// The reader, and where the page is.
	Live      bool // a browser, which can ask again; a file cannot
	Acts      bool // full access
	Elsewhere bool // another branch than the one checked out
	Linked    bool // pages of its attempts and diffs are on the same server
	Listed    checkout.Listed

	// The state of the plan, and what comes next.
	Plan       views.Plan
	State      status.State // Blocked, too, if all steps are done and findings block
	Fresh      bool         // nothing has run yet
	Reviewed   string       // the word for its review, once all steps are done
	Unreviewed bool         // reviewed elsewhere, not here
	Next       status.Advice

	// What waits for a person.
	Waits    []*Step           // blocked steps
	Findings int               // the number that block
	Manual   []progress.Manual // checks by hand
	Failed   string            // the planner's error, if nothing was done since

	// The run at work, or the one that can begin.
	Working, Stopping bool             // Stopping: a person asked the run to stop
	Doing             []journal.Notice // a round of the review, or planners: work at no step
	GoOn              bool             // a run can begin
	Stopped           string           // where a run begun from the page was stopped
	Begun             string           // the error of a run begun from the page; "" once something happened since

	// The steps.
	Edited  time.Time // the last edit: earlier checks may have been others
	Steps   []Step
	Wide    int             // lanes of the graph; 1 if no step branches
	Drawn   map[string]bool // kinds of Span in any step
	Courses []Course
	Passing string // commands of Done when that pass: 2 of 3
	Used    string // share of the budget in Bounds; "" without Bounds

	// What happened.
	Review  *Review
	Stats   *Stats
	Events  []Event // newest first
	Older   []Event // events before those, by step
	More    int     // number of events before Older
	Written time.Time

	steps map[string]int // index in Steps, by ID
}

// Course is how a command of Done when ended, with its numbers as a chart. X and Y are in percent of the chart.
type Course struct {
	progress.Course
	Wants  string       // the limit, as written: <= 60
	Points [][2]float64 // X and Y of each number; none if there is one number
	Limit  float64      // Y of the limit
}

// Link returns the address of a page about a part of the plan: attempt/STEP/SESSION or diff/STEP; "" in a file.
func (p *Page) Link(path string) string {
	switch {
	case p.Live:
		return path
	case p.Linked:
		return "../" + path + "?plan=" + p.Plan.Plan
	}
	return ""
}

// Step returns the step with an ID; the ID must be of a step, as those in Needs are.
func (p *Page) Step(id string) *Step { return &p.Steps[p.steps[id]] }

func courseOf(c progress.Course) Course {
	limit, _ := plan.LimitOf(c.Command)
	out, all := Course{Course: c, Wants: limit.String()}, []float64{limit.Bound}
	for _, text := range c.Numbers {
		n, _ := strconv.ParseFloat(text, 64)
		all = append(all, n)
	}
	y := func(n float64) float64 { return 20 + 65*(slices.Max(all)-n)/max(slices.Max(all)-slices.Min(all), 1e-9) }
	out.Limit = y(limit.Bound)
	for i := 1; i < len(all) && len(all) > 2; i++ {
		out.Points = append(out.Points, [2]float64{100 * float64(i-1) / float64(len(all)-2), y(all[i])})
	}
	return out
}

// Stats is the time and money that work took, in the cells of git plan log --stats.
type Stats struct {
	Rows  [][]string // by role; the last is the total
	Human string     // interventions, and how long work waited for people; "" without any
}

// Has reports whether any cell of a column has a value.
func (s *Stats) Has(column int) bool {
	return slices.ContainsFunc(s.Rows, func(row []string) bool { return !blank(row[column]) })
}

// blank reports whether a cell has no value.
func blank(cell string) bool {
	return slices.Contains([]string{"0", "0s", "0.00 USD", "unknown", "cost unknown"}, cell)
}

type Event struct {
	Step         views.Step // zero for an event of the plan
	Time         time.Time
	Text, Reason string
	Times        int // consecutive repeats; 0: once
}

// Of returns the page of a plan; an unreadable review is left out. With file, it has the diffs and outputs, too.
func Of(ctx context.Context, co *checkout.Checkout, file bool) (*Page, error) {
	s, err := status.Of(ctx, co)
	if s == nil {
		return nil, err
	}
	p := &Page{Written: time.Now(), steps: map[string]int{}, Drawn: map[string]bool{}, Plan: views.WholePlan(s, co),
		State: s.State, Fresh: s.Progress.Done == 0}
	for _, c := range s.DoneWhen {
		p.Courses = append(p.Courses, courseOf(c))
	}
	if p.Passing = progress.Passing(s.DoneWhen); co.Doc.Plan.Bounds != nil {
		p.Used = progress.Used(co.Doc.Plan, co.Doc.Events)
	}
	p.Next = s.Next(ctx, co)
	p.Unreviewed = p.Plan.Review.PlanOnly && p.Next.Command == "git plan review"
	p.Steps = make([]Step, len(p.Plan.Steps))
	for i, step := range p.Plan.Steps {
		p.steps[step.ID], p.Steps[i] = i, p.stepOf(step, s.Steps[i], co, max(1, min(mostAttempts, mostHistory/len(p.Steps))))
		s := &p.Steps[i]
		s.Answer = share.WaitingAnswer(co, step.ID)
		if s.Blocked && s.Answer == "" {
			if p.Waits = append(p.Waits, s); len(s.Attempts) > 0 && len(p.Waits) <= mostAttempts {
				s.Attempts[len(s.Attempts)-1].print(co)
			}
		}
		p.Fresh = p.Fresh && len(s.Attempts) == 0
	}
	p.took(co.Doc.Events)
	p.order()
	if p.Findings = s.Findings(); p.Findings > 0 {
		p.State = status.Blocked
	} else if s.State == status.Done {
		p.Reviewed = s.Review.Word()
	}
	p.history(co.Doc.Events)
	p.run(co)
	p.Manual, p.Review = s.Manual, reviewOf(ctx, co, s)
	took := progress.Measure([]progress.PlanEvents{{Plan: co.Doc.ID, Events: co.Doc.Events}})
	took.Total.Name, p.Stats = "all", &Stats{}
	for _, r := range append(took.Roles, took.Total) {
		p.Stats.Rows = append(p.Stats.Rows, views.StatsCells(r))
	}
	if n := took.Total.Interventions.Total; n > 0 || took.Human.Waiting > 0 {
		p.Stats.Human = visible.Count(n, "intervention") + "; the work waited for people for " +
			views.Seconds(took.Human.Waiting)
	}
	if file {
		p.whole(ctx, co)
	}
	return p, nil
}

// Tone returns the colour of a plan's state: wait (for a person), bad (its planner failed), busy, good or idle.
func (p *Page) Tone() string {
	reached := p.Passing == fmt.Sprintf("%[1]d of %[1]d", len(p.Courses))
	byHand := p.Reviewed != "" && slices.ContainsFunc(p.Manual, func(m progress.Manual) bool { return m.Commit == "" })
	switch waits := len(p.Waits) > 0 || p.Findings > 0 || p.State == status.Unapproved; {
	case !waits && p.Working:
		return "busy"
	case !waits && p.Reviewed == "done" && reached && !p.Unreviewed && !byHand:
		return "good"
	case !waits && p.Failed != "":
		return "bad"
	case waits, p.State == status.Blocked, p.Reviewed != "" && !reached, byHand:
		return "wait"
	}
	return "idle"
}

// run fills in the run at work, or whether one can begin.
func (p *Page) run(co *checkout.Checkout) {
	var who journal.Holder
	if who, p.Working = journal.Working(co.Repo, co.Doc.ID); p.Working {
		p.Stopping, p.Failed = journal.AskedToStop(co.Repo, co.Doc.ID, who), ""
		p.Doing = slices.DeleteFunc(who.Open, func(n journal.Notice) bool { return n.Step != "" })
		return
	}
	p.GoOn = slices.Contains([]string{"git plan step", "git plan run", "git plan review"}, p.Next.Command) || p.Findings > 0
	last := co.Doc.Newest()
	if info, err := os.Stat(BegunPath(co.Repo, co.Doc.ID)); err == nil && last != nil && !info.ModTime().Before(last.Time) {
		p.Begun = Begun(co.Repo, co.Doc.ID)
		if where, ok := strings.CutPrefix(p.Begun, "error: interrupted"); ok { // a person's stop is not an error
			where, _, _ = strings.Cut(where, "\n")
			p.Begun, p.Stopped = "", "stopped"+where
		}
		ofStep := func(s *Step) bool { return strings.HasPrefix(p.Begun, "error: step "+s.Is.ID+" ") }
		if p.Failed != "" && strings.Contains(p.Begun, p.Failed) || slices.ContainsFunc(p.Waits, ofStep) { // a card has it
			p.Begun = ""
		}
	}
}

// took fills in the usage and the timeline of each step.
func (p *Page) took(events []journal.Event) {
	of := make([][]journal.Event, len(p.Steps))
	for _, e := range events {
		if n, ok := p.steps[e.Step()]; ok {
			of[n] = append(of[n], e)
		}
		if e.Kind == journal.Edited || e.Kind == journal.Replanned {
			p.Edited = e.Time
		}
	}
	worked := make([]float64, len(p.Steps))
	for n := range p.Steps {
		s := &p.Steps[n]
		s.Used = views.StatsCells(progress.Measure([]progress.PlanEvents{{Events: of[n]}}).Total)
		worked[n] = s.spent(of[n], p.Written)
		s.Spans = s.Spans[max(0, len(s.Spans)-max(4, mostHistory/len(p.Steps))):]
	}
	most := drawnWhole(worked)
	for n := range p.Steps {
		p.Steps[n].Broken = worked[n] > most
		p.Steps[n].place(max(worked[n], min(most, slices.Max(worked))))
		for _, span := range p.Steps[n].Spans {
			p.Drawn[span.Kind] = true
		}
	}
}

// history fills in the events of each step and of the plan, newest first.
func (p *Page) history(events []journal.Event) {
	p.More = max(0, len(events)-mostEvents)
	done := false
	var then, e journal.Event // then is the event after e
	for _, before := range slices.Backward(events[p.More:]) {
		then, e = e, before
		if e.Kind == journal.Checked && then.Kind == journal.Done {
			continue // the Done event includes it
		}
		_, what, _ := strings.Cut(strings.TrimPrefix(e.Headline, p.Plan.Branch+" "), " ")
		out := Event{Time: e.Time, Text: what, Reason: visible.OneLine(cmp.Or(e.Reason, e.Summary), mostReason)}
		if strings.HasSuffix(what, ": "+out.Reason) { // a review's end is its headline
			out.Reason = ""
		}
		n, ok := p.steps[e.Step()]
		unplanned := e.Kind == journal.Failed && !e.Stopped && len(e.Steps) == 0 && len(e.Usage) > 0 && e.Usage[0].Role == agent.Planner
		if unplanned && !slices.ContainsFunc(p.Events, func(e Event) bool { return e.Text != "plan: approved" }) {
			p.Failed = out.Reason
		}
		if ok {
			if e.Kind == journal.Done && !done {
				done, p.Steps[n].Newest = true, p.Steps[n].Is.State == progress.StateDone
			}
			_, out.Text, _ = strings.Cut(what, ": ")
			p.Steps[n].Events = append(p.Steps[n].Events, out)
			out.Step, out.Reason = p.Plan.Steps[n], "" // the step shows the reason
		}
		fails := e.Kind == journal.Failed && then.Kind == journal.Blocked && then.Step() == e.Step()
		if ok && (fails || e.Kind == journal.Started || e.Kind == journal.Checked) {
			continue // the next event includes it
		}
		if n := len(p.Events) - 1; ok && e.Kind == journal.Failed && n >= 0 && p.Events[n].Text == out.Text &&
			p.Events[n].Step.ID == out.Step.ID {
			p.Events[n].Times = max(1, p.Events[n].Times) + 1
			continue
		}
		p.Events = append(p.Events, out)
	}
	if len(p.Events) > mostNewest+1 { // a fold of one would be as long as that
		p.Events, p.Older = p.Events[:mostNewest], p.Events[mostNewest:]
	}
	slices.SortStableFunc(p.Older, func(a, b Event) int { return a.Step.N - b.Step.N })
}

// whole fills in what a browser loads on demand: diffs of commits, and the output of each step's last failure.
func (p *Page) whole(ctx context.Context, co *checkout.Checkout) {
	left := mostInFile
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Is.Commit != "" && left > 0 {
			if d, lines, err := diffOf(ctx, co, s.Is.Commit, min(mostDiff, left)); err == nil {
				s.Diff, left = d, left-lines
			}
		}
		for j := range slices.Backward(s.Attempts) {
			if s.Attempts[j].Is.End == "failed" {
				s.Attempts[j].print(co)
				break
			}
		}
	}
}
