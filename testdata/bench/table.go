// Command bench prints what `go test -bench` measured as two tables: a row for
// each figure, with the most that it may be.
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

// repositories are the columns of the first table, by what BenchmarkRepositories
// calls them.
var repositories = []string{"small", "files=50000", "commits=100000", "refs=50000-packed", "refs=50000-loose", "untracked=1000", "steps=1000"}

// measure is a row: a figure that a benchmark reports, and its limits by
// repository; under "" the one for all of them.
type measure struct {
	what, benchmark, unit string
	most                  map[string]float64
}

var perRepository = []measure{
	{"git status, ms", "", "ms/git-status", nil},
	{"git plan status / git status", "", "status/git-status", map[string]float64{"small": 4, "files=50000": 0.3}},
	{"git processes of git plan status", "", "gits/status", nil},
	{"slowest first output of a command, ms", "", "ms/first-output", map[string]float64{"": 100}},
	{"start of run to the first session, ms", "", "ms/first-session", map[string]float64{"small": 40}},
	{"from one step to the next, ms", "", "ms/step", map[string]float64{"small": 50}},
	{"a step / git status, add and commit by hand", "", "step/by-hand", nil},
	{"git processes of a step", "", "gits/step", map[string]float64{"": 12}},
	{"push with the gate's rules / without hooks", "", "push/unguarded", nil},
}

var once = []measure{
	{"git plan version / a program that imports the same", "BenchmarkStart", "version/floor", map[string]float64{"": 1.15}},
	{"an event shown by log -f, ms (median)", "BenchmarkFollow", "ms-median", map[string]float64{"": 200}},
	{"an event shown by log -f, ms (longest)", "BenchmarkFollow", "ms-longest", map[string]float64{"": 200}},
	{"parsing 10,000 steps, ms", "BenchmarkParse", "ms/op", map[string]float64{"": 100}},
	{"rules on 10,000 changed lines, ms", "BenchmarkRules/10000", "ms/op", map[string]float64{"": 1000}},
	{"rules on 1,000,000 changed lines, ns a line", "BenchmarkRules/1000000", "ns/line", nil},
	{"review of a branch that is known, ms", "BenchmarkReviewKnown/files=5", "ms/review", map[string]float64{"": 50}},
	{"round of five reviewers of 2 s, s", "BenchmarkRound", "s/round", map[string]float64{"": 2.5}},
	{"push of what a review has passed, ms more", "BenchmarkPush/plan", "ms/more", map[string]float64{"": 30}},
	{"rebase of 100 commits / with empty hooks", "BenchmarkRebase/plan", "with/empty", nil},
	{"model turn at 480 KB, ms of processor (chat)", "BenchmarkTurn/chat", "ms-cpu/turn", map[string]float64{"": 10}},
	{"model turn at 480 KB, ms of processor (Responses)", "BenchmarkTurn/responses", "ms-cpu/turn", map[string]float64{"": 10}},
	{"memory, 1 GB of session output, MiB", "BenchmarkOutput", "MiB-memory", map[string]float64{"": 64}},
}

func main() {
	if err := table(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// results are the figures of each benchmark by their units.
type results map[string]map[string]float64

// table reads what go test prints and writes the tables. What is not the line of
// a benchmark, such as a failure, is passed on.
func table(from io.Reader, to io.Writer) error {
	all := results{}
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
	all.perRepository(to)
	all.once(to)
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

// add takes in a line such as `BenchmarkStart-4  20  1.2 version/floor`. Of one
// benchmark in several kinds the largest figure counts.
func (r results) add(line string) bool {
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
	whole, _, _ := strings.Cut(name, "/")
	for i := 2; i+1 < len(f); i += 2 {
		v, err := strconv.ParseFloat(f[i], 64)
		if err != nil {
			return false
		}
		unit := f[i+1]
		if unit == "ns/op" {
			unit, v = "ms/op", v/1e6
		}
		for _, key := range []string{name, whole} {
			if r[key] == nil {
				r[key] = map[string]float64{}
			}
			r[key][unit] = max(r[key][unit], v)
		}
	}
	return true
}

func (r results) perRepository(to io.Writer) {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\t%s\n", strings.Join(repositories, "\t"))
	for _, m := range perRepository {
		fmt.Fprint(w, m.what)
		for _, repository := range repositories {
			v, ok := r["BenchmarkRepositories/"+repository][m.unit]
			fmt.Fprintf(w, "\t%s", m.shown(v, ok, repository))
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush()
	fmt.Fprintln(to)
}

func (r results) once(to io.Writer) {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	for _, m := range once {
		v, ok := r[m.benchmark][m.unit]
		fmt.Fprintf(w, "%s\t%s\n", m.what, m.shown(v, ok, ""))
	}
	_ = w.Flush()
}

// shown is a figure, with its limit, and a mark where it is above it.
func (m measure) shown(v float64, ok bool, repository string) string {
	if !ok {
		return "-"
	}
	text := strconv.FormatFloat(v, 'g', 3, 64)
	if v >= 1000 {
		text = strconv.FormatFloat(v, 'f', 0, 64)
	}
	most, limited := m.most[repository]
	if !limited {
		most, limited = m.most[""]
	}
	switch {
	case !limited:
		return text
	case v > most:
		return fmt.Sprintf("%s (ABOVE %g)", text, most)
	}
	return fmt.Sprintf("%s (<= %g)", text, most)
}
