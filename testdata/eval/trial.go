package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/proc"
)

// place is where a trial runs.
type place struct {
	dir, repo, base, head string
	program               string
	env                   []string // of git-plan
}

// errLater means that nothing was measured, as at a rate limit; the trial runs again next time.
var errLater = errors.New("nothing was measured")

// try has an arm do a task once, and judges the branch.
func (w *workshop) try(ctx context.Context, t *Task, arm Arm, run int) (Result, error) {
	r := Result{Schema: 1, Trial: w.trial(t, arm, run), Began: time.Now().UTC().Truncate(time.Second)}
	version, err := w.command(ctx, w.dir, nil, w.program, "version")
	if err != nil {
		return r, err
	}
	r.Program = strings.TrimSpace(version)
	v, err := w.verified(ctx, t)
	if err != nil {
		return r, err
	}
	s := v.source
	dir := filepath.Join(w.dir, "trials", fmt.Sprintf("%s-%s-%d", t.Name, arm.Name, run))
	if err := removeAll(dir); err != nil { // the one of a killed trial
		return r, err
	}
	defer func() { _ = removeAll(dir) }()
	at, err := w.place(ctx, t, arm, s, dir)
	if err != nil {
		return r, err
	}
	begin := time.Now()
	if err := w.work(ctx, t, arm, at, &r); err != nil {
		return r, err
	}
	if err := w.recorded(ctx, &r, at); err != nil {
		return r, err
	}
	r.Seconds = time.Since(begin).Round(time.Second / 10).Seconds()
	if at.head, err = w.tip(ctx, at.repo); err != nil {
		return r, err
	}
	if r.Exits[0] == 0 { // otherwise there is no plan
		if err := w.measure(ctx, &r, at); err != nil {
			return r, err
		}
	}
	if arm.Strong != nil { // the price is for one model
		r.CostUSD = nil
	}
	j, err := w.judge(ctx, t, s, at.repo, at.base, at.head, filepath.Join(dir, "clone"))
	if err != nil {
		return r, err
	}
	r.judged(t, v, j)
	return r, nil
}

func (w *workshop) trial(t *Task, arm Arm, run int) Trial {
	trial := Trial{Task: t.Name, Arm: arm.Name, Run: run, Agent: w.agent.Name, Model: w.agent.Model}
	if arm.Strong != nil {
		trial.Strong = w.agent.Strong
	}
	return trial
}

// place makes the repository, and configures git plan for it.
func (w *workshop) place(ctx context.Context, t *Task, arm Arm, s source, dir string) (*place, error) {
	at := &place{dir: dir, repo: filepath.Join(dir, t.Name), program: w.program, env: w.agent.environment(dir, t.depends(s))}
	if err := w.repository(ctx, t, s, at.repo); err != nil {
		return nil, err
	}
	var err error
	if at.base, err = w.tip(ctx, at.repo); err != nil {
		return nil, err
	}
	set := w.agent.settings()
	set["plan.base"], set["plan.passEnv"], set["plan.sandboxReadable"] = "main", "NODE_PATH", s.deps
	for _, role := range arm.Strong {
		set["plan."+string(role)+".model"] = w.agent.Strong
	}
	for key, value := range set {
		if out, err := w.command(ctx, at.repo, gitAlone, "git", "config", "--file", filepath.Join(dir, "gitconfig"), key, value); err != nil {
			return nil, fmt.Errorf("git config %s: %w\n%s", key, err, out)
		}
	}
	return at, nil
}

// work runs the commands of an arm. Their output is kept beside the repository.
func (w *workshop) work(ctx context.Context, t *Task, arm Arm, at *place, r *Result) error {
	plan := filepath.Join(at.dir, "plan.md")
	if err := os.WriteFile(plan, []byte(longPlan(t)), 0o644); err != nil {
		return err
	}
	said, err := os.Create(filepath.Join(at.dir, "said.txt"))
	if err != nil {
		return err
	}
	defer said.Close()
	for _, argv := range arm.commands(t, plan) {
		exit, err := proc.Run(ctx, proc.Cmd{Name: at.program, Args: argv, Dir: at.repo, Env: at.env, Stdout: said, Stderr: said, Group: true, Timeout: 6 * time.Hour})
		if err != nil {
			return err
		}
		asked := exit.Code == 1 && at.transcripts().Requests > 0 // a planner that failed
		if slices.Contains([]int{1, 2, 5, 75, 128}, exit.Code) && !asked || exit.Code > 128 {
			text, _ := os.ReadFile(said.Name())
			return fmt.Errorf("%w: git plan %s exits with %d\n%s", errLater, argv[0], exit.Code, text[max(0, len(text)-2000):])
		}
		if r.Exits = append(r.Exits, exit.Code); exit.Code == 3 || exit.Code == 4 || exit.Code == 6 {
			r.Interventions++
		}
		if exit.Code != 0 {
			break
		}
	}
	return nil
}

// tip returns the last commit of a repository's branch.
func (w *workshop) tip(ctx context.Context, repo string) (string, error) {
	out, err := w.command(ctx, repo, gitAlone, "git", "rev-parse", "HEAD")
	return strings.TrimSpace(out), err
}

// judged fills in the result of the hidden tests.
func (r *Result) judged(t *Task, v *verified, j judged) {
	count := func(tests []string) (s Share) {
		for _, name := range tests {
			if s.All++; j.passed[name] {
				s.N++
			} else if len(r.Missed) < 20 {
				r.Missed = append(r.Missed, name)
			}
		}
		return s
	}
	r.F2P, r.P2P, r.Broken = count(t.F2P), count(v.P2P), j.broken
	slices.Sort(r.Broken)
	r.Resolved = r.F2P.N == r.F2P.All && r.P2P.N == r.P2P.All
	r.FalseDone = r.Done && !r.Resolved
}
