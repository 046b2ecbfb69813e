package remote

import (
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// Greeting is a worker's description of itself: a FrameHello.
type Greeting struct {
	Version string `json:"version"` // of git plan there
	OS      string `json:"os"`
	Arch    string `json:"arch"`
	Sandbox string `json:"sandbox"`       // the kind that confines its sessions
	Why     string `json:"why,omitempty"` // no stronger one does
	// Problem keeps it from running any session.
	Problem string `json:"problem,omitempty"`
}

// Tidy brings a worker's values within bounds.
func (g Greeting) Tidy() Greeting {
	for _, s := range []*string{&g.Version, &g.OS, &g.Arch, &g.Sandbox, &g.Why, &g.Problem} {
		*s = agent.OneLine(*s, 200)
	}
	return g
}

// Work is the session that a worker is to run with the tree that it was sent: a FrameJob.
type Work struct {
	Format   string        `json:"format"` // of object names: sha1 or sha256
	Agent    string        `json:"agent"`
	Session  agent.Session `json:"session"`
	Settings [][2]string   `json:"settings"` // as by git -c
	Env      []string      `json:"env"`      // NAME=value: see planLauncher.NAME.passEnv
	Setup    string        `json:"setup"`    // plan.worktreeSetup
	Findings []byte        `json:"findings"` // the file Session.Review.Findings; "" without one
}

// Used is the usage of a session so far: a FrameUsage.
type Used struct {
	Tokens agent.Tokens `json:"tokens"`
	Cost   agent.Cost   `json:"cost"`
}

// Tidy brings a worker's values within bounds.
func (u Used) Tidy() Used { return Used{u.Tokens.Believed(), u.Cost.Believed()} }

// Add returns the sum of both.
func (u Used) Add(o Used) Used { return Used{u.Tokens.Add(o.Tokens), u.Cost.Add(o.Cost)} }

const maxWait = 24 * time.Hour

// TidyEvent brings a worker's report about a session within bounds. ok is false if it is not an event.
func TidyEvent(e agent.Event) (_ agent.Event, ok bool) {
	e.Text, e.Tool = agent.OneLine(e.Text, agent.MaxEvent), agent.OneLine(e.Tool, agent.MaxEvent)
	e.Wait = min(max(e.Wait, 0), maxWait)
	return e, e.Kind == agent.SaidText || e.Kind == agent.CalledTool || e.Kind == agent.Waiting
}

// TidyResult brings a worker's result within bounds. Next is for a person there.
func TidyResult(r agent.Result) agent.Result {
	r.Tokens, r.Cost = r.Tokens.Believed(), r.Cost.Believed()
	r.Next = ""
	r.RetryAfter = min(max(r.RetryAfter, 0), maxWait)
	r.Reason, r.Agent = agent.OneLine(agent.Mask(r.Reason, ""), agent.MaxReason), agent.OneLine(r.Agent, 200)
	if r.ExitCode != nil {
		*r.ExitCode = min(max(*r.ExitCode, 0), 255)
	}
	if !r.Status.Known() || r.Status == agent.Lost {
		r.Status, r.Reason = agent.Failed, "the worker gave no end of the session"
	}
	return r.Tidy()
}
