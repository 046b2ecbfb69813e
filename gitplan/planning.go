package gitplan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/git"
)

// maxMap bounds the list of files that a planner is given to begin with, in bytes.
const maxMap = 16 << 10

// MakePlan lets a planner session read the repository and write a plan for
// goal. The planner changes nothing: the built-in agent has no tool that
// writes, and any other agent works in a throwaway clone. What does not parse
// is sent back, at most plan.attempts times.
func (w *Worker) MakePlan(ctx context.Context, goal string) ([]byte, agent.Result, error) {
	a, err := w.Config.Agent(agent.Planner)
	if err != nil {
		return nil, agent.Result{}, err
	}
	dir, discard, err := w.planningPlace(ctx, a)
	if err != nil {
		return nil, agent.Result{}, err
	}
	defer discard()
	t := Task{Role: agent.Planner, Agent: a, Name: "plan"}
	if err := w.Limits(&t); err != nil {
		return nil, agent.Result{}, err
	}
	attempts, err := w.Config.Int("plan.attempts")
	if err != nil {
		return nil, agent.Result{}, err
	}
	files := w.fileMap(ctx)
	var problems string
	for n := 1; ; n++ {
		t.Prompt = func(try Attempt) agent.Prompt {
			return PlanPrompt(goal, files, Instructions(w.Repo.Top), try.Nonce, problems)
		}
		try := Attempt{N: n}
		r := w.hold(ctx, t, &try, dir, func(r agent.Result) error { return acceptable(r.Answer) })
		if r.Status != agent.Done {
			return nil, r, sessionFault(r)
		}
		err := acceptable(r.Answer)
		if err == nil {
			text, err := untick([]byte(r.Answer))
			return text, r, err
		}
		if problems = err.Error(); n >= attempts {
			return []byte(r.Answer), r, fmt.Errorf("the planner's plan does not parse: %w", err)
		}
	}
}

func acceptable(answer string) error {
	_, err := Parse([]byte(answer))
	return err
}

// planningPlace is where a planner reads: the work tree where the agent cannot
// write, else a throwaway clone.
func (w *Worker) planningPlace(ctx context.Context, a agent.Agent) (dir string, discard func(), err error) {
	if !agent.MayWrite(a) {
		return w.Repo.Top, func() {}, nil
	}
	tmp, err := os.MkdirTemp("", "git-plan-")
	if err != nil {
		return "", nil, err
	}
	discard = func() { _ = os.RemoveAll(tmp) }
	dir = filepath.Join(tmp, filepath.Base(w.Repo.Top))
	head, err := w.Repo.Resolve(ctx, "HEAD^{commit}")
	if errors.Is(err, git.ErrMissing) {
		return dir, discard, os.Mkdir(dir, 0o700)
	}
	if err == nil {
		err = w.Repo.Clone(ctx, dir, head)
	}
	if err != nil {
		discard()
	}
	return dir, discard, err
}

// fileMap lists the repository's files, as far as they fit.
func (w *Worker) fileMap(ctx context.Context) string {
	out, err := w.Repo.Bytes(ctx, "ls-files", "-z")
	if err != nil {
		return ""
	}
	var b strings.Builder
	paths := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	for i, p := range paths {
		if b.Len()+len(p) > maxMap {
			fmt.Fprintf(&b, "(and %d more)\n", len(paths)-i)
			break
		}
		b.WriteString(oneLine(p, 400) + "\n")
	}
	return b.String()
}

// untick ignores the boxes in what a model wrote: models tick nothing.
func untick(text []byte) ([]byte, error) {
	text, err := FillIDs(text)
	if err != nil {
		return nil, err
	}
	plan, err := Parse(text)
	if err != nil {
		return nil, err
	}
	for _, s := range plan.Steps {
		if text, err = Tick(text, s.ID, false); err != nil {
			return nil, err
		}
		if text, err = SetStatus(text, s.ID, StepStatus{}); err != nil {
			return nil, err
		}
	}
	return text, nil
}

// sessionFault is the error of a session that ended without what was asked.
func sessionFault(r agent.Result) error {
	text := firstLine(cmp.Or(r.Question, r.Reason))
	if text == "" {
		text = "the session ended without an answer"
	}
	kind := map[agent.Status]error{
		agent.Limited: ErrLimited, agent.Unreachable: ErrUnreachable, agent.Unauthorised: ErrNoKey,
		agent.Stopped: ErrBudget, agent.Unusable: ErrAgentSetup, agent.Cancelled: ErrInterrupted, agent.Blocked: ErrQuestion,
	}[r.Status]
	if kind == nil {
		return errors.New(text)
	}
	return &Fault{Kind: kind, Text: text}
}
