package rules

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/testdata/drawn"
)

// The minimum number of cases for a rule. Each seed makes the same number. The short form, which every test
// run has, makes fewer.
const (
	defects   = 300
	negatives = 2000
	tokenWant = 6000 // defects of the rule about known formats: pooled over its families
	short     = 30   // the share of them: one in this many
)

// target is what a rule must reach on the corpus. The seeds include defects that a rule knowingly ignores, which lower
// the recall of one that only advises.
type target struct{ precision, recall float64 }

var targets = map[string]target{
	"secret":           {0.99, 0.98},
	"conflict-markers": {1, 1},
	"fixup-commit":     {0.99, 0.95},
}

func targetOf(r Rule) target {
	if t, ok := targets[r.Name]; ok {
		return t
	}
	if stopsByDefault(r) {
		return target{0.99, 0.95}
	}
	return target{0.90, 0.90}
}

// stopsByDefault reports whether hits of the rule block without configuration: plan.blockOn is "high".
func stopsByDefault(r Rule) bool {
	return r.Blocks && (r.Severity == "high" || r.Severity == "critical")
}

// score counts places: expected and found, not expected and found, expected and not found.
type score struct {
	hit, alarm, missed int
	bad, ok            int // cases
	alarms             map[string]int
	misses             map[string]int
}

func (s *score) precision() (float64, float64, float64) { return wilson(s.hit, s.hit+s.alarm) }
func (s *score) recall() (float64, float64, float64)    { return wilson(s.hit, s.hit+s.missed) }

// wilson is a share with its 95 % interval (Wilson's score).
func wilson(k, n int) (p, low, high float64) {
	if n == 0 {
		return 0, 0, 1
	}
	const z = 1.959964
	p, m := float64(k)/float64(n), float64(n)
	centre := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return p, max(centre-half, 0), min(centre+half, 1)
}

// TestCorpus measures every rule on the corpus against its target. RULES=full makes all cases and prints the
// table.
func TestCorpus(t *testing.T) {
	share := short
	if os.Getenv("RULES") == "full" {
		share = 1
	}
	seeds, tokens := readSeeds(t), drawn.Forms(t)
	var table strings.Builder
	fmt.Fprintf(&table, "%-20s %-6s %7s %7s  %-21s %-21s\n", "rule", "blocks", "defects", "others", "precision [95 %]", "recall [95 %]")
	for _, r := range All() {
		if len(seeds[r.Name]) == 0 {
			t.Errorf("%s has no corpus", r.Name)
			continue
		}
		s := measure(t, r, seeds[r.Name], tokens, share)
		p, plow, phigh := s.precision()
		q, qlow, qhigh := s.recall()
		blocks := ""
		if stopsByDefault(r) {
			blocks = "yes"
		}
		fmt.Fprintf(&table, "%-20s %-6s %7d %7d  %.3f [%.3f, %.3f]  %.3f [%.3f, %.3f]\n", r.Name, blocks, s.bad, s.ok, p, plow, phigh, q, qlow, qhigh)
		if want := targetOf(r); p < want.precision || q < want.recall {
			t.Errorf("%s: precision %.3f (must be %.2f), recall %.3f (must be %.2f)\n\tfalse alarms: %v\n\tmissed: %v",
				r.Name, p, want.precision, q, want.recall, s.alarms, s.misses)
		} else if share == 1 && len(s.alarms)+len(s.misses) > 0 {
			t.Logf("%s: false alarms: %v, missed: %v", r.Name, s.alarms, s.misses)
		}
	}
	for rule := range seeds {
		if !knownRule(rule) {
			t.Errorf("testdata/rules/%s.txt: there is no such rule", rule)
		}
	}
	if share == 1 {
		fmt.Print(table.String(), "Cases of one seed differ in names, places and tokens: read the intervals of few seeds with care.\n")
	}
}

func knownRule(name string) bool {
	for _, r := range All() {
		if r.Name == name {
			return true
		}
	}
	return false
}

// measure makes cases from the seeds of one rule and checks them with all rules: a blocking hit of another
// rule where none is expected is a false alarm, too.
func measure(t *testing.T, r Rule, seeds []*seed, tokens map[string][]string, share int) *score {
	s := &score{alarms: map[string]int{}, misses: map[string]int{}}
	d := &drawer{&drawn.Drawer{Rand: rand.New(rand.NewPCG(1, uint64(len(r.Name)))), Tokens: tokens}}
	kinds := map[bool]int{}
	for _, x := range seeds {
		kinds[x.bad]++
	}
	if kinds[true] == 0 || kinds[false] == 0 {
		t.Fatalf("%s: %d seeds of defects, %d others", r.Name, kinds[true], kinds[false])
	}
	for _, x := range seeds {
		want := negatives
		if x.bad {
			want = defects
			if r.Name == "secret" {
				want = tokenWant
			}
		}
		for range (want/share + kinds[x.bad] - 1) / kinds[x.bad] {
			s.judge(r, d.make(x))
		}
	}
	return s
}

func (s *score) judge(r Rule, m madeCase) {
	if m.seed.bad {
		s.bad++
	} else {
		s.ok++
	}
	found := map[string]bool{}
	for _, h := range Find(m.change, All()) {
		at := fmt.Sprintf("%s:%d", h.Path, h.Line)
		switch {
		case h.Rule == r.Name && !m.seed.bad && stopsByDefault(r) && !stops(h): // it is reported, and counts less
		case h.Rule != r.Name && (m.seed.bad || !stops(h) || slices.Contains(m.seed.also, h.Rule)):
		case h.Rule == r.Name && m.want[at]:
			if !found[at] {
				s.hit++
			}
			found[at] = true
		default:
			s.alarm++
			s.alarms[h.Rule+": "+m.seed.title+" ("+h.Quote+")"]++
		}
	}
	for at := range m.want {
		if !found[at] {
			s.missed++
			s.misses[m.seed.title]++
		}
	}
}

// stops reports whether a hit blocks without configuration.
func stops(h Hit) bool { return !h.NonBlocking && (h.Severity == "high" || h.Severity == "critical") }
