package lint

import (
	"slices"
	"testing"

	"github.com/git-plan/git-plan/gitplan/plan"
)

func TestReasonsForAMissingCheck(t *testing.T) {
	for check, want := range map[string]bool{
		"`go test`":              false,
		"it works":               true,
		"`go test` and `go vet`": true,
		"`go test ./...":         true,
	} {
		p, err := plan.Parse([]byte("# P\n\n## Steps\n\n- [ ] Add it {#a}\n  - Check: " + check + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		found, never := Weaknesses(p, Surroundings{Finds: func(string) bool { return true }}), func(w plan.Weakness) bool { return w.Rule == "no-check" }
		if got := slices.ContainsFunc(found, never); got != want {
			t.Errorf("%s: %v, want %v", check, got, want)
		}
	}
}
