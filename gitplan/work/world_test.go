package work

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/workspace"
	"github.com/git-plan/git-plan/testdata/world"
)

// shop is a world whose branch has a plan of one step, a, and an agent m that runs a script.
type shop struct {
	*world.World
	*Worker
}

func newShop(t *testing.T, script string) *shop {
	t.Helper()
	w := world.New(t)
	w.Agent("m", script)
	w.Attach("- [ ] Make a {#a}\n")
	return reopened(w)
}

// reopened is the shop as the next command finds it.
func reopened(w *world.World) *shop {
	w.Helper()
	return &shop{World: w, Worker: New(w.Open())}
}

// step is the task of step a: three attempts with these checks, each with the failure and the changes so far.
func (s *shop) step(checks ...string) Task {
	s.Helper()
	a, err := s.Checkout.Config.Agent(agent.Executor)
	s.Fine(err)
	t := Task{
		Role: agent.Executor, Agent: a, Name: "a", Subject: "Make a", Trailer: journal.StepTrailer + ": " + s.Checkout.Doc.ID + "/a", Attempts: 3, Checks: checks,
		Prompt: func(try prompt.Attempt) agent.Prompt { return agent.Prompt{User: try.Failure + "\n" + try.Diff} },
		Record: func(ctx context.Context, e journal.Event) error {
			e.Steps = []string{"a"}
			return s.Checkout.Store.Apply(ctx, s.Checkout.Doc, s.Checkout.Branch, journal.Change{Event: e})
		},
	}
	s.Fine(s.SetLimits(&t.Session, t.Role))
	return t
}

// fix is the task of a fixer in the first round of a review.
func (s *shop) fix(checks ...string) Task {
	t := s.step(checks...)
	t.Role, t.Name, t.Record, t.Subject, t.Trailer = agent.Fixer, journal.FixName(1), nil, "Fix it", journal.ReviewTrailer+": "+s.Checkout.Doc.ID+"/1"
	return t
}

// works does a task in the work tree.
func (s *shop) works(t Task) Outcome {
	s.Helper()
	out, err := s.worksUntil(s.Context(), t)
	s.Fine(err)
	return out
}

func (s *shop) worksUntil(ctx context.Context, t Task) (Outcome, error) {
	s.Helper()
	p, err := workspace.Ready(s.Context(), s.Runner)
	s.Fine(err)
	return s.Work(ctx, p, t)
}

// until returns a context that ends once a file exists, like Ctrl-C.
func (s *shop) until(file string) context.Context {
	ctx, cancel := context.WithCancel(s.Context())
	s.Cleanup(cancel)
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(file); err == nil {
				cancel()
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	return ctx
}

// happened are the events of step a, as "started 1, failed 1 (why)".
func (s *shop) happened() string {
	var out []string
	for _, e := range s.Checkout.Doc.Events {
		if e.Step() == "a" {
			text := string(e.Kind) + " " + string(rune('0'+e.Attempt))
			if e.Reason != "" {
				text += " (" + e.Reason + ")"
			}
			out = append(out, text)
		}
	}
	return strings.Join(out, ", ")
}

// executable makes a file executable.
func executable(name string) error { return os.Chmod(name, 0o755) }

// ended fails the test unless an outcome has a status and its reason begins with a text.
func (s *shop) ended(out Outcome, status agent.Status, why string) {
	s.Helper()
	if out.Status != status || !strings.HasPrefix(out.Reason, why) || why == "" && out.Reason != "" {
		s.Errorf("it ended %s: %q; want %s: %q", out.Status, out.Reason, status, why)
	}
}

// rolePrompt is a prompt by which a recorded model knows its role.
func rolePrompt(try prompt.Attempt) agent.Prompt {
	return agent.Prompt{System: "Role: executor\n", User: fmt.Sprintf("Step: a\nAttempt: %d\n", try.N)}
}
