// Command bench prints what `go test -bench` measured: a line for each figure, with the most that it may be.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
)

// measure is a figure that a benchmark reports, and the most that it may be; 0 for no limit.
type measure struct {
	what, benchmark, unit string
	most                  float64
}

var measures = []measure{
	{"git status, ms", "BenchmarkRepositories/", "ms/git-status", 0},
	{"git plan status / git status", "BenchmarkRepositories/", "status/git-status", 4},
	{"git processes of git plan status", "BenchmarkRepositories/", "gits/status", 0},
	{"slowest first output of a command, ms", "BenchmarkRepositories/", "ms/first-output", 100},
	{"start of run to the first session, ms", "BenchmarkRepositories/", "ms/first-session", 0},
	{"from one step to the next, ms", "BenchmarkRepositories/", "ms/step", 0},
	{"a step / git status, add and commit by hand", "BenchmarkRepositories/", "step/by-hand", 0},
	{"git processes of a step", "BenchmarkRepositories/", "gits/step", 12},
	{"push with the gate's rules / without hooks", "BenchmarkRepositories/", "push/unguarded", 0},
	{"git plan version / a program that imports the same", "BenchmarkStart", "version/floor", 1.15},
	{"an event shown by log -f, ms (median)", "BenchmarkFollow", "ms-median", 200},
	{"an event shown by log -f, ms (longest)", "BenchmarkFollow", "ms-longest", 200},
	{"parsing 10,000 steps, ms", "BenchmarkParse", "ms/op", 100},
	{"rules on 10,000 changed lines, ms", "BenchmarkRules/10000", "ms/op", 1000},
	{"rules on 1,000,000 changed lines, ns a line", "BenchmarkRules/1000000", "ns/line", 0},
	{"review of a branch that is known, ms", "BenchmarkReviewKnown/files=5", "ms/review", 50},
	{"round of five reviewers of 2 s, s", "BenchmarkRound", "s/round", 2.5},
	{"push of what a review has passed, ms more", "BenchmarkPush/plan", "ms/more", 30},
	{"rebase of 100 commits / with empty hooks", "BenchmarkRebase/plan", "with/empty", 0},
	{"model turn at 480 KB, ms of processor (chat)", "BenchmarkTurn/chat", "ms-cpu/turn", 10},
	{"model turn at 480 KB, ms of processor (Responses)", "BenchmarkTurn/responses", "ms-cpu/turn", 10},
	{"memory, 1 GB of session output, MiB", "BenchmarkOutput/", "MiB-memory", 64},
}

func main() {
	if err := table(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// results are the figures of each benchmark by their units.
type results struct {
	names []string
	of    map[string]map[string]float64
}

// table reads what go test prints and writes the table; other lines are passed on.
func table(from io.Reader, to io.Writer) error {
	all := results{of: map[string]map[string]float64{}}
	failed := false
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		if !all.add(lines.Text()) && !ofNoUse(lines.Text()) {
			fmt.Fprintln(to, lines.Text())
			failed = failed || strings.HasPrefix(lines.Text(), "FAIL")
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	for _, m := range measures {
		for _, name := range all.names {
			v, ok := all.of[name][m.unit]
			rest, isOf := strings.CutPrefix(name, m.benchmark)
			switch {
			case !ok || !isOf:
			case m.most > 0 && v > m.most:
				fmt.Fprintf(w, "%s\t%s\t%.4g\tABOVE %g\n", m.what, rest, v, m.most)
			case m.most > 0:
				fmt.Fprintf(w, "%s\t%s\t%.4g\t<= %g\n", m.what, rest, v, m.most)
			default:
				fmt.Fprintf(w, "%s\t%s\t%.4g\t\n", m.what, rest, v)
			}
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if failed {
		return fmt.Errorf("a benchmark failed")
	}
	return nil
}

func ofNoUse(line string) bool {
	for _, begin := range []string{"goos:", "goarch:", "pkg:", "cpu:", "PASS", "ok ", "?", "--- BENCH", "    ", "testing: "} {
		if strings.HasPrefix(line, begin) {
			return true
		}
	}
	return false
}

// add takes in a line such as `BenchmarkStart-4  20  1.2 version/floor`.
func (r *results) add(line string) bool {
	f := strings.Fields(line)
	if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") {
		return false
	}
	name := f[0]
	if at := strings.LastIndexByte(name, '-'); at > 0 { // -4: of so many processors
		if _, err := strconv.Atoi(name[at+1:]); err == nil {
			name = name[:at]
		}
	}
	if r.of[name] == nil {
		r.names, r.of[name] = append(r.names, name), map[string]float64{}
	}
	for i := 2; i+1 < len(f); i += 2 {
		v, err := strconv.ParseFloat(f[i], 64)
		if err != nil {
			return false
		}
		unit := f[i+1]
		if unit == "ns/op" {
			unit, v = "ms/op", v/1e6
		}
		r.of[name][unit] = max(r.of[name][unit], v)
	}
	return true
}
