package plan

import (
	"strings"
	"testing"
)

// What a step needs comes before it.
func TestOrderOfSteps(t *testing.T) {
	p, err := Parse([]byte("# T\n\n## Steps\n" +
		"- [ ] a {#a}\n  - Estimate: 10\n- [ ] b {#b}\n  - Estimate: 5\n- [ ] c {#c}\n  - Needs: #a\n  - Estimate: 60\n- [ ] d {#d}\n  - Needs: #b, #c\n- [ ] e {#e}\n  - Needs: none\n- [ ] f {#f}\n  - Needs: #e\n"))
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, s := range p.Ordered() {
		ids = append(ids, s.ID)
	}
	if got := strings.Join(ids, " "); got != "a e b c f d" {
		t.Error(got)
	}
}
