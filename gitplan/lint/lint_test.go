package lint

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/prompt"
)

// Each rule finds what it is for, and ignores lookalikes.
func TestLint(t *testing.T) {
	around := Surroundings{
		Exists: func(path string) bool { return path == "a.go" || path == "big.go" || path == "run.sh" },
		Finds:  func(program string) bool { return slices.Contains([]string{"go", "npm", "sh"}, program) },
		Agent:  func(name string) bool { return name == "mine" },
		Window: 1000,
	}
	const good = "- [ ] Add the flag -x {#a}\n  - Files: `b.go`\n  - Do: add it.\n  - Check: `go test ./...`\n"
	for _, c := range []struct{ step, want string }{
		{good, ""},
		{"- [ ] Add it {#a}\n  - Files: `a.go`\n  - Check: it works\n", "4 no-check"},
		{"- [ ] Add it {#a}\n  - Files: `a.go`\n  - Run: `go fmt`\n", ""},
		{"- [ ] Add it {#a}\n  - Check: `go test`\n", "4 no-files"},
		{"- [x] Add it {#a}\n", ""},
		{good + "  - Files: `sub/../../x`\n", "4 outside"},
		{good + "  - Files: `/etc/passwd`\n", "4 outside"},
		{good + "  - Files: `./sub/..hidden`, `~x`\n", ""},
		{good + "  - Files: `/tmp`\n", "4 outside"},
		{good + "  - Files: `/x.go`\n", "4 outside"},
		{good + "  - Estimate: 90\n", "4 too-long"},
		{good + "  - Estimate: 1.5 hours\n", "4 too-long"},
		{good + "  - Estimate: 1h30m\n", "4 too-long"},
		{good + "  - Estimate: 45 min\n", ""},
		{"- [ ] Change it {#a}\n  - Action: modify\n  - Files: `b.go`\n  - Check: `go test`\n", "4 missing-file"},
		{"- [ ] Change it {#a}\n  - Action: modify\n  - Files: `a.go`\n  - Check: `go test`\n", ""},
		{"- [ ] Add it {#b}\n  - Files: `b.go`\n  - Check: `go test`\n- [ ] Change it {#a}\n  - Action: modify\n  - Files: `b.go`\n  - Check: `go test`\n", ""},
		{"- [ ] Cut it {#a}\n  - Action: modify\n  - Files: `a.go`\n  - Files to create: `./b.go`\n  - Check: `go test`\n", ""},
		{good + "  - Check: `pytest -q`\n", "8 unknown-command"},
		{good + "  - Check: `! CGO_ENABLED=0 npm test`\n", ""},
		{good + "  - Check: `FLAGS=\"-a b\" pytest`; `$TOOL run`; `(cd x; pytest)`; `test -f a.go`\n", "8 unknown-command\n8 unknown-command"},
		{good + "  - Check: `./run.sh`\n", ""},
		{good + "  - Check: `./gone.sh`\n", "8 unknown-command"},
		{good + "  - Check: `sh gone.sh`; `sh -e gone.sh`; `sh a.go`; `go vet && sh gone.sh`; `sh gone`\n", "8 unknown-command"},
		{good + "\n  " + strings.Repeat("long ", 400) + "\n", "4 prompt"},
		{good + "  - Estimate: when it is done\n", ""},
		{good + "  - Ask: No.\n  - Action: read all of it first\n  - Agent: mine\n", ""},
		{good + "  - Ask: maybe\n  - Action: destroy\n", "8 form"},
		{good + "  - Agent: nobody\n", "4 no-agent"},
		{good + "  - Check: `true && pytest`; `make 2>&1 | npm x; (cd a; jest --all)`\n", "8 unknown-command\n8 unknown-command\n8 unknown-command"},
		{good + "  - Check: `. venv/bin/activate && pytest`; `go build -o app . && ./app 'a; b | c'`; `if true; then npm x; fi`\n", ""},
		{good + "- [ ] Use it {#b}\n  - Check: `go vet`\n\n## Bounds\n- Budget: 1 steps\n", "1 bounds\n8 no-files"},
		{good + "\n## Checks\n- `true; pytest`\n## Verification\n- `./gone.sh`\n- `./a.go`\n", "10 unknown-command\n12 unknown-command"},
		{"- [ ] Add it {#a}\n  - Files: `b.go`\n  - Check: it works\n## Checks\n- `go test`\n", "4 no-own-check"},
		{"- [ ] Add it {#a}\n  - Files: `b.go`\n  - Check: `go test`\n## Checks\n- `go test`\n", "4 no-own-check"},
		{"- [ ] Log it {#a}\n  - Files: `few/*.go`\n  - Do: write a line in every handler of it.\n  - Check: `go test`\n", ""},
		{good + "  - For: R1, D2\n## Requirements\n- R1: log in\n- **FR-002** log out\n- [ ] R3. time out\n- a word\n", "4 requirement\n11 requirement\n12 requirement"},
		{good + "\n## Requirements\n- only words\n", ""},
		{good + "  - For: D1\n- [ ] Log b {#b}\n  - For: (R1)\n  - Run: `true`\n## Requirements\n1. R1 - log in\n", "4 requirement\n4 serves-nothing"},
		{good + "- Check: `true`\n", "8 form"},
		{good + "- a note: beside\n", ""},
		{good + "\n## Verification\n- it is good\n", "10 no-verification"},
		{good + "\n## Verification\n- `true =< 120`\n", "10 proves-nothing"},
		{good + "\n## Verification\n- it is good\n- `true`\n## Task\nThe task.\n## Roles\n## Test\n## Edge cases\n", ""},
		{good + "\n## Checks\n- `true`\n## Verification\n- it is good\n", ""},
		{good + "\n## Verificaton\n- `true`\n## Bonds\n- Budget: 3 steps\n", "9 form\n11 form"},
	} {
		p, err := plan.Parse([]byte("# P\n\n## Steps\n" + c.step))
		if err != nil {
			t.Fatalf("%v\n%s", err, c.step)
		}
		var got []string
		for _, w := range Weaknesses(p, around) {
			got = append(got, fmt.Sprint(w.Line, " ", w.Rule))
			if w.Rule != "form" && w.Fix == "" {
				t.Errorf("%s does not say how to fix it", w.Rule)
			}
		}
		if strings.Join(got, "\n") != c.want {
			t.Errorf("got %q, want %q for\n%s", got, c.want, cutText(c.step, 400))
		}
	}
}

func cutText(s string, max int) string { return s[:min(len(s), max)] }

// Templates that are complete examples have no weaknesses.
func TestExampleTemplatesAreClean(t *testing.T) {
	yes := func(string) bool { return true }
	for _, name := range []string{"library", "service", "frontend"} {
		text, ok := prompt.PlanTemplate(name)
		p, err := plan.Parse([]byte(text))
		if err != nil || !ok {
			t.Fatalf("%s: %v", name, err)
		}
		for _, w := range Weaknesses(p, Surroundings{Exists: yes, Finds: yes, Agent: yes}) {
			t.Errorf("%s, line %d: %s: %s", name, w.Line, w.Rule, w.Text)
		}
	}
}
