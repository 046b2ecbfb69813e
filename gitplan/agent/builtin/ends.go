package builtin

import (
	"context"
	_ "embed" // the descriptions of tools
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
)

//go:embed finish.md
var aboutFinish string

// finish ends a session. Roles whose result is an answer give it through another tool.
func finish(r agent.Role) tool {
	args := []arg{
		text("status", "how it ended").must().of(string(agent.Done), string(agent.Blocked), string(agent.Failed)),
		text("summary", "what was done, or why not, in a few sentences", "reason", "message", "result", "text", "answer"),
		text("question", "for blocked: the question to a person", "questions")}
	if r.Writes() {
		args = append(args,
			text("subject", "subject line of the commit, in the imperative, at most 72 characters", "title"),
			text("did", "for later sessions: what is there now that they can build on"),
			text("why", "for later sessions: what was chosen and why"),
			text("rejected", "for later sessions: what was tried or considered and rejected"))
	}
	if r == agent.Executor {
		args = append(args,
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
	return tool{Name: "finish", About: aboutFinish, args: args, End: endFinish}
}

func endFinish(s agent.Session, v values) (r agent.Result, err error) {
	fields := map[string]any{"handoff": map[string]any{"did": v["did"], "why": v["why"], "rejected": v["rejected"]}}
	for name, x := range v {
		fields[name] = x
	}
	object, err := json.Marshal(fields)
	if err != nil {
		return r, err
	}
	outcome, err := agent.ReadOutcome(object)
	if err != nil {
		return r, err
	}
	if (outcome.Status == agent.Done || outcome.Status == "") && submits(s.Role) != "" {
		return r, fmt.Errorf("give your answer with %s instead", submits(s.Role))
	}
	for _, d := range outcome.Dispositions {
		if !slices.Contains([]string{"fixed", "dismissed", "asked"}, d.Disposition) {
			return r, fmt.Errorf("the disposition of %s must be fixed, dismissed or asked", agent.OneLine(d.ID, 80))
		}
	}
	return outcome.Result(), nil
}

//go:embed submit_plan.md
var aboutSubmitPlan string

func submitPlan() tool {
	return tool{Name: "submit_plan", About: aboutSubmitPlan,
		args: []arg{text("plan", "the whole text of plan.md", "content", "text").must()},
		End: func(_ agent.Session, v values) (agent.Result, error) {
			plan := v.text("plan")
			if strings.TrimSpace(plan) == "" {
				return agent.Result{}, errors.New("the plan is empty")
			}
			return agent.Result{Status: agent.Done, Answer: plan}, nil
		}}
}

//go:embed submit_review.md
var aboutSubmitReview string

// categories are what a finding may be about; by its category it is recognised in the next round.
var categories = []string{"correctness", "error-handling", "concurrency", "resource-leak", "compatibility", "performance", "security",
	"requirement", "tests", "documentation", "simplification", "other"}

// planCategories are what a finding of a plan may be about.
var planCategories = []string{"missing-verification", "hidden-dependency", "wrong-order", "over-engineering", "invented-name", "integration-point", "missing-requirement", "other"}

// submitReview hands in the findings of a reviewer, or of a critic, whose findings are about the plan.
func submitReview(role agent.Role) tool {
	subject, covered, file, about := "a file", "every changed path that you judged", "path of the file, relative to the top of the work tree", categories
	if role == agent.Critic {
		subject, covered, file, about = "the plan", "plan.md", "plan.md", planCategories
	}
	return tool{Name: "submit_review", About: aboutSubmitReview, End: endAnswer("covered", "findings"), args: []arg{
		list("covered", covered).must(),
		list("findings", "what is wrong; [] if nothing is",
			text("category", "what it is about").must().of(about...),
			text("severity", "by the harm it does").must().of("critical", "high", "medium", "low"),
			text("file", file).must(),
			text("quote", "exact text from "+subject+", where it goes wrong").must(),
			text("title", "one line that says what is wrong").must(),
			text("detail", "why it is wrong, with what in the repository shows it").must(),
			text("trigger", "an input or state that shows it"),
			text("remedy", "fix: it can be repaired; ask: a person must decide how; none: only a remark").must().of("fix", "ask", "none")).must(),
	}}
}

//go:embed submit_answers.md
var aboutSubmitAnswers string

func submitAnswers() tool {
	return tool{Name: "submit_answers", About: aboutSubmitAnswers, End: endAnswer("answers"), args: []arg{
		list("answers", "one for each finding",
			text("id", "the finding's id, as you were given it").must(),
			text("answer", "your judgement").must().of("confirmed", "plausible", "refuted"),
			text("because", "why, in one or two sentences").must(),
			text("quote", "exact text from a file that shows it; a refuted finding needs one").must()).must(),
	}}
}

// endAnswer makes the JSON of an answer from the arguments named, with the session's nonce.
func endAnswer(names ...string) func(agent.Session, values) (agent.Result, error) {
	return func(s agent.Session, v values) (agent.Result, error) {
		fields := map[string]any{"nonce": s.Nonce}
		for _, n := range names {
			fields[n] = v[n]
		}
		b, err := json.Marshal(fields)
		return agent.Result{Status: agent.Done, Answer: string(b)}, err
	}
}

//go:embed ask.md
var aboutAsk string

// maxAsked is how many questions a session may ask in all.
const maxAsked = 8

// askPerson lets a session ask a person, again where an answer opens a question.
func askPerson(put func([]agent.Question) ([]string, error)) tool {
	asked := 0
	return tool{Name: "ask", About: aboutAsk, Changes: true,
		args: []arg{list("questions", fmt.Sprintf("at most %d", agent.MaxQuestions),
			text("question", "one question that a person can answer in a line").must(),
			list("suggested", "answers that you suggest, the best one first")).must()},
		Run: func(_ context.Context, w *workspace, v values) (string, error) {
			questions, err := readQuestions(v["questions"])
			if err != nil {
				return "", err
			}
			if asked += len(questions); asked > maxAsked {
				return "", fmt.Errorf("a session may ask %d questions; decide, and state your assumption", maxAsked)
			}
			if w.life != nil {
				w.life.Stop() // a person may think for long
				defer w.life.Beat()
			}
			answers, err := put(questions)
			if err != nil {
				return "", err
			}
			var b strings.Builder
			for i, q := range questions {
				fmt.Fprintf(&b, "%s\n-> %s\n", q.Text, answers[i])
			}
			return b.String(), nil
		}}
}

func readQuestions(v any) ([]agent.Question, error) {
	raw, _ := v.(json.RawMessage)
	var out []agent.Question
	if err := json.Unmarshal(raw, &out); err != nil {
		return nil, errors.New("questions must be an array of objects with question and suggested")
	}
	if len(out) == 0 || len(out) > agent.MaxQuestions {
		return nil, fmt.Errorf("ask between 1 and %d questions", agent.MaxQuestions)
	}
	if tidy := agent.TidyQuestions(out); len(tidy) == len(out) {
		return tidy, nil
	}
	return nil, errors.New("a question is empty")
}
