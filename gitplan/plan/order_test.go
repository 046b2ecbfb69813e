package plan

import (
	"fmt"
	"strings"
	"testing"
)

// Steps that could be done at once are in one wave, and the longest chain is weighed by estimates.
func TestTheOrderOfSteps(t *testing.T) {
	p, err := Parse([]byte("# T\n\n## Steps\n" +
		"- [ ] a {#a}\n  - Estimate: 10\n- [ ] b {#b}\n  - Estimate: 5\n- [ ] c {#c}\n  - Needs: #a\n  - Estimate: 60\n- [ ] d {#d}\n  - Needs: #b, #c\n- [ ] e {#e}\n  - Needs: none\n- [ ] f {#f}\n  - Needs: #e\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ without, want string }{
		{"", "a e | b c f | d; a c d: 95"},
		{"c", "a e | b f | d; a b d: 0"},
		{"abcdef", "; : 0"},
	} {
		fit := func(s *Step) bool { return !strings.Contains(c.without, s.ID) }
		var waves, way []string
		for _, w := range p.Waves(fit) {
			var ids []string
			for _, s := range w {
				ids = append(ids, s.ID)
			}
			waves = append(waves, strings.Join(ids, " "))
		}
		steps, minutes := p.LongestWay(fit)
		for _, s := range steps {
			way = append(way, s.ID)
		}
		if got := fmt.Sprintf("%s; %s: %d", strings.Join(waves, " | "), strings.Join(way, " "), minutes); got != c.want {
			t.Errorf("without %q: %s, want %s", c.without, got, c.want)
		}
	}
}
