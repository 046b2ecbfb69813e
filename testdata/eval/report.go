package main

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"text/tabwriter"
)

// report prints what each arm came to, and how arms differ from the first on the same tasks.
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
	fmt.Fprintln(w, "\ttrials\tresolved\tkept\tfalse done\tweakened\trefused\tdrift\tin\tcached\twritten\tout\t$\trequests\tsessions\tminutes\tstopped\t")
	first := ""
	for _, arm := range arms {
		var n, resolved, kept, false_, weakened, refused, drifted, stopped, requests, sessions int
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
			add(&tokens, r.Tokens, 1)
			if r.CostUSD == nil {
				unknown = true
			} else {
				dollars += *r.CostUSD
			}
		}
		if n == 0 {
			continue
		}
		if first == "" {
			first = arm.Name
		}
		cost := fmt.Sprintf("%.2f", dollars)
		if unknown {
			cost += "+?"
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t%.1f\t%d\t\n", arm.Name, n, resolved, kept, false_, weakened, refused, drifted,
			thousands(tokens[0]), thousands(tokens[1]), thousands(tokens[2]), thousands(tokens[3]), cost, requests, sessions, minutes, stopped)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, arm := range arms {
		if arm.Name != first {
			compare(out, all, first, arm.Name)
		}
	}
	fmt.Fprintln(out)
	return nil
}

func thousands(n float64) string { return fmt.Sprintf("%.0fk", n/1000) }

// measures are what arms are compared by, trial by trial. Not a number: unknown.
var measures = []struct {
	name, unit string
	of         func(Result) float64
}{
	{"resolved", "points", func(r Result) float64 { return 100 * float64(one(r.Resolved)) }},
	{"false done", "points", func(r Result) float64 { return 100 * float64(one(r.FalseDone)) }},
	{"money", "$", func(r Result) float64 {
		if r.CostUSD == nil {
			return math.NaN()
		}
		return *r.CostUSD
	}},
	{"tokens in", "thousand", func(r Result) float64 { return float64(r.Tokens.In) / 1000 }},
	{"requests", "", func(r Result) float64 { return float64(r.Requests) }},
	{"time", "minutes", func(r Result) float64 { return r.Seconds / 60 }},
}

// compare prints by how much one arm is above another, on the tasks and runs that both have.
func compare(out io.Writer, all []Result, first, second string) {
	for _, m := range measures {
		byTask := paired(all, first, second, m.of)
		if len(byTask) == 0 {
			continue
		}
		mean, low, high := bootstrap(byTask)
		fmt.Fprintf(out, "%s above %s, %s: %+.2f %s, 95 %% of resamples between %+.2f and %+.2f (%d tasks)\n", second, first, m.name, mean, m.unit, low, high, len(byTask))
	}
}

// paired returns for each task the mean of what the second arm has above the first, over the runs
// that both have.
func paired(all []Result, first, second string, of func(Result) float64) (byTask []float64) {
	type pair struct {
		task string
		run  int
	}
	values := map[string]map[pair]float64{first: {}, second: {}}
	for _, r := range all {
		if v := of(r); values[r.Arm] != nil && !math.IsNaN(v) {
			values[r.Arm][pair{r.Task, r.Run}] = v
		}
	}
	sums, counts := map[string]float64{}, map[string]float64{}
	for p, v := range values[second] {
		if other, ok := values[first][p]; ok {
			sums[p.task] += v - other
			counts[p.task]++
		}
	}
	var tasks []string
	for task := range sums {
		tasks = append(tasks, task)
	}
	slices.Sort(tasks) // the same results give the same interval
	for _, task := range tasks {
		byTask = append(byTask, sums[task]/counts[task])
	}
	return byTask
}

// resamples is how often tasks are drawn again, with replacement.
const resamples = 4000

// bootstrap returns the mean of some numbers, and between which values 95 % of the means of
// resamples lie. The same numbers give the same answer.
func bootstrap(values []float64) (mean, low, high float64) {
	draw := rand.New(rand.NewPCG(1, 2))
	means := make([]float64, resamples)
	for i := range means {
		for range values {
			means[i] += values[draw.IntN(len(values))] / float64(len(values))
		}
	}
	slices.Sort(means)
	for _, v := range values {
		mean += v / float64(len(values))
	}
	return mean, means[resamples*25/1000], means[resamples*975/1000-1]
}
