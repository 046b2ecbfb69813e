package planner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/lint"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/site"
	"github.com/git-plan/git-plan/gitplan/work"
)

// Candidates are the plans for one goal that are being made. What is made, and what it cost, is
// kept in this clone until one of them is chosen, so that after a command was stopped or killed,
// the next one does not plan again.
type Candidates struct {
	*work.Worker
	Planning prompt.Planning
	Who      []string  // agents and models, in turn; none: as configured
	At       []float64 // temperatures of their models, in turn; none: as configured

	watch *site.Watch // of all sessions together: nobody can say which of them changed what it looks at
	mu    sync.Mutex
}

// unchosen is how long candidates are kept if none of them was chosen.
const unchosen = 14 * 24 * time.Hour

// folder returns where the candidates for exactly this question are kept.
func (c *Candidates) folder() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", []any{c.Planning.Goal, c.Planning.Context, c.Planning.Template, c.Who, c.At}))
	return c.Repo.PlanDir("candidates", hex.EncodeToString(sum[:6]))
}

// Make makes n candidates side by side, each by a session of its own. It calls each once for
// every candidate that is made or failed, never twice at once. The error is about what a session
// changed outside of its place, or about an interruption: what was made until then is kept.
func (c *Candidates) Make(ctx context.Context, n int, each func(Candidate, error)) (list []Candidate, err error) {
	for k := range n { // before any is paid for
		if _, err := agentOf(c.Worker, c.asked(k+1)); err != nil {
			return nil, err
		}
	}
	c.forgetOld()
	c.recall()
	c.watch = c.Watch(c.Scene())
	if err := c.watch.Session(ctx, "plan", work.SessionID(work.Task{Name: "plan"}, 1), ""); err != nil {
		return nil, err
	}
	among, stop := context.WithCancel(ctx)
	defer stop()
	var wg sync.WaitGroup
	for k := 1; k <= n; k++ {
		wg.Go(func() {
			made, err := c.one(among, k, func(r agent.Result) error {
				changed, lost, err := c.watch.Changed(context.WithoutCancel(ctx))
				if err == nil && (len(changed) > 0 || lost) {
					stop() // leftAlone says what it was
					err = errors.New("a planner's session changed the set-up")
				}
				return err
			})
			c.mu.Lock()
			defer c.mu.Unlock()
			c.keepCost()
			if each(made, err); err == nil {
				list = append(list, made)
			}
		})
	}
	wg.Wait()
	err = leftAlone(context.WithoutCancel(ctx), c.Site, agent.Planner, c.watch)
	c.watch.Remove()
	if err == nil && ctx.Err() != nil {
		err = fault.New(fault.ErrInterrupted, "interrupted; the same command goes on with the plans that are there")
	}
	slices.SortFunc(list, func(a, b Candidate) int { return a.N - b.N })
	return list, err
}

// who returns the agent or model that is asked for candidate n; "" is the configured one.
func (c *Candidates) who(n int) string {
	if len(c.Who) == 0 {
		return ""
	}
	return c.Who[(n-1)%len(c.Who)]
}

// asked returns what the planner of candidate n is asked.
func (c *Candidates) asked(n int) prompt.Planning {
	p := c.Planning
	p.Candidate = n
	if who := c.who(n); who != "" {
		p.Agent, p.Model = c.Config.Meant(who)
	}
	if len(c.At) > 0 {
		p.Temperature = &c.At[(n-1)%len(c.At)]
	}
	return p
}

// one makes candidate n, unless it was made before.
func (c *Candidates) one(ctx context.Context, n int, after func(agent.Result) error) (out Candidate, err error) {
	file := filepath.Join(c.folder(), fmt.Sprintf("%d.json", n))
	if data, err := journal.ReadRegular(file); err == nil && json.Unmarshal(data, &out) == nil {
		out.N, out.Again = n, true
		if out.Plan, err = plan.Parse([]byte(out.Text)); err == nil {
			return c.scored(ctx, out)
		}
	}
	p := c.asked(n)
	out = Candidate{N: n, Who: c.who(n), At: p.Temperature}
	made, err := makePlan(ctx, c.Worker, p, func(ctx context.Context, t work.Task, session, dir string, hold func() agent.Result) (agent.Result, error) {
		r := inPlace(c.Worker, t, dir, hold)
		c.mu.Lock()
		defer c.mu.Unlock()
		return r, after(r)
	})
	if err != nil {
		return out, err
	}
	out.Text = string(made.Text)
	if out.Plan, err = plan.Parse(made.Text); err != nil {
		return out, err
	}
	data, err := json.Marshal(out)
	if err == nil {
		err = journal.WriteFile(file, data)
	}
	if err != nil {
		return out, err
	}
	return c.scored(ctx, out)
}

func (c *Candidates) scored(ctx context.Context, out Candidate) (Candidate, error) {
	found, err := lint.Plan(ctx, c.Checkout, []byte(out.Text))
	out.Score = ScoreOf(out.Plan, found)
	return out, err
}

// keepCost notes what all sessions have used, for a plan that a later command may choose.
func (c *Candidates) keepCost() {
	if data, err := json.Marshal(c.Unreported()); err == nil {
		_ = journal.WriteFile(filepath.Join(c.folder(), "cost.json"), data) // it only serves a later command
	}
}

// recall counts what the sessions of an earlier command used.
func (c *Candidates) recall() {
	var held []journal.Held
	if data, err := journal.ReadRegular(filepath.Join(c.folder(), "cost.json")); err == nil && json.Unmarshal(data, &held) == nil {
		c.Remember(held)
	}
}

// forgetOld removes old candidates none of which was chosen.
func (c *Candidates) forgetOld() {
	all, _ := os.ReadDir(c.Repo.PlanDir("candidates"))
	for _, e := range all {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > unchosen {
			_ = os.RemoveAll(c.Repo.PlanDir("candidates", e.Name()))
		}
	}
}

// Chosen keeps the candidates that were not chosen with the plan that came of the one that was.
func (c *Candidates) Chosen(ctx context.Context, all []Candidate, chosen int) error {
	for _, o := range all {
		if o.N == chosen {
			continue
		}
		blob, err := c.Repo.WriteBlob(ctx, []byte(o.Text))
		if err != nil {
			return err
		}
		if err := c.Repo.UpdateRef(ctx, fmt.Sprintf("%s%s/%d", journal.CandidatePrefix, c.Doc.ID, o.N), blob, "", "plan: candidate"); err != nil {
			return err
		}
	}
	return os.RemoveAll(c.folder())
}

// CandidateText returns the text of a candidate that was not chosen, and the numbers of all of
// them.
func CandidateText(ctx context.Context, co *checkout.Checkout, n string) (text []byte, there []string, err error) {
	refs, err := co.Repo.Refs(ctx, journal.CandidatePrefix+co.Doc.ID+"/")
	if err != nil {
		return nil, nil, err
	}
	for _, r := range refs {
		number := strings.TrimPrefix(r.Name, journal.CandidatePrefix+co.Doc.ID+"/")
		if there = append(there, number); number == n {
			var o git.Object
			if o, err = co.Repo.Read(ctx, r.Name); err == nil {
				text = o.Data
			}
		}
	}
	return text, there, err
}
