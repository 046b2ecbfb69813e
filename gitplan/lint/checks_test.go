package lint

import (
	"testing"

	"github.com/git-plan/git-plan/gitplan/plan"
)

func TestWhyNoCommandChecksAStep(t *testing.T) {
	const none = "no command checks that it is done"
	for check, want := range map[string]string{
		"`go test`":              "",
		"it works":               none,
		"`go test` and `go vet`": none,
		"`go test ./...":         none,
	} {
		p, err := plan.Parse([]byte("# P\n\n## Steps\n\n- [ ] Add it {#a}\n  - Check: " + check + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got := withoutCheck(&p.Steps[0], Surroundings{}); got != want {
			t.Errorf("%s: %q, want %q", check, got, want)
		}
	}
}
