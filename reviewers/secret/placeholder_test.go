package secret

import (
	"testing"

	"github.com/git-plan/git-plan/testdata/drawn"
)

// A randomly issued token is hardly ever taken for a placeholder.
func TestRandomTokensAreNotPlaceholders(t *testing.T) {
	d := drawn.New(t, 1, 2)
	typed, all := 0, 0
	for i := range families() {
		f := &families()[i]
		if len(d.Tokens[f.name]) == 0 && !f.spans {
			t.Errorf("tokens.txt does not say what a %s looks like", f.name)
		}
		for _, form := range d.Tokens[f.name] {
			for range 400 {
				m := f.pattern.FindStringSubmatch(d.Fill(form, ""))
				if all++; m != nil && Placeholder(m[len(m)-1], f.secretPart(m[len(m)-1])) {
					typed++
				}
			}
		}
	}
	if typed*20000 > all {
		t.Errorf("%d of %d", typed, all)
	}
}
