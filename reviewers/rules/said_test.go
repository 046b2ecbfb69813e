package rules

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// A character that nobody sees takes no credential apart: it is taken out later, and
// what is left would be the credential.
func TestWhatNobodySeesHidesNoCredential(t *testing.T) {
	d := &drawer{Rand: rand.New(rand.NewPCG(3, 4))}
	token := d.fill("ghp_{alnum:36}", "")
	for _, hidden := range []string{"\u200b", "\u00ad", "\U000e0061", "\x1b"} {
		for _, at := range []int{2, 12, 25, len(token) - 1} {
			got := Mask("it is " + token[:at] + hidden + token[at:] + ", really")
			if got != "it is [redacted], really" {
				t.Errorf("%q at %d: %q", hidden, at, got)
			}
		}
	}
	if plain := "a fami\u200bly"; Mask(plain) != plain {
		t.Error("a text without credentials is changed")
	}
	if both := token + " \u200b"; strings.Contains(Mask(both), token) {
		t.Error(Mask(both))
	}
}
