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
	agent                                Agent
	program, dir, tasks, only, arms, out string
	runs                                 int
	yes, keep, verify, report            bool
}

func main() {
	var a asked
	flag.StringVar(&a.program, "program", "git-plan", "the git-plan that is evaluated")
	flag.StringVar(&a.dir, "dir", "", "where everything is fetched, tried and kept (default: git-plan-eval in the cache folder)")
	flag.StringVar(&a.tasks, "tasks", "testdata/eval/tasks", "the folder of tasks")
	flag.StringVar(&a.only, "only", "", "the names of some tasks")
	flag.StringVar(&a.arms, "arms", "plan,long", "the arms")
	flag.IntVar(&a.runs, "runs", 1, "how often each arm does each task")
	flag.StringVar(&a.out, "results", "", "the file of results (default: results.jsonl in -dir)")
	flag.StringVar(&a.agent.Model, "model", "", "the model")
	flag.StringVar(&a.agent.Base, "base", "", "an OpenAI-compatible endpoint")
	flag.StringVar(&a.agent.KeyEnv, "keyenv", "", "the variable that holds its key")
	flag.StringVar(&a.agent.Effort, "effort", "", "the reasoning effort of all roles")
	flag.StringVar(&a.agent.Strong, "strong", "", "the stronger model, of the arms mixed and strong")
	flag.StringVar(&a.agent.Price, "price", "", "US dollars per million tokens: in, cached, out, written to the cache")
	flag.StringVar(&a.agent.Program, "agent", "", "an installed agent: claude, codex, gemini, opencode")
	flag.BoolVar(&a.yes, "yes", false, "spend what the trials cost")
	flag.BoolVar(&a.keep, "keep", false, "keep the folders of trials, not only their transcripts")
	flag.BoolVar(&a.verify, "verify", false, "verify the tasks again, and do nothing else")
	flag.BoolVar(&a.report, "report", false, "print the report, and do nothing else")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	fail(a.run(ctx))
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "eval:", err)
		os.Exit(1)
	}
}

func (a *asked) run(ctx context.Context) error {
	w, err := a.workshop()
	if err != nil {
		return err
	}
	tasks, err := readTasks(w.tasks, words(a.only))
	if err != nil {
		return err
	}
	switch {
	case a.report:
	case a.verify:
		return w.verifyAll(ctx, tasks)
	default:
		if err := w.evaluate(ctx, a, tasks); err != nil {
			return err
		}
	}
	r, err := openResults(a.out)
	if err != nil {
		return err
	}
	defer r.close()
	return report(os.Stdout, r.all)
}

// words are separated by commas or spaces.
func words(list string) []string {
	return strings.FieldsFunc(list, func(c rune) bool { return c == ',' || c == ' ' })
}

func (a *asked) workshop() (*workshop, error) {
	if a.dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, err
		}
		a.dir = filepath.Join(cache, "git-plan-eval")
	}
	w := &workshop{agent: &a.agent, keep: a.keep}
	var err error
	for from, to := range map[*string]string{&w.dir: a.dir, &w.tasks: a.tasks} {
		if *from, err = filepath.Abs(to); err != nil {
			return nil, err
		}
	}
	found, ok := proc.Find(a.program)
	if !ok {
		return nil, fmt.Errorf("there is no program %s", a.program)
	}
	if w.program, err = filepath.Abs(found); err != nil {
		return nil, err
	}
	if a.out == "" {
		a.out = filepath.Join(w.dir, "results.jsonl")
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
		own := ""
		if !v.Old {
			own = "; the earlier version's own tests do not all pass after the change"
		}
		fmt.Printf("ok     %-20s %d tests fail before and pass after, %d pass before and after%s\n", t.Name, len(v.F2P), len(v.P2P), own)
	}
	if bad > 0 {
		return fmt.Errorf("%d of %d tasks are not sound", bad, len(tasks))
	}
	return nil
}

// evaluate runs the trials that are missing in the file of results.
func (w *workshop) evaluate(ctx context.Context, a *asked, tasks []*Task) error {
	if err := w.agent.check(); err != nil {
		return err
	}
	list, err := armsNamed(words(a.arms))
	if err != nil {
		return err
	}
	for _, arm := range list {
		if arm.Strong != nil && a.agent.Strong == "" {
			return fmt.Errorf("the arm %s needs a stronger model: STRONG=NAME", arm.Name)
		}
	}
	r, err := openResults(a.out)
	if err != nil {
		return err
	}
	defer r.close()
	var left []Trial
	for run := 1; run <= a.runs; run++ {
		for _, t := range tasks {
			for _, arm := range list {
				if trial := w.trial(t, arm, run); !r.done[trial] {
					left = append(left, trial)
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
	return w.tryAll(ctx, r, left, tasks)
}

// tryAll runs trials one after the other. It stops after three in a row that measured nothing.
func (w *workshop) tryAll(ctx context.Context, r *results, left []Trial, tasks []*Task) error {
	later := 0
	for i, trial := range left {
		arm, err := armsNamed([]string{trial.Arm})
		if err != nil {
			return err
		}
		var task *Task
		for _, t := range tasks {
			if t.Name == trial.Task {
				task = t
			}
		}
		fmt.Fprintf(os.Stderr, "%d/%d %s, %s, run %d\n", i+1, len(left), trial.Task, trial.Arm, trial.Run)
		one, err := w.try(ctx, task, arm[0], trial.Run)
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
