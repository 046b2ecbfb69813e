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
		if len(d.Tokens[f.name]) == 0 {
			t.Errorf("tokens.txt does not say what a %s looks like", f.name)
		}
		for _, form := range d.Tokens[f.name] {
			for range 400 {
				m := f.pattern().FindStringSubmatch(d.Fill(form, ""))
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

// A word that was typed makes a placeholder, in any case but the mixed one of a token; in long values it has to be a part.
func TestTypedWordsMakePlaceholders(t *testing.T) {
	long := "4kT9wQz7Lm2Xv8Rb1Nc6Hy3Jd5Gf0Ps4UaWe4kT9wQz7"
	for value, want := range map[string]bool{
		"4kT9wQz7dummyLm2Xv8Rb": true, "4kT9wQz7SAMPLEm2Xv8Rb": true, "4kT9wQz7-Fake-2Xv8Rb": true, "4kT9wQz7fAkELm2Xv8Rb": false,
		long + "fake": false, long + "-fake": true, long + "example": true, long: false,
	} {
		if got := Placeholder(value, ""); got != want {
			t.Errorf("%s: %v", value, got)
		}
	}
}
