package planner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/work"
)

// remark is one finding of a critic. Its quote says where in the plan it belongs.
type remark struct {
	Quote  string `json:"quote"`
	Title  string `json:"title"`
	Detail string `json:"detail"`
}

// Criticise has one session of the critic read the plan, and stores its findings in this clone, for [Criticised].
// dropped counts findings that quote nothing of the plan.
func Criticise(ctx context.Context, w *work.Worker) (dropped int, err error) {
	defer func() { err = w.AccountFailed(ctx, err) }()
	release, err := w.Runner.LockPlan(ctx)
	if err != nil {
		return 0, err
	}
	defer release()
	text := string(w.Checkout.Doc.Plan.Source)
	sessions, err := newReading(ctx, w, work.Task{Role: agent.Critic, Name: "critic"},
		prompt.Planning{Context: [][2]string{{"plan.md", text}}})
	if err != nil {
		return 0, err
	}
	defer sessions.discard()
	sessions.task.Prompt = func(prompt.Attempt) agent.Prompt {
		return w.Checkout.Prompts.Critic(w.Checkout.Doc.Plan.Goal,
			strings.TrimLeft(text[w.Checkout.Doc.Plan.FrontMatter.Body:], "\n"), sessions.survey, sessions.rules)
	}
	try := prompt.Attempt{N: 1}
	var all []remark
	accept := func(r agent.Result) (err error) {
		all, err = remarksIn(r.Answer, try.Nonce)
		return err
	}
	r, err := sessions.session(ctx, &try, accept)
	if err != nil {
		return 0, err
	}
	if r.Status != agent.Done {
		return 0, prompt.Failed(r, &fault.Fault{Kind: fault.ErrCritic, Text: "the critic failed: "})
	}
	if err := accept(r); err != nil {
		return 0, fault.New(fault.ErrCritic, "the critic's answer cannot be used: %v", err)
	}
	found := slices.DeleteFunc(slices.Clone(all), func(m remark) bool { return lineOf(text, m.Quote) == 0 })
	if err := criticNote(w.Runner.Checkout).Save(found); err != nil {
		return 0, err
	}
	return len(all) - len(found), w.Account(ctx, journal.Event{Kind: journal.Checked, Head: journal.None,
		Reason: fmt.Sprintf("findings of the critic: %d", len(found))})
}

// Criticised returns what the critic found the last time and the plan still holds.
func Criticised(c *checkout.Checkout) (out []plan.Weakness) {
	var found []remark
	if criticNote(c).Load(&found) != nil {
		return nil
	}
	for _, m := range found {
		line, step := lineOf(string(c.Doc.Plan.Source), m.Quote), ""
		for _, s := range c.Doc.Plan.Steps {
			if s.Line <= line && line <= s.Line+strings.Count(s.Text, "\n") {
				step = s.ID
			}
		}
		if line > 0 {
			out = append(out, plan.Weakness{Rule: "critic", Line: line, Step: step,
				Text: visible.OneLine(m.Title, 200), Fix: visible.OneLine(m.Detail, 300)})
		}
	}
	slices.SortStableFunc(out, func(a, b plan.Weakness) int { return a.Line - b.Line })
	return out
}

func criticNote(c *checkout.Checkout) journal.Note {
	return journal.Note{Path: c.Repo.PlanDir(c.Doc.ID, "critic")}
}

// remarksIn reads the JSON object at the end of a text, which has the session's nonce.
func remarksIn(text, nonce string) ([]remark, error) {
	var answer struct {
		Nonce    string    `json:"nonce"`
		Findings *[]remark `json:"findings"`
	}
	object, _ := agent.LastObject(text)
	switch {
	case object == nil:
		return nil, errors.New("there is no JSON object at its end")
	case json.Unmarshal(object, &answer) != nil:
		return nil, errors.New("it is not the JSON that was asked for")
	case answer.Nonce != nonce:
		return nil, errors.New(`"nonce" is not the one of this session`)
	case answer.Findings == nil:
		return nil, errors.New(`"findings" is missing: give [] if you found nothing`)
	case len(*answer.Findings) > 50:
		return nil, errors.New("there are more than 50 findings: give the most harmful")
	}
	return *answer.Findings, nil
}

// lineOf returns the line of a plan, from 1, that holds the first line of a quote; 0 if none does.
func lineOf(text, quote string) int {
	first, _, _ := strings.Cut(strings.TrimSpace(quote), "\n")
	if first = strings.TrimSpace(first); first == "" {
		return 0
	}
	return 1 + slices.IndexFunc(strings.Split(text, "\n"), func(line string) bool { return strings.Contains(line, first) })
}
