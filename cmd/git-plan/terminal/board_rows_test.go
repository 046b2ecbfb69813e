package terminal

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/git-plan/git-plan/gitplan/journal"
)

// Of more steps at work than there are rows the first are shown and the others counted; what
// happened in them shares what is left.
func TestManyStepsAtWorkFitTheScreen(t *testing.T) {
	at := time.Date(2026, 1, 2, 10, 0, 0, 0, time.UTC)
	for steps, want := range map[int]map[int]string{
		3: {
			2: "| a: A  0:00\n| 2 more at work\n",
			3: "| a: A  0:00\n| b: B  0:00\n| c: C  0:00\n",
			5: "| a: A  0:00\n| b: B  0:00\n  - b 3\n| c: C  0:00\n  - c 3\n",
			8: "| a: A  0:00\n  - a 3\n| b: B  0:00\n  - b 2\n  - b 3\n| c: C  0:00\n  - c 2\n  - c 3\n",
		},
		26: {
			1: "| a: A  0:00\n| 25 more at work\n", // of which the screen has the first
			4: "| a: A  0:00\n| b: B  0:00\n| c: C  0:00\n| 23 more at work\n",
		},
	} {
		var b board
		var all []string
		for i := range steps {
			all = append(all, string(rune('a'+i)))
		}
		for _, id := range all {
			b.add(journal.Notice{Time: at, Kind: journal.StepStart, Step: id, Steps: all, Text: strings.ToUpper(id)})
			for n := range 3 {
				b.add(journal.Notice{Time: at, Kind: journal.StepNote, Step: id, Text: fmt.Sprint(id, " ", n+1)})
			}
		}
		for room, want := range want {
			got := ""
			for _, r := range b.rows(at, room) {
				got += look{}.draw(r, 80, 0) + "\n"
			}
			if got != want {
				t.Errorf("%d steps in %d rows: %s", steps, room, cmp.Diff(want, got))
			}
		}
	}
}
