package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// report prints the results of each arm. Differences between arms count only on the same tasks.
func report(out io.Writer, all []Result) error {
	agents := map[[2]string][]Result{}
	for _, r := range all {
		key := [2]string{r.Agent, r.Model}
		agents[key] = append(agents[key], r)
	}
	var keys [][2]string
	for key := range agents {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	for _, key := range keys {
		fmt.Fprintf(out, "%s %s\n\n", key[0], key[1])
		if err := reportOf(out, agents[key]); err != nil {
			return err
		}
	}
	return nil
}

func reportOf(out io.Writer, all []Result) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\ttrials\tresolved\tkept\tfalse done\tweakened\trefused\tdrift\tin\tcached\twritten\tout\t$\trequests\tmalformed\tsessions\tminutes\tstopped\t")
	for _, arm := range arms {
		var n, resolved, kept, false_, weakened, refused, drifted, stopped, requests, calls, malformed, sessions int
		var tokens [4]float64
		var dollars, minutes float64
		unknown := false
		for _, r := range all {
			if r.Arm != arm.Name {
				continue
			}
			n, resolved, kept, false_ = n+1, resolved+one(r.Resolved), kept+one(len(r.Broken) == 0), false_+one(r.FalseDone)
			weakened, refused, drifted = weakened+one(len(r.Weakened) > 0), refused+one(len(r.Refused) > 0), drifted+one(len(r.Drift) > 0)
			stopped, requests, sessions, minutes = stopped+r.Interventions, requests+r.Requests, sessions+r.Sessions, minutes+r.Seconds/60
			calls, malformed = calls+r.Calls, malformed+r.Malformed
			for i, n := range []int{r.Tokens.In, r.Tokens.Cached, r.Tokens.Written, r.Tokens.Out} {
				tokens[i] += float64(n)
			}
			if r.CostUSD == nil {
				unknown = true
			} else {
				dollars += *r.CostUSD
			}
		}
		if n == 0 {
			continue
		}
		cost := fmt.Sprintf("%.2f", dollars)
		if unknown {
			cost += "+?"
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t%d\t%.1f %%\t%d\t%.1f\t%d\t\n", arm.Name, n, resolved, kept, false_, weakened, refused, drifted,
			thousands(tokens[0]), thousands(tokens[1]), thousands(tokens[2]), thousands(tokens[3]), cost, requests, 100*float64(malformed)/float64(max(1, calls)), sessions, minutes, stopped)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	tasks := map[string]bool{}
	for _, r := range all {
		tasks[r.Task] = true
	}
	if len(tasks) < leastTasks {
		fmt.Fprintf(out, "\n%d of %d tasks: too few to tell the arms apart\n", len(tasks), leastTasks)
	}
	fmt.Fprintln(out)
	return nil
}

// leastTasks is the minimum number of tasks for which differences between arms may be quoted.
const leastTasks = 10

func thousands(n float64) string { return fmt.Sprintf("%.0fk", n/1000) }

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
