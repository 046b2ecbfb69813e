package prompt

import (
	"cmp"
	"fmt"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Plan returns the prompt of a planner session: about describes the repository, problems are those of the last answer.
func (t Prompts) Plan(p Planning, about, own, answer, problems string) agent.Prompt {
	v := project(nil, own)
	v["repository"] = framed(data, "The repository", "its files or folders, what seems to check it, its last commits", about)
	v["template"] = framed(instructions,
		"The shape that the plan should have (sections and order; the comments are for you)", "template", p.Template)
	v["goal"] = Section("The goal", p.Goal) + framed(instructions, "What a person decided when asked", "decisions", p.Decided) +
		framed(instructions, "Done when (the program puts this section into the plan)",
			"what a person wants to pass in the end", p.DoneWhen) +
		framed(instructions, "Bounds (the program puts this section into the plan; keep within it)",
			"what may be done without a person", p.Bounds)
	for _, c := range p.Context {
		v["context"] += framed(data, "Given along: "+visible.OneLine(c[0], 200), "text", c[1])
	}
	if p.Old != nil {
		v["plan"] = framed(data, "The plan to rewrite", "plan.md", p.Shown) +
			framed(data, "How far the goal is", "what Done when prints, what reviewers find, what is left", p.Reached) +
			framed(data, "How far the work is", "what happened", p.Stuck) +
			framed(data, "What sessions propose, for you to judge", "their words", p.Proposed) +
			framed(instructions, "What a person wants changed", "their words", p.Wanted)
	}
	v["attempts"] = framed(data, "Your last answer", "answer", answer) +
		framed(instructions, "What is wrong with it", "problems", problems)
	now := "Write the whole plan for the goal."
	switch {
	case answer != "":
		now = "Write the whole plan again, without what is wrong with your last answer."
	case p.Within:
		now = fmt.Sprintf("Write the plan with the next steps toward its goal, at most %d new ones", p.Most) + ", as its Bounds allow: one that runs another command or changes another file waits for a person, and so does one that changes what a command of Done when runs. A step fails that makes a number of Done when worse, unless a Check of its own compares the same command with the number that it may reach. Keep under Learned, in at most 4 KB, what later steps and plannings must know: decisions, what was tried, what did not work."
	case p.Old != nil:
		now = "Write the whole plan as it is to go on."
	}
	v["facts"] = Section("Now", now)
	return t.fill(agent.Planner, v)
}

// Critic returns the prompt of a critic, who judges the text of a plan with this goal.
func (t Prompts) Critic(goal, text, about, own string) agent.Prompt {
	v := project(nil, own)
	v["repository"] = framed(data, "The repository", "its files, how it is built, its last commits", about)
	v["goal"] = framed(instructions, "The goal", "what a person asked for", goal)
	v["plan"] = framed(data, "The plan", "plan.md", text)
	v["facts"] = Section("Now", "Judge this plan.")
	out := t.fill(agent.Critic, v)
	out.Form = `{"covered": ["plan.md"], "findings": [{"category": "…", "severity": "critical|high|medium|low", "file": "plan.md", "quote": "exact text from the plan", "title": "one line", "detail": "why, with what in the repository shows it", "trigger": "what goes wrong when the plan is carried out", "remedy": "fix|ask|none"}, …]}

category is one of the seven above, or other. findings is [] if you found nothing, which is a good answer.`
	return out
}

// Planning is the task of a planner session.
type Planning struct {
	Goal     string
	Context  [][2]string // the name and the content of each text that a person added
	Template string      // the template for the plan; "" without one
	// Ask puts questions to a person, who may leave an answer empty; nil if questions are not asked. Decided has the
	// answers so far, as the plan keeps them.
	Ask      func([]agent.Question) ([]string, error)
	Decided  string
	Old      *plan.Plan // the plan to rewrite; nil for a new plan
	Shown    string     // the part of the old plan's text that is shown
	Stuck    string     // why the old plan's work is stuck
	Proposed string     // the changes that sessions proposed
	Wanted   string     // the changes that a person wants
	// DoneWhen and Bounds are the bodies of these sections by a person for a new plan, or "".
	DoneWhen, Bounds string
	// Within plans the next steps of a plan with Bounds, which no person reads.
	Within  bool
	Most    int                                 // the maximum number of new steps
	Reached string                              // the state of the goal
	Outside func(text []byte) ([]string, error) // returns the steps outside of the Bounds, with reasons; may be nil
}

// Signed returns a planner's text with what a person gave for a new plan in it, to the byte.
func (p Planning) Signed(text []byte) (out []byte, err error) {
	out = text
	for _, s := range [][2]string{{"Bounds", p.Bounds}, {"Done when", p.DoneWhen}} {
		if err == nil && (s[1] != "" || s[0] == "Bounds") { // Bounds that no person wrote are taken out
			out, err = plan.WithSection(out, s[0], s[1])
		}
	}
	if err == nil && p.Goal != "" {
		out, err = plan.WithGoal(out, p.Goal)
	}
	return out, err
}

// ByHand returns the command with which a person writes the plan instead.
func (p Planning) ByHand() string {
	if p.Old != nil {
		return "git plan edit"
	}
	return "git plan new"
}

// Failed returns the error of a session without an answer: by its status, else otherwise with the reason.
func Failed(r agent.Result, otherwise *fault.Fault) error {
	text := cmp.Or(visible.Joined(r.Question, 2000), visible.FirstLine(r.Reason), "the session ended without an answer")
	if r.Status == agent.Cancelled {
		text = "interrupted before there was a plan"
	}
	kind := r.Status.Fault()
	if kind == nil {
		otherwise.Text += text
		return otherwise
	}
	return &fault.Fault{Kind: kind, Text: text, Next: r.Next}
}
