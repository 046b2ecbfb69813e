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
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Page is what the page of a plan shows. Its texts are as others wrote them: written cleans them.
type Page struct {
	Live bool // for a browser that can ask again; a file cannot
	Acts bool // for a person who may act

	Elsewhere bool // it is the plan of another branch
	Linked    bool // the same server has the pages of its attempts and diffs
	Listed    checkout.Listed

	Plan       views.Plan
	State      status.State // blocked also if findings keep a plan from being done whose steps all are
	Reviewed   string       // how far its review is once its steps are done
	Findings   int          // how many keep it from being done: a person has to say what becomes of them
	Next       status.Advice
	Unreviewed bool             // it was reviewed elsewhere, and still needs a review here
	Working    bool             // a run could be stopped
	Stopping   bool             // it was asked to
	Doing      []journal.Notice // what a run does that is at no step: a round of the review, or sessions of planners
	GoOn       bool             // a run could begin
	Fresh      bool             // nothing has run yet
	Stopped    string           // where a run that was begun from the page was stopped
	Begun      string           // why a run that was begun from the page could not go on; "" if it did, or something happened since

	Edited  time.Time // last; what was checked before may not be what the checks of a step are now
	Steps   []Step
	Waits   []*Step         // are blocked: a person has to say how they go on
	Wide    int             // lanes of the drawing of their order, which is only drawn if it branches
	Drawn   map[string]bool // kinds of the pieces of their time
	Courses []Course
	Passing string            // of the commands of Done when: 2 of 3
	Used    string            // of the budget of its Bounds; "" without
	Manual  []progress.Manual // what a person is to check
	Review  *Review
	Stats   *Stats
	Events  []Event // of the plan itself, the newest first
	Older   []Event // those before them, by step
	More    int     // how many earlier events are not shown
	Failed  string  // why the planner failed, if nothing was done since
	Written time.Time

	steps map[string]int
}

// Course is how a command of Done when ended, with its numbers as points, in percent of their picture.
type Course struct {
	progress.Course
	Wants  string       // of its numbers
	Points [][2]float64 // none if there is one number
	Limit  float64      // its height in the picture
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

// Step returns the step with an ID, such as one of Needs has.
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

// Stats is what work took, in the cells of git plan log --stats.
type Stats struct {
	Rows  [][]string // the last is everything together
	Human string     // how long work waited for people; "" if it never did
}

// Has reports whether a column says something.
func (s *Stats) Has(column int) bool {
	return slices.ContainsFunc(s.Rows, func(row []string) bool { return !blank(row[column]) })
}

// blank reports whether a cell says nothing.
func blank(cell string) bool {
	return slices.Contains([]string{"0", "0s", "0.00 USD", "unknown", "cost unknown"}, cell)
}

type Event struct {
	Step         views.Step // whose event it is, where that is not seen
	Time         time.Time
	Text, Reason string
	Times        int // consecutive repeats; 0 means once
}

// Of returns the page of a plan, without a review that cannot be read; file includes what a browser loads later.
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

// Tone returns what the state of a plan asks of a person: wait, bad if its planner failed, busy, good or idle.
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

// run fills in whether the plan is being worked on, or a run could begin.
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
		if p.Failed != "" && strings.Contains(p.Begun, p.Failed) {
			p.Begun = ""
		}
		for _, s := range p.Waits { // its card has the reason
			if strings.HasPrefix(p.Begun, "error: step "+s.Is.ID+" failed after ") ||
				strings.HasPrefix(p.Begun, "error: step "+s.Is.ID+" is blocked: ") {
				p.Begun = ""
			}
		}
	}
}

// took fills in what each step took: what its sessions used, and what the time went into.
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

// history fills in what happened, the newest first, at each step and to the plan itself.
func (p *Page) history(events []journal.Event) {
	p.More = max(0, len(events)-mostEvents)
	done := false
	var then, e journal.Event // then is what happened next
	for _, before := range slices.Backward(events[p.More:]) {
		then, e = e, before
		if e.Kind == journal.Checked && then.Kind == journal.Done {
			continue // the step's end says so
		}
		_, what, _ := strings.Cut(strings.TrimPrefix(e.Headline, p.Plan.Branch+" "), " ")
		out := Event{Time: e.Time, Text: what, Reason: visible.OneLine(cmp.Or(e.Reason, e.Summary), mostReason)}
		if strings.HasSuffix(what, ": "+out.Reason) { // a review's end is its headline
			out.Reason = ""
		}
		n, ok := p.steps[e.Step()]
		if what == "planner: failed" && !slices.ContainsFunc(p.Events, func(e Event) bool { return e.Text != "plan: approved" }) {
			p.Failed = out.Reason
		}
		if ok {
			if e.Kind == journal.Done && !done {
				done, p.Steps[n].Newest = true, p.Steps[n].Is.State == progress.StateDone
			}
			_, out.Text, _ = strings.Cut(what, ": ")
			p.Steps[n].Events = append(p.Steps[n].Events, out)
			out.Step, out.Reason = p.Plan.Steps[n], "" // it stands at the step
		}
		fails := e.Kind == journal.Failed && then.Kind == journal.Blocked && then.Step() == e.Step()
		if ok && (fails || e.Kind == journal.Started || e.Kind == journal.Checked) {
			continue // what follows says so
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

// whole fills in what a browser would load later: what commits changed, and what the last failed attempts printed.
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
