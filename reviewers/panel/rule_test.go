package panel

import (
	"slices"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/reviewers/finding"
)

const steps = "# P\n\n## Checks\n\n- `make`\n\n## Steps\n\n- [ ] One {#one}\n  - Action: delete\n  - Files: `a.txt`\n  - Check: `test -f b`; a word\n" +
	"- [ ] Two {#two}\n  - Run: `true`\n- [ ] Three {#three}\n  - Check: `make`\n\n## Verification\n\n- `make all`\n"

func parsed(t *testing.T) *plan.Plan {
	t.Helper()
	p, err := plan.Parse([]byte(steps))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The rules know the commands of all steps of a plan.
func TestTheChecksOfAPlan(t *testing.T) {
	p := parsed(t)
	if got := ChecksOf(p); !slices.Equal(got, []string{"make", "make all", "test -f b"}) || ChecksOf(nil) != nil {
		t.Errorf("%q", got)
	}
}

// A step whose commit is in the base is not reviewed, and that is reported.
func TestStepInTheBaseIsReported(t *testing.T) {
	b, to := change(t)
	to.Plan = parsed(t)
	to.Progress = &progress.Progress{Steps: map[string]progress.StepState{
		"one": {State: progress.StateDone, Commit: b.Git("rev-parse", "main")}, "two": {State: progress.StateDone, Commit: b.Git("rev-parse", "HEAD")},
	}}
	log, err := b.Repo.Log(t.Context(), "main..HEAD")
	if err != nil {
		t.Fatal(err)
	}
	to.Commits = log
	r := ApplyRules(t.Context(), to)
	at := slices.IndexFunc(r.Findings, func(f finding.Finding) bool { return f.Rule == "step-in-base" })
	if at < 0 || !strings.HasSuffix(r.Findings[at].Title, ": one") || !r.Findings[at].NonBlocking || r.Findings[at].Remedy != "ask" {
		t.Errorf("%+v", r)
	}
	to.Base = strings.Repeat("0", 40)
	to.Diff = &git.Diff{Files: []git.FileDiff{{Path: "x", Cut: true}}}
	if r := ApplyRules(t.Context(), to); r.Incomplete == "" {
		t.Errorf("what could not be read is judged: %+v", r)
	}
}

// The title of a file's change says what kind of change it is.
func TestTitleOfAChangedFile(t *testing.T) {
	for want, f := range map[string]git.FileDiff{
		"=== a (added)":                 {Path: "a", Status: 'A'},
		"=== a (added) (executable)":    {Path: "a", Status: 'A', NewMode: "100755"},
		"=== a (deleted)":               {Path: "a", Status: 'D'},
		"=== a (renamed from b)":        {Path: "a", OldPath: "b", Status: 'R'},
		"=== a (copied from b)":         {Path: "a", OldPath: "b", Status: 'C'},
		"=== a (mode 100644 to 100755)": {Path: "a", Status: 'M', OldMode: "100644", NewMode: "100755"},
		"=== a (a submodule: only the name of its commit is here)":            {Path: "a", Status: 'M', NewMode: "160000"},
		"=== a (type changed) (a symbolic link: the text is where it points)": {Path: "a", Status: 'T', NewMode: "120000"},
	} {
		if got := titleOf(&f); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
