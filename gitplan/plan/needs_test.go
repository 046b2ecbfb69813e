package plan

import (
	"strings"
	"testing"
)

// Steps that could run at once are in one wave.
func TestOrderOfSteps(t *testing.T) {
	p, err := Parse([]byte("# T\n\n## Steps\n" +
		"- [ ] a {#a}\n  - Estimate: 10\n- [ ] b {#b}\n  - Estimate: 5\n- [ ] c {#c}\n  - Needs: #a\n  - Estimate: 60\n- [ ] d {#d}\n  - Needs: #b, #c\n- [ ] e {#e}\n  - Needs: none\n- [ ] f {#f}\n  - Needs: #e\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ without, want string }{
		{"", "a e | b c f | d"},
		{"c", "a e | b f | d"},
		{"abcdef", ""},
	} {
		fit := func(s *Step) bool { return !strings.Contains(c.without, s.ID) }
		var waves []string
		for _, w := range p.Waves(fit) {
			var ids []string
			for _, s := range w {
				ids = append(ids, s.ID)
			}
			waves = append(waves, strings.Join(ids, " "))
		}
		if got := strings.Join(waves, " | "); got != c.want {
			t.Errorf("without %q: %s, want %s", c.without, got, c.want)
		}
	}
}
