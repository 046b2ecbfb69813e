package tools

import (
	"cmp"
	_ "embed" // the descriptions of tools
	"encoding/json"
	"errors"
	"fmt"

	"github.com/git-plan/git-plan/gitplan/agent"
)

//go:embed finish.md
var aboutFinish string

// finish ends a session. Roles whose result is an answer (a plan, findings) give it through
// another tool, and use finish only if they cannot.
func finish(r agent.Role) Tool {
	args := []arg{
		text("status", "how it ended").must().of(string(agent.Done), string(agent.Blocked), string(agent.Failed)),
		text("summary", "what was done, or why not, in a few sentences", "reason", "message"),
		text("question", "for blocked: the question to a person", "questions")}
	if r.Writes() {
		args = append(args,
			text("subject", "subject line of the commit, in the imperative, at most 72 characters", "title"),
			text("did", "for later sessions: what is there now that they can build on"),
			text("why", "for later sessions: what was chosen and why"),
			text("rejected", "for later sessions: what was tried or considered and rejected"))
	}
	if r == agent.Executor {
		args = append(args, text("proposal", "how the plan should change, where this step showed that it must; a person decides"),
			list("amendments", "changes of the plan that this step showed to be needed; a person or the plan's policy decides",
				text("do", "what is to become of the step").must().of("change", "add", "drop"),
				text("step", "its id; for add, that of the step before it").must(),
				text("text", "for change and add: what the step should say"),
				text("because", "what you found that shows it").must()),
			text("assumed", "what you assumed where the step left something open"),
			list("drift", "one for each file that you changed and the step's Files do not name",
				text("file", "its path").must(),
				text("because", "why the step could not be done without it").must()))
	}
	if r == agent.Fixer {
		args = append(args, list("dispositions", "one for each finding you were given",
			text("id", "the finding's id, as you were given it").must(),
			text("disposition", "fixed: repaired in the tree; dismissed: the finding is wrong; asked: a person must decide").must().of("fixed", "dismissed", "asked"),
			text("because", "one or two sentences; for dismissed, with the line that shows it").must()))
	}
	return Tool{Name: "finish", About: aboutFinish, args: args, End: endFinish}
}

func endFinish(s agent.Session, v Values) (agent.Result, error) {
	r := agent.Result{Status: agent.Status(v.text("status")), Question: v.text("question"), Subject: v.text("subject"),
		Summary: v.text("summary"), Proposal: v.text("proposal"), Assumed: v.text("assumed"), Handoff: agent.Handoff{Did: v.text("did"), Why: v.text("why"), Rejected: v.text("rejected")}}.Tidy()
	switch {
	case r.Status == agent.Done && submits(s.Role) != "":
		return r, fmt.Errorf("give your answer with %s instead", submits(s.Role))
	case r.Status == agent.Blocked && r.Question == "":
		return r, errors.New("blocked needs a question")
	case r.Status != agent.Done:
		r.Reason = r.Summary
		if r.Reason == "" {
			r.Reason = r.Question
		}
		r.Reason = cmp.Or(r.Reason, "the session says that it failed, and not why")
	}
	if raw, ok := v["dispositions"].(json.RawMessage); ok {
		if err := json.Unmarshal(raw, &r.Dispositions); err != nil {
			return r, fmt.Errorf("dispositions must be an array of objects with id, disposition and because: %w", err)
		}
	}
	if raw, ok := v["amendments"].(json.RawMessage); ok {
		var list []agent.Amendment
		if err := json.Unmarshal(raw, &list); err != nil {
			return r, fmt.Errorf("amendments must be an array of objects with do, step, text and because: %w", err)
		}
		r.Proposal = agent.Proposed(list, r.Proposal)
		r = r.Tidy()
	}
	if raw, ok := v["drift"].(json.RawMessage); ok {
		if err := json.Unmarshal(raw, &r.Drift); err != nil {
			return r, fmt.Errorf("drift must be an array of objects with file and because: %w", err)
		}
		r = r.Tidy()
	}
	for _, d := range r.Dispositions {
		if d.Disposition != "fixed" && d.Disposition != "dismissed" && d.Disposition != "asked" {
			return r, fmt.Errorf("the disposition of %s must be fixed, dismissed or asked", agent.OneLine(d.ID, 80))
		}
	}
	return r, nil
}
