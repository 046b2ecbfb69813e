package checkout

import (
	"context"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/codemap"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/prompt"
)

// StepPrompt returns what writes the prompts of sessions for a step. What the project tells agents
// is read now, so that no session has a say in it; what they are shown of the code when they begin.
func (c *Checkout) StepPrompt(ctx context.Context, step *plan.Step) (func(prompt.Attempt) agent.Prompt, error) {
	own := prompt.Instructions(c.Repo.Top)
	about := codemap.Step{Files: plan.Literals(step.Files), Globs: step.Files, Words: step.Approved()}
	const perToken = 0.5 // bytes of the map for each token of the model's context: a seventh of it
	room := int(perToken * float64(c.Config.Window(agent.Executor)))
	return func(try prompt.Attempt) agent.Prompt {
		if try.Dir != "" {
			try.Code = codemap.Of(ctx, c.Repo, "HEAD", try.Dir, about, room)
		}
		return c.Prompts.Step(c.Doc.Plan, c.Progress, step, try, own, prompt.Budget)
	}, nil
}
