package planner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/form"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/lint"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/work"
)

// Planned is the result of a planner session: the plan's text. An unfit one comes with an error.
type Planned struct {
	Text    []byte
	Answers int // questions of the planner that a person answered
}

// MakePlan lets a planner session, which can change nothing, read the repository and write a plan. One that does not
// parse, or could not be executed, is sent back, at most plan.attempts times; other weaknesses once.
func MakePlan(ctx context.Context, w *work.Worker, p prompt.Planning) (out Planned, err error) {
	sessions, err := newReading(ctx, w, work.Task{Role: agent.Planner, Name: "plan"}, p)
	if err != nil {
		return out, err
	}
	defer sessions.discard()
	attempts, err := w.Checkout.Config.Int("plan.attempts")
	if err != nil {
		return out, err
	}
	judge := &planJudge{worker: w, ctx: ctx, task: p, retries: attempts - 1, interview: newInterview(p.Ask, p.Old)}
	if p.Ask != nil {
		sessions.task.Session.Ask = judge.interview.ask
	}
	var answer, problems string
	sessions.task.Prompt = func(prompt.Attempt) agent.Prompt {
		p.Decided = judge.interview.reported()
		return w.Checkout.Prompts.Plan(p, sessions.survey, sessions.rules, answer, problems)
	}
	for n := 1; ; n++ {
		judge.reported = "" // report the same answer once more
		r, err := sessions.session(ctx, &prompt.Attempt{N: n},
			func(r agent.Result) error { return judge.report(r.Answer, judge.accept(r.Answer)) })
		if err != nil {
			out.Text = []byte(r.Answer)
			return out, err
		}
		asks, err := judge.interview.goesOn(r)
		out.Answers = len(judge.interview.decided)
		switch {
		case asks:
			continue
		case err != nil:
			return out, err
		case r.Status != agent.Done:
			return out, prompt.Failed(r, &fault.Fault{Kind: fault.ErrPlanner, Text: "the planner failed: ", Next: p.ByHand()})
		}
		if err = judge.accept(r.Answer); err == nil {
			out.Text, err = judge.final(r.Answer)
			return out, err
		}
		if n-judge.interview.ended >= attempts {
			out.Text = []byte(r.Answer)
			return out, &fault.Fault{Kind: fault.ErrPlanner,
				Text: "the planner's plan cannot be used: " + inOneLine.Replace(err.Error()), Next: p.ByHand(), Cause: err}
		}
		judge.before = err.Error()
		answer, problems = prompt.Shortened(r.Answer, 32<<10), prompt.Shortened(judge.report(r.Answer, err).Error(), 16<<10)
	}
}

// planJudge decides whether a planner's answer is taken.
type planJudge struct {
	worker   *work.Worker
	ctx      context.Context
	task     prompt.Planning
	retries  int    // the remaining number of times that weaknesses are sent back
	advised  bool   // weaknesses were already sent back once
	passed   string // the answer that was accepted, weak or not
	reported string // the answer whose faults were reported last
	before   string // the error that the previous session read

	interview *interview
}

// report tells the person once about the problems of an answer.
func (j *planJudge) report(answer string, err error) error {
	if err != nil && answer != j.reported {
		j.reported = answer
		what, said := "the planner's plan cannot be used: ", err.Error()
		if c, ok := errors.AsType[*criticism](err); ok {
			said = c.facts
			if !c.unusable {
				what = "the planner is asked to improve its plan: "
			}
		}
		j.note(what, said)
	}
	return err
}

func (j *planJudge) note(what, said string) {
	j.worker.Runner.Report(journal.Notice{Kind: journal.StepNote, Role: agent.Planner,
		Text: what + visible.OneLine(inOneLine.Replace(said), 400)})
}

// inOneLine joins the lines of a criticism, some of which are headings of others.
var inOneLine = strings.NewReplacer(":\n", ": ", "\n", "; ")

// mustFix are the weaknesses that are sent back as often as errors are, until a session repeats them; all others once.
var mustFix = []string{"no-check", "missing-file", "unknown-command"}

// accept says all that is wrong with an answer at once, by the answer's own lines.
func (j *planJudge) accept(answer string) error {
	if answer == j.passed && answer != "" {
		return nil
	}
	text := []byte(answer)
	if inner, above := form.Unwrapped(text); above > 0 {
		text = form.InItsLines(inner, above)
	}
	found, err := lint.Plan(j.ctx, j.worker.Runner.Checkout, text)
	if err != nil {
		return err
	}
	var must, weak, facts []string
	unusable := false
	for _, f := range found {
		if j.task.Old != nil && f.Step != "" && closed(j.worker.Checkout.Progress, f.Step) {
			continue
		}
		fact := fmt.Sprintf("line %d: %s", f.Line, f.Text)
		line := strings.TrimSuffix(fact+"; "+f.Fix, "; ")
		facts = append(facts, fact)
		if unusable = unusable || f.Error; f.Error || slices.Contains(mustFix, f.Rule) {
			must = append(must, line)
		} else {
			weak = append(weak, line)
		}
	}
	var outside []string
	made, err := j.text(text)
	if err != nil && !unusable {
		unusable, must, facts = true, append(must, err.Error()), append(facts, err.Error())
	} else if err == nil && j.task.Outside != nil {
		if outside, err = j.task.Outside(made); err != nil {
			return err
		}
	}
	var advice []string
	if weak != nil {
		advice = append([]string{"Weak, to be fixed unless the repository shows that it is right:"}, weak...)
	}
	if outside != nil {
		advice = append(advice, "Outside of the Bounds, where it waits for a person; write it within them if you can:")
		advice = append(advice, outside...)
		facts = append(facts, "outside of the Bounds: "+strings.Join(outside, "; "))
	}
	c := &criticism{unusable, strings.Join(slices.Concat(must, advice), "\n"), strings.Join(facts, "; ")}
	sent := (must != nil || advice != nil && !j.advised) && c.text != j.before // a planner that insists is not paid again
	if !unusable && (!sent || j.retries <= 0) {
		j.passed = answer
		if j.task.Within && must != nil { // no person is shown them before the steps are done
			j.note("the plan is kept with its weaknesses: ", c.facts)
		}
		return nil
	}
	j.retries, j.advised = j.retries-1, true
	return c
}

// criticism is what a planner is told about its answer.
type criticism struct {
	unusable bool
	text     string
	facts    string // the same for a person, without what the planner is to do
}

func (c *criticism) Error() string { return c.text }

// text returns the plan that an answer contains.
func (j *planJudge) text(answer []byte) ([]byte, error) {
	text, err := plan.FillIDs(answer)
	if err != nil {
		return nil, err
	}
	text = plan.Meaning(text) // models tick nothing
	if j.task.Old == nil {
		return j.task.Signed(text)
	}
	sections := persons
	if p, err := plan.Parse(text); j.task.Within {
		sections = signed
	} else if err == nil && j.task.Old.Bounds != nil && len(p.Verification) == 0 { // leaving a goal out does not end it
		sections = doneWhen
	}
	if text, err = frozen(j.task.Old, j.worker.Checkout.Progress, text, sections); err != nil {
		why := err.Error()
		if parse := (*plan.ParseError)(nil); errors.As(err, &parse) { // its lines are those of a text that the planner did not write
			why = parse.Problems[0].Text
		}
		return nil, fmt.Errorf("with the steps that are done as they are: %s", why)
	}
	if !j.task.Within {
		return text, nil
	}
	now, err := plan.Parse(text)
	if err != nil {
		return nil, err
	}
	fresh := slices.DeleteFunc(slices.Clone(now.Steps), func(s plan.Step) bool {
		was, ok := j.task.Old.Step(s.ID)
		return ok && was.ID == s.ID
	})
	if most := mostNewIn(j.task.Old); len(fresh) > most {
		return nil, fmt.Errorf("%d new steps are too many at a time: plan the next %d, the others come after them",
			len(fresh), most)
	}
	for _, id := range plan.NotApproved(now, j.task.Old).Gone {
		if s, _ := j.task.Old.Step(id); s.Ask || beyond(s, &plan.Step{}, j.task.Old.Bounds, j.task.Old.EveryCommand(), s.Attempts) != "" {
			return nil, fmt.Errorf("step %s lies outside of the Bounds, so only a person may remove it: keep it", id)
		}
	}
	return text, nil
}

// final returns the plan of an answer, and names the parts that it has in other words since they are not the planner's.
func (j *planJudge) final(answer string) ([]byte, error) {
	given := []byte(answer)
	if inner, above := form.Unwrapped(given); above > 0 {
		given = inner
	}
	text, err := j.text(given)
	if err != nil {
		return nil, err
	}
	said, err := share.Outlined(given)
	kept, failed := share.Outlined(text)
	if err == nil && failed == nil && j.task.Old != nil {
		var out []string
		for _, p := range said.Pieces {
			id, _ := strings.CutPrefix(p.Name, "step ") // the planner was told that it need not repeat steps that are done
			if !p.Front && !closed(j.worker.Checkout.Progress, id) &&
				!slices.Equal(strings.Fields(p.Text), strings.Fields(kept.Named[p.Name].Text)) {
				out = append(out, p.Name)
			}
		}
		if out != nil {
			j.note("the planner changed parts that only a person may change, so they stay as they were: ", strings.Join(out, ", "))
		}
	}
	if decided := j.interview.decided; decided != nil {
		return withDecisions(text, decided)
	}
	return text, nil
}
