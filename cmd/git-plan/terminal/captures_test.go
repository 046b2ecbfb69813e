package terminal

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/git-plan/git-plan/gitplan/journal"
)

var update = flag.Bool("update", false, "write the captures in testdata/terminal again")

func terminalData(name string) string {
	return filepath.Join("..", "..", "..", "testdata", "terminal", name)
}

// reported are the notices of a run, from a file.
func reported(tb testing.TB, name string) []journal.Notice {
	tb.Helper()
	f, err := os.Open(terminalData(name))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	var out []journal.Notice
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var n journal.Notice
		if err := json.Unmarshal(lines.Bytes(), &n); err != nil {
			tb.Fatal(err)
		}
		out = append(out, n)
	}
	return out
}

// sixty are the steps of that run's plan: the first 26 are done, and each later one needs the
// one above it.
func sixty() []Step {
	steps := make([]Step, 60)
	for i := range steps {
		steps[i] = Step{ID: fmt.Sprintf("s%d", i+1), Title: fmt.Sprintf("Step number %d", i+1), Open: i >= 26}
	}
	steps[26].ID, steps[26].Title = "budget-lines", "Read budget lines"
	steps[27].ID, steps[27].Title = "wide", "月間予算を超えたカテゴリを警告する"
	for i := 28; i < len(steps); i++ {
		steps[i].Needs = []string{steps[i-1].ID}
	}
	return steps
}

// runs are those whose rows are captured, by what the names of the captures begin with: one in
// which everything happens, and one with several steps at work.
var runs = map[string]struct {
	notices string
	steps   func() []Step
}{"": {"notices.jsonl", sixty}, "jobs-": {"notices-jobs.jsonl", nine}}

// nine are the steps of a plan whose first six do not need each other.
func nine() []Step {
	var steps []Step
	for _, name := range []string{"parse", "print", "store", "docs", "cli", "wide", "join", "check", "release"} {
		steps = append(steps, Step{ID: name, Title: "Write " + name, Open: true})
	}
	steps[5].Title = "月間予算を超えたカテゴリを警告する"
	steps[6].Needs, steps[7].Needs, steps[8].Needs = []string{"parse", "print"}, []string{"join"}, []string{"check", "docs"}
	return steps
}

// captures are all frames of a run, one after the other: what is final as it
// comes, and what changes behind "> " wherever that differs. 200 ms pass
// between a notice and its frame.
func captures(tb testing.TB, run string, l look, width int) string {
	var b board
	b.know(runs[run].steps())
	var out strings.Builder
	before := ""
	for _, n := range reported(tb, runs[run].notices) {
		b.add(n)
		now := n.Time.Add(200 * time.Millisecond)
		for _, r := range b.take() {
			out.WriteString(l.draw(r, width, 0) + "\n")
		}
		frame := ""
		beat := int(now.Sub(b.began) / frameTime)
		lines := l.fit(b.rows(now, 23), width-2, beat, 23)
		for _, line := range append(lines, l.fit(b.ahead(23-len(lines)), width-2, beat, 23)...) {
			frame += "> " + line + "\n"
		}
		if frame != before {
			out.WriteString(frame)
		}
		before = frame
	}
	return out.String() + b.summary(b.began.Add(time.Hour)) + "\n"
}

// What is shown is what the captures have, at three widths, with colours,
// without, and without Unicode; and nothing that is redrawn reaches the last
// column, behind which terminals wrap.
func TestTheRowsOfARun(t *testing.T) {
	for run := range runs {
		for name, l := range map[string]look{"": {unicode: true}, "-color": {color: true, unicode: true}, "-ascii": {}} {
			for _, width := range []int{40, 80, 120} {
				asCaptured(t, terminalData(fmt.Sprintf("%s%d%s.txt", run, width, name)), captures(t, run, l, width), l, width)
			}
		}
	}
}

func asCaptured(t *testing.T, file, got string, l look, width int) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", file, d)
	}
	if l.color {
		return
	}
	if strings.Contains(got, "\x1b") {
		t.Errorf("%s: what others say drives the terminal", file)
	}
	for _, line := range strings.Split(got, "\n") {
		if strings.HasPrefix(line, "> ") && columns(line) >= width {
			t.Errorf("%s: %d columns: %s", file, columns(line), line)
		}
		if !l.unicode && strings.ContainsFunc(line, func(r rune) bool { return r > '~' }) {
			t.Errorf("%s: not ASCII: %s", file, line)
		}
	}
}
