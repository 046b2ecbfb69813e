//go:build unix

package rounds

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/panel"
	"github.com/git-plan/git-plan/testdata/race"
)

// A linter's output is read, placed, merged and reported in time linear in its size, in the rules that it
// lists and in the file: eight times as much takes at most 24 times the processor time, where a quadratic
// algorithm would take 64 times.
func TestLinterOutputTakesLinearTime(t *testing.T) {
	race.Skip(t)
	const n = 500
	for name, shape := range map[string]struct {
		code   func(n int) string // the changed file
		result func(i int) string // a line of rdjsonl, or a result of SARIF
		sarif  bool
	}{
		"many rules": {func(int) string { return "x\n" }, func(i int) string { return sarifAt(fmt.Sprintf("r%d", i), i, 1) }, true},
		"many lines": {func(n int) string { return strings.Repeat("line of text\n", 20*n) }, func(i int) string { return sarifAt("r", i, i+1) }, true},
		"no symbols": {func(n int) string { return strings.Repeat(" indented text\n", 20*n) }, func(i int) string { return sarifAt("r", i, 20*i+1) }, true},
		"one line":   {func(n int) string { return strings.Repeat("one long line ", 20*n) + "\n" }, func(i int) string { return sarifAt(fmt.Sprintf("r%d", i), i, 1) }, true},
		"rdjsonl": {func(n int) string { return strings.Repeat("line of text\n", 20*n) }, func(i int) string {
			return fmt.Sprintf(`{"message": "m%d", "location": {"path": "f.txt", "range": {"start": {"line": %d}}}}`, i, i+1)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			judge := func(n int) func() {
				b := newBranch(t)
				base := b.Git("rev-parse", "HEAD")
				head := b.Commit("f.txt", shape.code(n))
				target := &panel.Target{Base: base, Head: head, Round: 1, Repo: b.Repo}
				var err error
				if target.Diff, err = git.DiffTrees(t.Context(), b.Repo, base, head); err != nil {
					t.Fatal(err)
				}
				text := ofLinter(shape.sarif, n, shape.result)
				return func() { tellAll(t, target, text, n) }
			}
			linearly(t, judge(n), judge(8*n))
		})
	}
}

// tellAll takes two linters' findings from their output to the printed report.
func tellAll(tb *testing.T, t *panel.Target, text string, n int) {
	l := &ledger.Ledger{Rounds: []ledger.Round{{N: 1}}}
	var lists [][]finding.Finding
	for _, name := range []string{"lint", "other"} {
		all, _, err := finding.ReadLinter(text, "")
		all = t.Code(tb.Context()).OfChange(all)
		t.Code(tb.Context()).Anchor(all)
		if err != nil || len(all) != n {
			tb.Fatalf("%d findings: %v", len(all), err)
		}
		for i := range all {
			all[i].Reviewers, all[i].Status, all[i].Verified = []string{name}, finding.Confirmed, true
		}
		lists = append(lists, all)
	}
	run := &running{Loop: &Loop{}, at: Progress{Ledger: l}, target: t}
	for range 2 { // the second time they are known
		found := finding.Merge(append(lists, run.unmentioned(tb.Context(), lists[0]))...)
		known := l.ByID()
		for i := range found {
			run.restoreJudgement(tb.Context(), &found[i], known[found[i].ID])
			l.Rounds[0].Blocking = append(l.Rounds[0].Blocking, found[i].ID)
		}
		l.Keep(found)
	}
	l.Blocking()
	l.Text()
	for _, write := range []func(io.Writer) error{func(w io.Writer) error { return l.WriteSARIF(w, "1") }, func(w io.Writer) error { return finding.WriteRDJSONL(w, l.Standing()) }} {
		if err := write(io.Discard); err != nil {
			tb.Fatal(err)
		}
	}
}

func sarifAt(rule string, i, line int) string {
	return fmt.Sprintf(`{"ruleId": %q, "message": {"text": "m%d"}, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "f.txt"}, "region": {"startLine": %d}}}]}`, rule, i, line)
}

func ofLinter(sarif bool, n int, result func(int) string) string {
	var results, rules []string
	for i := range n {
		results, rules = append(results, result(i)), append(rules, fmt.Sprintf(`{"id": "r%d"}`, i))
	}
	if !sarif {
		return strings.Join(results, "\n")
	}
	return `{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x", "rules": [` + strings.Join(rules, ",") + `]}}, "results": [` + strings.Join(results, ",") + `]}]}`
}

// linearly takes the minimum of several runs, so that a busy machine does not matter.
func linearly(t *testing.T, short, long func()) {
	t.Helper()
	const most, tries, least = 24, 8, 200 * time.Microsecond
	a, b := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	for range tries {
		a, b = min(a, processorTime(short)), min(b, processorTime(long))
		if b <= most*max(a, least) {
			return
		}
	}
	t.Errorf("one takes %v, eight times as much %v", a, b)
}

func processorTime(do func()) time.Duration {
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	used := func() time.Duration {
		var u syscall.Rusage
		_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	began := used()
	do()
	return used() - began
}
