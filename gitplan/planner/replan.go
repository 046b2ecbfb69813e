package planner

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/work"
)

// Replan lets a planner rewrite the open steps of the plan, told why the work is stuck and what a person wants. The new
// text is stored, and not approved. e is the event so far: by whom, and why.
func Replan(ctx context.Context, w *work.Worker, e journal.Event, p prompt.Planning) (before []byte, err error) {
	if w.Checkout.Progress.Complete() && p.Wanted == "" && !p.Within {
		return nil, fault.New(fault.ErrNothingLeft, "%s: nothing is left to plan again; with -m it plans what else you want",
			w.Checkout.Progress.AllDone())
	}
	release, err := w.Runner.LockPlan(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	before = slices.Clone(w.Checkout.Doc.Plan.Source)
	began := time.Now()
	defer func() { err = w.AccountFailed(ctx, err) }()
	old := w.Checkout.Doc.Plan
	left := longDone(old, w.Checkout.Progress)
	shown, err := plan.WithoutSteps(old, func(s *plan.Step) bool { return left[s.ID] })
	if err != nil {
		left, shown = nil, old.Source
	}
	p.Goal, p.Old, p.Shown, p.Stuck = cmp.Or(old.Goal, old.Title), old, string(shown), stuckAt(w, left)
	for _, s := range progress.Proposals(w.Checkout.Doc.Events) {
		p.Proposed += fmt.Sprintf("The session of step #%s: %s\n", s.Step, s.Text)
	}
	if p.Within {
		p.Most = mostNewIn(old)
	}
	made, err := MakePlan(ctx, w, p)
	if err != nil {
		return before, err
	}
	now, err := plan.Parse(made.Text)
	if err != nil {
		return before, err
	}
	e.Steps = startedSteps(w, now, e.By)
	if e.By != journal.ByPerson && bytes.Equal(plan.Meaning(before), plan.Meaning(made.Text)) {
		e.Steps = nil // the same again would end in the same way
	}
	e.Head, e.Took, e.Answers = journal.None, time.Since(began), made.Answers
	err = w.Checkout.Store.Apply(ctx, w.Checkout.Doc, w.Checkout.Branch, journal.Change{
		Event: w.WithSessions(e),
		Edit:  func([]byte) ([]byte, error) { return made.Text, nil },
	})
	if err != nil {
		return before, err
	}
	return before, w.Checkout.Derive(ctx)
}

// longDone returns the steps that a planner is not shown: they are done or skipped, are none of the last, and no other
// one names them under Needs. It leaves them out of its answer, and keeps them by that.
func longDone(p *plan.Plan, pr *progress.Progress) map[string]bool {
	const mostDone = 20
	out, last := map[string]bool{}, 0
	for i := range slices.Backward(p.Steps) {
		if closed(pr, p.Steps[i].ID) {
			if last++; last > mostDone {
				out[p.Steps[i].ID] = true
			}
		}
	}
	for i := range slices.Backward(p.Steps) {
		if s := &p.Steps[i]; !out[s.ID] && s.NamesNeeds() {
			for _, id := range s.Needs {
				delete(out, id)
			}
		}
	}
	return out
}

// startedSteps returns the steps of the new plan that were tried before: they start again, but those that a person
// blocked only if a person has them planned.
func startedSteps(w *work.Worker, p *plan.Plan, by string) []string {
	var out []string
	for i := range p.Steps {
		id := p.Steps[i].ID
		st, known := w.Checkout.Progress.Steps[id]
		byPerson := st.Last().Kind == journal.Blocked && st.Last().By == journal.ByPerson
		if known && !closed(w.Checkout.Progress, id) && st.Last().Kind != "" && (by == journal.ByPerson || !byPerson) {
			out = append(out, id)
		}
	}
	return out
}

// stuckAt returns what a planner reads about where the work is, except steps that are left out.
func stuckAt(w *work.Worker, left map[string]bool) string {
	var b strings.Builder
	if len(left) > 0 {
		b.WriteString("Earlier steps that are done are not shown; they stay in the plan.\n")
	}
	for i := range w.Checkout.Doc.Plan.Steps {
		s := &w.Checkout.Doc.Plan.Steps[i]
		if left[s.ID] {
			continue
		}
		st := w.Checkout.Progress.Steps[s.ID]
		b.WriteString(prompt.LineOf(s, st))
		if closed(w.Checkout.Progress, s.ID) {
			continue
		}
		for _, e := range w.Checkout.Doc.Events {
			if slices.Contains(e.Steps, s.ID) && (e.Kind == journal.Failed || e.Kind == journal.Blocked) {
				what := string(e.Kind)
				if e.Kind == journal.Failed && e.Question {
					what = "asked"
				}
				fmt.Fprintf(&b, "     %s: %s\n", what, e.Reason)
			}
		}
	}
	return b.String()
}

// closed reports whether a planner must leave a step unchanged: it is done, or skipped.
func closed(pr *progress.Progress, id string) bool {
	st := pr.Steps[id].State
	return st == progress.StateDone || st == progress.StateSkipped
}

// persons are the sections that a planner never changes, with Done when unless it writes another; signed are those that
// it does not change in a plan with Bounds. What it left out is put in front in this order, and stands as in a new plan.
var (
	persons  = []string{"Decisions", "Bounds", "Goal"}
	doneWhen = []string{"Decisions", "Bounds", "Done when", "Goal"}
	signed   = append([]string{"Requirements", "Rules", "Prerequisites", "Checks"}, doneWhen...)
)

// frozen returns a planner's text below the old front matter, with some sections and the closed steps as they were: in
// their place if the planner kept them, else behind the closed step before them, or before the first step.
func frozen(old *plan.Plan, pr *progress.Progress, text []byte, sections []string) (out []byte, err error) {
	for _, title := range sections {
		if text, err = plan.WithSection(text, old.TitleOf(title), old.BodyOf(title)); err != nil {
			return nil, err
		}
	}
	was, err := share.Outlined(old.Source)
	is, wrong := share.Outlined(text)
	if err = cmp.Or(err, wrong); err != nil {
		return nil, err
	}
	front := slices.DeleteFunc(slices.Clone(was.Pieces), func(p share.Piece) bool { return !p.Front })
	body := slices.DeleteFunc(is.Pieces, func(p share.Piece) bool { return p.Front })
	for i := range body {
		p := &body[i]
		// No person reads the title and the summary again.
		if old.Bounds != nil && was.Named[p.Name].Raw != "" && (p.Name == "the title" || p.Name == "the summary") {
			p.Raw = was.Named[p.Name].Raw
		}
	}
	first := slices.IndexFunc(body, func(p share.Piece) bool { return p.Step != nil })
	at := first // where the next one goes that the planner left out: behind the one before it
	for _, s := range old.Steps {
		kept := was.Named["step "+s.ID]
		if at < 0 || !closed(pr, s.ID) {
			continue
		}
		if i := slices.IndexFunc(body, func(p share.Piece) bool { return p.Name == kept.Name }); i >= 0 {
			body[i].Raw, at = kept.Raw, i+1
			continue
		}
		if kept.Lead = "\n"; at == first {
			kept.Lead, body[at].Lead = body[at].Lead, "\n"
		}
		body, at = slices.Insert(body, at, kept), at+1
	}
	body[0].Lead = was.Pieces[len(front)].Lead
	out = []byte((&share.Outline{Pieces: append(front, body...), Tail: is.Tail}).Text())
	_, err = plan.Parse(out)
	return out, err
}

// mostNew is how many steps a planner may add at a time within Bounds; the next are planned after these.
const mostNew = 8

// mostNewIn returns how many steps a planner may add to a plan with Bounds now, as far as its Budget has room.
func mostNewIn(p *plan.Plan) int {
	if most := p.Bounds.Budget.Steps; most > 0 {
		return min(mostNew, most-p.Budgeted())
	}
	return mostNew
}

// WithinBounds returns a rewritten plan without the steps outside of its Bounds, with reasons, and those that need them.
// measuring are the files that decide what Done when measures; attempts is the maximum that a step may name.
func WithinBounds(now, approved *plan.Plan, measuring []string, attempts int) (text []byte,
	outside map[string]string, err error) {
	outside = map[string]string{}
	commands := approved.EveryCommand()
	without := map[string]bool{}
	for _, s := range now.Ordered() { // a step may need one that stands below it
		was, ok := approved.Step(s.ID)
		if !ok || was.ID != s.ID {
			was = &plan.Step{}
		}
		outside[s.ID] = beyond(s, was, approved.Bounds, commands, attempts)
		for _, name := range s.Files { // the guard lets sessions change no file by a pattern
			if slices.Contains(measuring, name) && !slices.Contains(was.Files, name) {
				outside[s.ID] = "may touch " + name + ", which measures the goal"
			}
		}
		without[s.ID] = outside[s.ID] != "" || slices.ContainsFunc(s.Needs, func(id string) bool { return without[id] })
	}
	maps.DeleteFunc(outside, func(_, why string) bool { return why == "" })
	text, err = plan.WithoutSteps(now, func(s *plan.Step) bool { return without[s.ID] })
	if err != nil {
		return nil, outside, err
	}
	left, err := plan.Parse(text)
	if err == nil {
		if u := plan.NotApproved(left, now); u.Whole != "" || u.Steps != nil { // the parts that were not judged
			err = fmt.Errorf("they mean something else: %s", visible.OneLine(strings.Join(append(u.Steps, u.Whole), " "), 200))
		}
	}
	return text, outside, err
}

// Outside says why steps are outside of the Bounds, in one line.
func Outside(why map[string]string) string {
	var out []string
	for _, id := range slices.Sorted(maps.Keys(why)) {
		out = append(out, "step "+id+" "+why[id])
	}
	return visible.OneLine(strings.Join(out, "; "), 400)
}

// beyond says why a step, which was another one before, is not within bounds; "" if it is.
func beyond(now, was *plan.Step, b *plan.Bounds, approved []string, attempts int) string {
	for _, command := range append(plan.Commands(now.Checks), now.Run) {
		plain := plan.Unlimited(command) // its output may be compared with another number
		if command != "" && !slices.Contains(approved, plain) && !b.AllowsCommand(plain) {
			return fmt.Sprintf("would run `%s`", command)
		}
	}
	for _, name := range now.Files {
		if !b.AllowsFile(name) && !slices.Contains(was.Files, name) {
			return "may touch " + name
		}
	}
	switch {
	case len(now.Files) == 0 && len(b.Files) > 0 && (was.ID == "" || len(was.Files) > 0):
		return "names no Files, so it may touch any"
	case was.Ask && !now.Ask:
		return "no longer asks"
	case now.Action == "delete" && was.Action != "delete": // a delete lets a session remove tests
		return "deletes what it names"
	case now.Attempts > max(was.Attempts, attempts):
		return fmt.Sprintf("may be tried %d times", now.Attempts)
	case now.Agent != was.Agent:
		return "is for another agent"
	case now.Doubt:
		return "has a line that looks like a task"
	}
	return ""
}
