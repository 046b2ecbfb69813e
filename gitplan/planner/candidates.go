package planner

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/lint"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/work"
)

// MaxCandidates is how many plans for one goal are made at most.
const MaxCandidates = 9

// Candidate is one of several plans for a goal, each made by a session of its own.
type Candidate struct {
	N     int        `json:"n"`   // from 1
	Who   string     `json:"who"` // the agent or model that was asked for; "": as configured
	Text  string     `json:"text"`
	Again bool       `json:"-"` // it was made before, by a command that did not come to its end
	Plan  *plan.Plan `json:"-"`
	Score Score      `json:"-"`
}

// Score says what speaks against a plan, and how it can be worked on.
type Score struct {
	Weak       int // what lint finds weak
	Uncovered  int // requirements that no step serves
	Required   int // requirements
	Steps      int
	Deep, Wide int // steps that follow each other at least, and that can be done at once at most
}

// Points returns what speaks against a plan as a number: the lower, the better. A requirement that
// is missed weighs more than any weakness, and that more than a longer way to the end.
func (s Score) Points() int { return 10*s.Uncovered + 3*s.Weak + s.Steps + s.Deep }

// ScoreOf scores a plan by what lint finds in it.
func ScoreOf(p *plan.Plan, found []plan.Weakness) Score {
	s := Score{Steps: len(p.Steps), Required: len(p.Requirements)}
	for _, w := range plan.Weak(found) {
		if w.Rule != "requirement" && !slices.Contains(notPlanners, w.Rule) { // the former is counted below
			s.Weak++
		}
	}
	for _, steps := range p.Serving() {
		if len(steps) == 0 {
			s.Uncovered++
		}
	}
	level, at := map[string]int{}, map[int]int{}
	for range p.Steps { // needs may come later in the text; a plan that parses has no circle
		for i := range p.Steps {
			deep := 1
			for _, need := range p.Steps[i].Needs {
				deep = max(deep, level[need]+1)
			}
			level[p.Steps[i].ID] = deep
		}
	}
	for _, deep := range level {
		at[deep]++
		s.Deep, s.Wide = max(s.Deep, deep), max(s.Wide, at[deep])
	}
	return s
}

// Best returns the candidate with the fewest points; of several the first.
func Best(list []Candidate) Candidate {
	return slices.MinFunc(list, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(a.Score.Points(), b.Score.Points()), cmp.Compare(a.N, b.N))
	})
}

// Own returns what only this candidate names: files, and commands that check it.
func (c Candidate) Own(all []Candidate) (files, commands []string) {
	others := map[string]bool{}
	for _, o := range all {
		if o.N != c.N {
			f, k := named(o.Plan)
			for _, name := range append(f, k...) {
				others[name] = true
			}
		}
	}
	files, commands = named(c.Plan)
	known := func(name string) bool { return others[name] }
	return slices.DeleteFunc(files, known), slices.DeleteFunc(commands, known)
}

func named(p *plan.Plan) (files, commands []string) {
	for _, s := range p.Steps {
		files = append(files, s.Files...)
	}
	commands = everyCommand(p)
	slices.Sort(files)
	slices.Sort(commands)
	return slices.Compact(files), slices.Compact(commands)
}

// Candidates are the plans for one goal that are being made. What is made is kept in this clone
// until one of them is chosen, so that a command which was killed does not plan again.
type Candidates struct {
	*work.Worker
	Planning prompt.Planning
	Who      []string // agents and models, in turn; none: as configured
}

// folder returns where the candidates for this very question are kept.
func (c *Candidates) folder() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", []any{c.Planning.Goal, c.Planning.Context, c.Planning.Template, c.Who}))
	return c.Repo.PlanDir("candidates", hex.EncodeToString(sum[:6]))
}

// Make makes candidate n, unless it was made before.
func (c *Candidates) Make(ctx context.Context, n int) (out Candidate, err error) {
	file := filepath.Join(c.folder(), fmt.Sprintf("%d.json", n))
	if data, err := journal.ReadRegular(file); err == nil && json.Unmarshal(data, &out) == nil {
		out.Again = true
		if out.Plan, err = plan.Parse([]byte(out.Text)); err == nil {
			return c.scored(ctx, out)
		}
	}
	out = Candidate{N: n}
	p := c.Planning
	p.Name = fmt.Sprintf("plan-%d", n)
	if len(c.Who) > 0 {
		out.Who = c.Who[(n-1)%len(c.Who)]
		p.Agent, p.Model = c.Config.Meant(out.Who)
	}
	made, err := MakePlan(ctx, c.Worker, p)
	if err != nil {
		return out, err
	}
	out.Text = string(made.Text)
	if out.Plan, err = plan.Parse(made.Text); err != nil {
		return out, err
	}
	data, err := json.Marshal(map[string]any{"n": out.N, "who": out.Who, "text": out.Text})
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

// CandidatePrefix is where the candidates are kept that were not chosen, as texts:
// refs/plan-candidates/<plan>/<n>.
const CandidatePrefix = "refs/plan-candidates/"

// Chosen keeps the candidates that were not chosen with the plan that one has become.
func (c *Candidates) Chosen(ctx context.Context, all []Candidate, chosen int) error {
	for _, o := range all {
		if o.N == chosen {
			continue
		}
		blob, err := c.Repo.WriteBlob(ctx, []byte(o.Text))
		if err != nil {
			return err
		}
		if err := c.Repo.UpdateRef(ctx, fmt.Sprintf("%s%s/%d", CandidatePrefix, c.Doc.ID, o.N), blob, "", "plan: candidate"); err != nil {
			return err
		}
	}
	return os.RemoveAll(c.folder())
}

// CandidateText returns the text of a candidate that was not chosen, and the numbers of those
// there are.
func CandidateText(ctx context.Context, co *checkout.Checkout, n string) (text []byte, there []string, err error) {
	refs, err := co.Repo.Refs(ctx, CandidatePrefix+co.Doc.ID+"/")
	if err != nil {
		return nil, nil, err
	}
	for _, r := range refs {
		number := strings.TrimPrefix(r.Name, CandidatePrefix+co.Doc.ID+"/")
		if there = append(there, number); number == n {
			var o git.Object
			if o, err = co.Repo.Read(ctx, r.Name); err == nil {
				text = o.Data
			}
		}
	}
	return text, there, err
}
