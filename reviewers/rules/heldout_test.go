package rules

import (
	"slices"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/testdata/drawn"
)

// TestHeldOut checks changes that no rule was written for: ways to cheat that were found in use, each of
// which one of its rules must find, and harmless changes that look like some, none of which may be blocked
// and few reported.
func TestHeldOut(t *testing.T) {
	found := func(s *seed) []Hit {
		d := &drawer{drawn.New(t, 1, 1)}
		return Find(d.make(s).change, All())
	}
	for _, s := range seedsIn(t, "../../testdata/rules/heldout/defects.txt", "") {
		hits := found(s)
		if !slices.ContainsFunc(hits, func(h Hit) bool { return slices.Contains(s.also, h.Rule) }) {
			t.Errorf("%s: none of %s, but %s", s.title, strings.Join(s.also, ", "), rulesOf(hits))
		}
	}
	harmless, remarked := seedsIn(t, "../../testdata/rules/heldout/harmless.txt", ""), []string{}
	for _, s := range harmless {
		hits := found(s)
		for _, h := range hits {
			if !h.NonBlocking && (h.Severity == "critical" || h.Severity == "high") {
				t.Errorf("%s is blocked by %s, line %d: %s", s.title, h.Rule, h.Line, h.Title)
			}
		}
		if hits = slices.DeleteFunc(hits, func(h Hit) bool { return slices.Contains(s.also, h.Rule) }); len(hits) > 0 {
			remarked = append(remarked, s.title+": "+rulesOf(hits))
		}
	}
	if most := len(harmless) / 10; len(harmless) < 60 || len(remarked) > most {
		t.Errorf("of %d harmless changes %d are remarked on, and at most %d may be:\n%s", len(harmless), len(remarked), most, strings.Join(remarked, "\n"))
	}
}

func rulesOf(hits []Hit) string {
	var names []string
	for _, h := range hits {
		names = append(names, h.Rule)
	}
	return strings.Join(names, ", ")
}
