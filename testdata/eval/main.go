// Command eval measures how well agents work with git plan, and without it: tasks, each done several times by
// each arm, judged by tests that no agent has seen.
//
//	main.go      flags: what is run, by whom, how often
//	task.go      a task, tasks/NAME/task.json and goal.md, and its two versions, from the Go module proxy
//	agent.go     who works, an endpoint or an installed agent; the arms: a plan, one long session, two models
//	trial.go     one task by one arm once, from the repository to a result
//	judge.go     the hidden tests in a clean clone, confined and without a network; is a task sound?
//	measure.go   what git plan says that it took, what the built-in rules see, and what transcripts say, which are kept
//	result.go    one line of JSON for each trial, which trials are done already, and the table
//
// A task is a pair of versions of a public module, or was written by hand with a trap (files.txtar): the
// repository is the earlier version, the hidden tests are the later one's, the goal is from its change log.
// Models know such modules, so arms are compared with each other on the same tasks.
//
// Results to be quoted are made in the image of Containerfile, on ten tasks or more, with the arms plan (the
// weaker model alone), mixed and strong. Each names the versions, the endpoint, the effort and the prompts
// that it depends on.
//
// Downloads are in a folder of the cache that the sandbox of git plan hides from sessions.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/git-plan/git-plan/gitplan/proc"
)

// asked has the values of the flags.
type asked struct {
	agent               Agent
	program, only, arms string
	runs                int
	yes, verify, report bool
}

func main() {
	var a asked
	flag.StringVar(&a.program, "program", "git-plan", "the git-plan that is evaluated")
	flag.StringVar(&a.only, "only", "", "the names of some tasks")
	flag.StringVar(&a.arms, "arms", "plan long", "the arms")
	flag.IntVar(&a.runs, "runs", 1, "how often each arm does each task")
	flag.StringVar(&a.agent.Model, "model", "", "the model")
	flag.StringVar(&a.agent.Base, "base", "", "an OpenAI-compatible endpoint")
	flag.StringVar(&a.agent.KeyEnv, "keyenv", "", "the variable that holds its key")
	flag.StringVar(&a.agent.Effort, "effort", "", "the reasoning effort of all roles")
	flag.StringVar(&a.agent.Strong, "strong", "", "the stronger model, of the arms mixed and strong")
	flag.StringVar(&a.agent.Price, "price", "", "US dollars per million tokens: in, cached, out, written to the cache")
	flag.StringVar(&a.agent.Program, "agent", "", "an installed agent: claude, codex, gemini, opencode")
	flag.BoolVar(&a.yes, "yes", false, "spend what the trials cost")
	flag.BoolVar(&a.verify, "verify", false, "verify the tasks again, and do nothing else")
	flag.BoolVar(&a.report, "report", false, "print the report, and do nothing else")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := a.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "eval:", err)
		os.Exit(1)
	}
}

func (a *asked) run(ctx context.Context) error {
	w, err := a.workshop()
	if err != nil {
		return err
	}
	tasks, err := readTasks("testdata/eval/tasks", strings.Fields(a.only))
	if err != nil {
		return err
	}
	if a.verify {
		return w.verifyAll(ctx, tasks)
	}
	r, err := openResults(filepath.Join(w.dir, "results.jsonl"))
	if err != nil {
		return err
	}
	defer r.close()
	if !a.report {
		if err := w.evaluate(ctx, a, r, tasks); err != nil {
			return err
		}
	}
	return report(os.Stdout, r.all)
}

func (a *asked) workshop() (*workshop, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	w := &workshop{agent: &a.agent, dir: filepath.Join(cache, "git-plan-eval")}
	found, ok := proc.Find(a.program)
	if !ok {
		return nil, fmt.Errorf("there is no program %s", a.program)
	}
	if w.program, err = filepath.Abs(found); err != nil {
		return nil, err
	}
	for _, dir := range []string{"sources", "trials"} {
		if err := os.MkdirAll(filepath.Join(w.dir, dir), 0o700); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// verifyAll verifies tasks again, including their downloads.
func (w *workshop) verifyAll(ctx context.Context, tasks []*Task) error {
	bad := 0
	for _, t := range tasks {
		if err := removeAll(filepath.Join(w.dir, "sources", t.id())); err != nil {
			return err
		}
		v, err := w.verified(ctx, t)
		if err != nil {
			bad++
			fmt.Printf("WRONG  %-20s %v\n", t.Name, err)
			continue
		}
		fmt.Printf("ok     %-20s %d tests fail before and pass after, %d pass before and after\n", t.Name, len(v.F2P), len(v.P2P))
	}
	if bad > 0 {
		return fmt.Errorf("%d of %d tasks are not sound", bad, len(tasks))
	}
	return nil
}

// evaluate runs the trials that are missing in the file of results.
func (w *workshop) evaluate(ctx context.Context, a *asked, r *results, tasks []*Task) error {
	if err := w.agent.check(); err != nil {
		return err
	}
	list, err := armsNamed(strings.Fields(a.arms))
	if err != nil {
		return err
	}
	for _, arm := range list {
		if arm.Strong != nil && a.agent.Strong == "" {
			return fmt.Errorf("the arm %s needs a stronger model: STRONG=NAME", arm.Name)
		}
	}
	var left []untried
	for run := 1; run <= a.runs; run++ {
		for _, t := range tasks {
			for _, arm := range list {
				if !r.done[w.trial(t, arm, run)] {
					left = append(left, untried{t, arm, run})
				}
			}
		}
	}
	if len(left) == 0 {
		return nil
	}
	if !a.yes {
		return fmt.Errorf("%d trials would be made, each of which takes a dozen sessions at most: add YES=1 to spend that", len(left))
	}
	return w.tryAll(ctx, r, left)
}

// untried is a trial without a result.
type untried struct {
	task *Task
	arm  Arm
	run  int
}

// tryAll runs trials one after the other. It stops after three in a row that measured nothing.
func (w *workshop) tryAll(ctx context.Context, r *results, left []untried) error {
	later := 0
	for i, m := range left {
		fmt.Fprintf(os.Stderr, "%d/%d %s, %s, run %d\n", i+1, len(left), m.task.Name, m.arm.Name, m.run)
		one, err := w.try(ctx, m.task, m.arm, m.run)
		if errors.Is(err, errLater) && ctx.Err() == nil {
			if later++; later < 3 {
				fmt.Fprintln(os.Stderr, "eval:", err)
				continue
			}
		}
		if err == nil {
			later, err = 0, r.add(one, os.Getenv(w.agent.KeyEnv))
		}
		if err != nil {
			return err
		}
	}
	if later > 0 {
		return fmt.Errorf("%d trials measured nothing: run the same command again", later)
	}
	return nil
}
