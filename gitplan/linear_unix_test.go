//go:build unix

package gitplan

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/form"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/lint"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/testdata/race"
)

// Parsing, importing, linting and the commands on a plan take time linear in the text, whatever it contains.
func TestLinearInTheText(t *testing.T) {
	race.Skip(t)
	const small = 4 << 10
	for _, op := range operations {
		for _, g := range growing {
			if op.long {
				continue
			}
			linear(t, op.name+" of "+g.name, []byte(g.text(small)), []byte(g.text(8*small)), op.do)
		}
	}
}

// linear fails if a text eight times as long takes more than 24 times the processor time, where a quadratic
// algorithm takes 64 times. It uses the minimum of several runs, so that a busy machine does not matter.
func linear(t *testing.T, name string, short, long []byte, do func([]byte)) {
	t.Helper()
	linearly(t, name, func() { do(short) }, func() { do(long) })
}

func linearly(t *testing.T, name string, short, long func()) {
	t.Helper()
	const most, tries, least = 24, 8, 200 * time.Microsecond
	a, b := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	for range tries {
		a, b = min(a, processorTime(short)), min(b, processorTime(long))
		if b <= most*max(a, least) {
			return
		}
	}
	t.Errorf("%s: one takes %v, eight times as long a one %v", name, a, b)
}

// Many sessions are counted in linear time.
func TestStatsAreLinear(t *testing.T) {
	race.Skip(t)
	long := func(n int) progress.PlanEvents {
		p := progress.PlanEvents{Plan: "p"}
		for i := range n {
			id := []string{fmt.Sprintf("s%d", i)}
			p.Events = append(p.Events,
				journal.Event{Kind: journal.Started, By: journal.ByAgent, Steps: id}, journal.Event{Kind: journal.Failed, By: journal.ByAgent, Steps: id},
				journal.Event{Kind: journal.Blocked, By: journal.ByAgent, Steps: id, Question: true}, journal.Event{Kind: journal.Edited, By: journal.ByPerson})
		}
		return p
	}
	few, many := []progress.PlanEvents{long(1000)}, []progress.PlanEvents{long(8000)}
	linearly(t, "stats", func() { progress.Measure(few) }, func() { progress.Measure(many) })
}

// TestLinearUpTo measures each text at half of LINEAR bytes and at LINEAR: twice the text may take 2.3 times
// the time. It prints a table, the worst first.
func TestLinearUpTo(t *testing.T) {
	size, err := strconv.Atoi(os.Getenv("LINEAR"))
	if err != nil {
		t.Skip("LINEAR=1048576 measures texts of that many bytes")
	}
	type row struct {
		ratio float64
		line  string
	}
	const most, tries = 2.3, 8 // the minimum of several, since other programs run
	var rows []row
	for _, op := range operations {
		for _, g := range growing {
			name := op.name + " of " + g.name
			if !strings.HasPrefix(name, os.Getenv("LINEAR_ONLY")) {
				continue
			}
			half, whole := []byte(g.text(size/2)), []byte(g.text(size))
			a, b := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
			for try := 0; try == 0 || try < tries && b.Seconds() > most*a.Seconds(); try++ {
				a, b = min(a, processorTime(func() { op.do(half) })), min(b, processorTime(func() { op.do(whole) }))
			}
			ratio := b.Seconds() / max(a.Seconds(), 1e-4)
			rows = append(rows, row{ratio, fmt.Sprintf("%5.2f  %8.3fs  %s", ratio, b.Seconds(), name)})
			t.Log(rows[len(rows)-1].line)
			if ratio > most {
				t.Errorf("%s: twice the text takes %.1f times the time", name, ratio)
			}
		}
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(b.ratio, a.ratio) })
	for _, r := range rows {
		fmt.Println(r.line)
	}
}

// operations are applied to the texts, each beside a parse.
var operations = []struct {
	name string
	long bool // for LINEAR only
	do   func(text []byte)
}{
	{"parse", false, func(text []byte) { _, _ = plan.Parse(text) }},
	{"import", false, func(text []byte) { _, _ = form.Import("", text, "") }},
	{"lint", false, lintAlone},
	{"use", true, usePlan},
	{"export", true, func(text []byte) {
		for _, kind := range []form.Form{form.JSON, form.Ralphex, form.Queue} {
			_, _ = form.Export(text, kind)
		}
	}},
	{"forced import", true, func(text []byte) {
		for _, kind := range []form.Form{form.Checklist, form.SpecKit, form.OpenSpec, form.Ralphex} {
			_, _ = form.Import("", text, kind)
		}
	}},
}

func lintAlone(text []byte) {
	p, _ := plan.ParseAll(text)
	if p == nil {
		return
	}
	yes := func(string) bool { return true }
	lint.Weaknesses(p, lint.Surroundings{Exists: func(string) bool { return false }, Finds: yes, Agent: yes})
}

// usePlan does what commands do with a plan.
func usePlan(text []byte) {
	p, err := plan.Parse(text)
	if err != nil {
		return
	}
	p.Digest()
	pr := progress.From(p, nil, nil, nil)
	_ = progress.Graph(p, pr)
	_, _ = pr.Next(p)
	checkout.EventsOfEdit(p, p, pr)
	_, _ = plan.FillIDs(text)
	_, _ = plan.SetStatus(text, p.Steps[len(p.Steps)-1].ID, plan.StepStatus{Word: "blocked", Reason: "x"})
	_, _ = share.Outlined(text)
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

// Two versions of a long plan are merged in linear time, also if a single step has all the boxes.
func TestMergesAreLinear(t *testing.T) {
	race.Skip(t)
	merge := func(text string) func() {
		v := share.Versions{Base: []byte(text), Ours: []byte(strings.Replace(text, "# T", "# U", 1)), Theirs: []byte(text + "\n## End\nx\n")}
		return func() {
			if _, _, err := share.MergeText(v, share.Neither, func(string) share.Side { return share.Neither }); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, unit := range []string{"- [ ] a\n", "  - [ ] b\n", "  - Do: b\n"} {
		text := func(n int) string { return ownHead + "- [ ] a\n" + strings.Repeat(unit, n) }
		linearly(t, "merge of "+unit, merge(text(500)), merge(text(4000)))
	}
}

// Steps whose sessions ended just before they were ticked are found done without a walk through the whole
// history for each.
func TestManyHealedStepsAreLinear(t *testing.T) {
	race.Skip(t)
	derive := func(count int) func() {
		pl := &plan.Plan{ID: "p"}
		var events []journal.Event
		var commits []git.Commit
		oid := func(i int) string { return fmt.Sprintf("%040d", i+1) }
		for i := range count {
			id := fmt.Sprintf("s%d", i)
			pl.Steps = append(pl.Steps, plan.Step{ID: id})
			commits = append([]git.Commit{{OID: oid(i), Parents: []string{oid(i - 1)}, Message: "x\n\nPlan-Step: p/" + id + "\n"}}, commits...)
			events = append(events, journal.Event{Kind: journal.Checked, Steps: []string{id}, Head: oid(i - 1)})
		}
		return func() {
			if p := progress.From(pl, events, commits, nil); p.Done != count {
				t.Fatalf("%d of %d steps are done", p.Done, count)
			}
		}
	}
	linearly(t, "checked steps", derive(250), derive(2000))
}
