package lint

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/form"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/testdata/texts"
	"github.com/git-plan/git-plan/testdata/world"
)

const good = "- [ ] **One** {#one}\n  - Files: `a.txt`\n  - Check: `test -f a.txt`\n"

// desk is a world with a checkout whose plans are linted.
type desk struct {
	*world.World
	*checkout.Checkout
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	w := world.New(t)
	w.Agent("m", "true")
	return again(w)
}

// again is the desk as the next command finds it.
func again(w *world.World) *desk { return &desk{World: w, Checkout: w.Open().Checkout} }

// found are the rules that match a text, each with its line.
func (d *desk) found(text string) string {
	d.Helper()
	weak, err := Plan(d.Context(), d.Checkout, []byte(text))
	d.Fine(err)
	return rulesOf(weak)
}

func rulesOf(weak []plan.Weakness) string {
	var out []string
	for _, w := range weak {
		out = append(out, fmt.Sprint(w.Line, " ", w.Rule))
	}
	return strings.Join(out, ", ")
}

// A plan is linted against the work tree: its files, ignored files, its agents.
func TestPlanIsLintedAgainstTheWorkTree(t *testing.T) {
	d := newDesk(t)
	d.Commit(".gitignore", "*.log\n")
	d.Write("here.sh", "true\n")
	for fields, want := range map[string]string{
		"  - Files: `README`\n  - Action: modify\n":     "",
		"  - Files: `gone.txt`\n  - Action: modify\n":   "5 missing-file",
		"  - Files: `a.log`\n":                          "5 ignored",
		"  - Files: `README`\n  - Agent: m\n":           "",
		"  - Files: `README`\n  - Agent: nobody\n":      "5 no-agent",
		"  - Files: `README`\n  - Check: `./here.sh`\n": "",
		"  - Files: `README`\n  - Check: `./gone.sh`\n": "8 unknown-command",
	} {
		if got := d.found(texts.Steps("- [ ] Make a {#a}\n  - Check: `test -s README`\n" + fields + "\n## Checks\n\n- `true`\n")); got != want {
			t.Errorf("%q finds %q, want %q", fields, got, want)
		}
	}
	d.Write("AGENTS.md", strings.Repeat("Do this.\n", 4000)) // of which sessions read the beginning
	d.Fine(os.Symlink("/etc/hostname", filepath.Join(d.Checkout.Repo.Top, "CLAUDE.md")))
	if got := d.found(texts.Steps("- [ ] Make a {#a}\n  - Check: `test -s README`\n  - Files: `README`\n")); got != "1 prompt, 1 prompt" {
		t.Errorf("instructions that are not read: %q", got)
	}
}

// The errors of an invalid plan are reported together with its weaknesses.
func TestErrorsAndWeaknesses(t *testing.T) {
	d := newDesk(t)
	broken := texts.Steps("- [ ] One {#one}\n  - Run: it\n- [ ] Two {#two}\n  - Files: /etc/passwd\n")
	got, err := Plan(t.Context(), d.Checkout, []byte(broken))
	d.Fine(err)
	if rules := rulesOf(got); !strings.Contains(rules, "6 field") || !strings.Contains(rules, "7 no-check") || !strings.Contains(rules, "7 outside") {
		t.Errorf("it finds %s", rules)
	}
	if rules := d.found("\x00"); rules == "" {
		t.Error("a binary file has no errors")
	}
}

// Without a work tree there is nothing to lint a plan against.
func TestNothingToLintAgainst(t *testing.T) {
	d := newDesk(t)
	d.Repo.Top = ""
	_, err := Plan(t.Context(), d.Checkout, []byte(texts.Steps(good)))
	d.Refused(err, fault.ErrBare, "there is no work tree here")
}

// An imported plan is linted by its own lines.
func TestImportedPlanIsLinted(t *testing.T) {
	d := newDesk(t)
	in, err := form.Import("todo.md", []byte("# Todo\n\nSome words.\n\n- [ ] improve it\n- [ ] add `x.go`\n"), form.Checklist)
	d.Fine(err)
	weak, err := Imported(t.Context(), d.Checkout, in)
	d.Fine(err)
	if got := rulesOf(weak); !strings.Contains(got, "5 no-check") || !strings.Contains(got, "6 no-check") {
		t.Errorf("it finds %s", got)
	}
}

// A step may need what an earlier one makes, by name, in a folder, or by a glob.
func TestMadeByAStepAbove(t *testing.T) {
	steps := ""
	for i := range maxGlobs + 1 {
		steps += fmt.Sprintf("- [ ] s%d\n  - Files: `g%d/*.go`, `dir%d`, `./file%d`\n", i, i, i, i)
	}
	p, err := plan.Parse([]byte(texts.Steps(steps + "- [ ] last {#last}\n- [ ] more {#more}\n")))
	if err != nil {
		t.Fatal(err)
	}
	named := nameFiles(p)
	third, last := &p.Steps[2], &p.Steps[maxGlobs]
	for path, want := range map[string]bool{"g1/a.go": true, "g1/sub/a.go": false, "dir0/x/y": true, "file1": true, "file2": false, "g2/a.go": false, "other": false} {
		if named.before(third, path) != want {
			t.Errorf("%s is made above the third step: %t", path, !want)
		}
	}
	if named.before(last, "other") || !named.before(nil, "file2") {
		t.Error("a step names what none does, or no step what one does")
	}
}
