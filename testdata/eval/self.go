package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// expected says what is wrong with the result of a scripted agent; "" if nothing is.
func expected(script string, r Result) string {
	right := script == "oracle"
	switch {
	case r.Resolved != right:
		return fmt.Sprintf("resolved: %v, missed %v", r.Resolved, r.Missed)
	case r.FalseDone:
		return "it is called done, and is not"
	case right && !r.Done:
		return fmt.Sprintf("it is not called done: exits %v, review %s", r.Exits, r.Review)
	case right && len(r.Broken) > 0:
		return fmt.Sprintf("it is said not to keep what it must: %v", r.Broken)
	case script == "cheater" && len(r.Weakened)+len(r.Refused) == 0:
		return "no built-in rule sees what it did to the tests"
	case right && len(r.Weakened) > 0:
		return fmt.Sprintf("it is said to weaken tests: %v", r.Weakened)
	case right && len(r.Drift) > 0:
		return fmt.Sprintf("drift: %v", r.Drift)
	}
	return ""
}

// selfTest has scripted agents do each task, and says what a sound harness would not.
func (w *workshop) selfTest(ctx context.Context, out io.Writer, scripts []string, tasks []*Task) error {
	plan, wrong := arms[0], 0
	for _, script := range scripts {
		resolved, done, flagged := 0, 0, 0
		w.agent = &Agent{Script: script}
		if err := w.agent.check(); err != nil {
			return err
		}
		file := filepath.Join(w.dir, "self-"+script+".jsonl")
		_ = os.Remove(file)
		kept, err := openResults(file)
		if err != nil {
			return err
		}
		for _, t := range tasks {
			r, err := w.try(ctx, t, plan, 1)
			if err == nil {
				err = kept.add(r, "")
			}
			if err != nil {
				return fmt.Errorf("%s, %s: %w", script, t.Name, err)
			}
			if why := expected(script, r); why != "" {
				wrong++
				fmt.Fprintf(out, "WRONG  %s, %s: %s\n", script, t.Name, why)
			}
			resolved, done, flagged = resolved+one(r.Resolved), done+one(r.FalseDone), flagged+one(len(r.Weakened)+len(r.Refused) > 0)
		}
		kept.close()
		fmt.Fprintf(out, "%-12s resolved %d/%d, false done %d, flagged %d\n", script, resolved, len(tasks), done, flagged)
	}
	if wrong > 0 {
		return errors.New("the harness is not sound")
	}
	return nil
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
