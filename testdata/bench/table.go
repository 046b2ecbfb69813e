// Command bench prints what `go test -bench` measured: a line for each figure, with its limit, and the value
// in recorded.tsv beside it. With -check a ratio or count more than 15 % above that fails; with -record the
// whole file is rewritten.
package main

import (
	"bufio"
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
)

// measure is a figure that a benchmark reports, and its limit; 0 means none.
type measure struct {
	what, benchmark, unit string
	most                  float64
}

// timed reports whether it is elapsed time, which is meaningful on a quiet machine only. All others are
// counts, and ratios of processor time.
func (m measure) timed() bool {
	return strings.HasPrefix(m.unit, "ms") || strings.HasPrefix(m.unit, "s/") || strings.HasSuffix(m.unit, "-wall") || m.unit == "ns/line"
}

var measures = []measure{
	{"git status, ms", "BenchmarkRepositories/", "ms/git-status", 0},
	{"git plan status / git status", "BenchmarkRepositories/", "status/git-status", 10},
	{"git processes of git plan status", "BenchmarkRepositories/", "gits/status", 0},
	{"slowest first output of a command, ms", "BenchmarkRepositories/", "ms/first-output", 100},
	{"start of run to the first session, ms", "BenchmarkRepositories/", "ms/first-session", 0},
	{"from one step to the next, ms", "BenchmarkRepositories/", "ms/step", 0},
	{"a step / git add -A and git commit by hand", "BenchmarkRepositories/", "step/by-hand", 0},
	{"a step beyond git status, ms of the processor", "BenchmarkRepositories/", "ms-cpu/more", 0},
	{"git processes of a step", "BenchmarkRepositories/", "gits/step", 12},
	{"push with the gate's rules / without hooks", "BenchmarkRepositories/", "push/unguarded", 0},
	{"twice as many: the command that grows most", "BenchmarkGrowth/", "2n/n", 2.3},
	{"several jobs / one", "BenchmarkJobs/", "jobs/one-wall", 0},
	{"several jobs, git processes of a step", "BenchmarkJobs/", "gits/step", 0},
	{"git plan version / a program that imports the same", "BenchmarkStart", "version/floor", 1.2},
	{"git plan completion / a program that imports the same", "BenchmarkStart", "completion/floor", 1.2},
	{"an event shown by log -f, ms (median)", "BenchmarkFollow", "ms-median", 200},
	{"an event shown by log -f, ms (longest)", "BenchmarkFollow", "ms-longest", 200},
	{"parsing 10,000 steps, ms", "BenchmarkParse", "ms/op", 100},
	{"rules on 10,000 changed lines, ms", "BenchmarkRules/10000", "ms/op", 1000},
	{"rules on 1,000,000 changed lines, ns a line", "BenchmarkRules/1000000", "ns/line", 0},
	{"review of a branch that is known, ms", "BenchmarkReviewKnown/files=5", "ms/review", 50},
	{"round of five reviewers of 2 s, s", "BenchmarkRound", "s/round", 2.5},
	{"push of what a review has passed, ms more", "BenchmarkPush/plan", "ms/more", 30},
	{"rebase of 100 commits / with empty hooks", "BenchmarkRebase/plan", "with/empty-wall", 0},
	{"model turn at 480 KB, ms of processor (chat)", "BenchmarkTurn/chat", "ms-cpu/turn", 10},
	{"model turn at 480 KB, ms of processor (Responses)", "BenchmarkTurn/responses", "ms-cpu/turn", 10},
	{"memory, 1 GB of session output, MiB", "BenchmarkOutput/", "MiB-memory", 64},
}

// The recorded table, and from when on a figure is worse.
const (
	file  = "testdata/bench/recorded.tsv"
	worse = 1.15 // allowed factor
)

func main() {
	check, record := flag.Bool("check", false, "fail where a count or ratio is 15 % above "+file), flag.Bool("record", false, "write "+file)
	flag.Parse()
	if err := run(*check, *record); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(check, record bool) error {
	var now strings.Builder
	was, _ := os.ReadFile(file)
	grown, err := table(os.Stdin, os.Stdout, &now, string(was))
	switch {
	case err != nil:
		return err
	case check && len(grown) > 0:
		return fmt.Errorf("more than 15 %% above %s: %s", file, strings.Join(grown, "; "))
	case record:
		return os.WriteFile(file, []byte(now.String()), 0o644)
	}
	return nil
}

// results are the figures of each benchmark by their units.
type results struct {
	names []string
	of    map[string]map[string]float64
}

// table reads the output of go test and writes the table, and to now the lines to record; other lines are
// passed on. It returns the counts and ratios that are more than 15 % above the recorded ones.
func table(from io.Reader, to, now io.Writer, recorded string) (grown []string, err error) {
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
		return nil, err
	}
	before := map[string]float64{}
	for line := range strings.Lines(recorded) {
		line = strings.TrimSpace(line)
		if end := strings.LastIndexByte(line, '\t'); end > 0 {
			before[line[:end]], _ = strconv.ParseFloat(line[end+1:], 64)
		}
	}
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	for _, m := range measures {
		for _, name := range all.names {
			v, ok := all.of[name][m.unit]
			rest, isOf := strings.CutPrefix(name, m.benchmark)
			if !ok || !isOf {
				continue
			}
			limit, quiet, key := "", "", m.what+"\t"+cmp.Or(rest, "-")
			if m.most > 0 {
				limit = map[bool]string{true: "<= ", false: "ABOVE "}[v <= m.most] + fmt.Sprintf("%g", m.most)
			}
			if m.timed() {
				quiet = "on a quiet machine"
			} else if before[key] > 0 && v > worse*before[key] {
				quiet, grown = fmt.Sprintf("WORSE than %.4g", before[key]), append(grown, strings.ReplaceAll(key, "\t", " "))
			}
			fmt.Fprintf(w, "%s\t%s\t%.4g\t%s\t%s\n", m.what, rest, v, limit, quiet)
			fmt.Fprintf(now, "%s\t%.4g\n", key, v)
		}
	}
	if err := w.Flush(); err != nil {
		return nil, err
	}
	if failed {
		return nil, fmt.Errorf("a benchmark failed")
	}
	return grown, nil
}

func ofNoUse(line string) bool {
	for _, begin := range []string{"goos:", "goarch:", "pkg:", "cpu:", "PASS", "ok ", "?", "--- BENCH", "    ", "testing: "} {
		if strings.HasPrefix(line, begin) {
			return true
		}
	}
	return false
}

// add parses a line such as `BenchmarkStart-4  20  1.2 version/floor`.
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
