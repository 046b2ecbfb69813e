//go:build unix

package gitplan

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Eight times as long a text takes at most sixteen times the processor's time, whatever
// it consists of: what grows with the square takes 64 times it. It is processor time and
// the least of several runs, so that a busy machine changes nothing.
func TestLinearInTheText(t *testing.T) {
	withoutRace(t)
	const small, factor, most = 16 << 10, 8, 16
	for name, do := range map[string]func(text []byte){
		"lint": lintAlone,
	} {
		for _, g := range growing {
			short, long := []byte(g.text(small)), []byte(g.text(factor*small))
			a, b := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
			for try := 0; try == 0 || b > most*max(a, 100*time.Microsecond) && try < 6; try++ {
				a, b = min(a, processorTime(short, do)), min(b, processorTime(long, do))
			}
			if b > most*max(a, 100*time.Microsecond) {
				t.Errorf("%s of %s: %d bytes take %v, %d take %v", name, g.name, len(short), a, len(long), b)
			}
		}
	}
}

func lintAlone(text []byte) {
	plan, _ := parseAll(text)
	if plan == nil {
		return
	}
	yes := func(string) bool { return true }
	lint(plan, surroundings{exists: func(string) bool { return false }, finds: yes, agent: yes, window: 1 << 17, prompt: Prompts{}.StepSize(plan, "", 4000)})
}

func processorTime(text []byte, do func([]byte)) time.Duration {
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	used := func() time.Duration {
		var u syscall.Rusage
		_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	began := used()
	do(text)
	return used() - began
}

// grows is a way in which a text can be long: a head, and as many pieces as its size takes.
type grows struct {
	name string
	unit func(i int) string // the i-th piece
	head string
	tail string
}

const ownHead = "# T\n\n## Steps\n"

var growing = []grows{
	{name: "steps", head: ownHead, unit: func(i int) string {
		return fmt.Sprintf("- [ ] **Step number %d** {#step-%d}\n  - Files: `src/a%d.go`, `src/b%d.go`\n  - Do: change it\n  - Check: `./x%d.sh`; it says so\n", i, i, i, i, i)
	}},
	{name: "modify", head: ownHead, unit: func(i int) string {
		return fmt.Sprintf("- [ ] Step number %d\n  - Files: `src/a%d.go`\n  - Action: modify\n", i, i)
	}},
	{name: "tiny steps", head: ownHead, unit: func(i int) string { return fmt.Sprintf("- [ ] a%d\n", i) }},
	{name: "needs of 300", head: ownHead, unit: func(i int) string {
		var b strings.Builder
		fmt.Fprintf(&b, "- [ ] a {#s%d}\n  - Needs: none", i)
		if i > 0 {
			b.Reset()
			fmt.Fprintf(&b, "- [ ] a {#s%d}\n  - Needs: ", i)
			for n := max(0, i-300); n < i; n++ {
				fmt.Fprintf(&b, "#s%d, ", n)
			}
		}
		return b.String() + "\n"
	}},
	{name: "far needs", head: ownHead + "- [ ] a {#s0}\n", unit: func(i int) string {
		return fmt.Sprintf("- [ ] a {#s%d}\n  - Needs: #s%d\n", i+1, i/2)
	}},
	{name: "sections", head: ownHead + "- [ ] a\n", unit: func(i int) string { return fmt.Sprintf("## S%d\nx\n", i) }},
}

func (g grows) text(size int) string {
	var b strings.Builder
	b.WriteString(g.head)
	i := 0
	for ; b.Len() < size; i++ {
		b.WriteString(g.unit(i))
	}
	b.WriteString(strings.ReplaceAll(g.tail, "%END", fmt.Sprintf("s%d", i)))
	return b.String()
}
