package runner

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/testdata/repository"
)

// If a check fails without a variable of the person's, the message names the variable.
func TestWithheldVariablesAreNamed(t *testing.T) {
	t.Chdir(repository.New(t))
	c, err := checkout.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	t.Setenv("DATABASE_URL", "x")
	t.Setenv("UNRELATED", "x")
	for env, want := range map[string]string{"sessions": " (sessions are not given DATABASE_URL; see plan.passEnv)", "persons": ""} {
		checks := Checks{Dir: c.Repo.Top, Env: c.Config.Environment(nil), On: func(journal.Notice) {}}
		if env == "persons" {
			checks.Env = c.Config.PersonsEnvironment()
		}
		var f *CheckFailure
		if err := checks.Run(t.Context(), []string{`echo "DATABASE_URL is ${DATABASE_URL:-not set}"; exit 1`}); !errors.As(err, &f) || f.Denied != want {
			t.Errorf("%s: %v", env, err)
		}
	}
}

// The reason for a failed check includes withheld variables, and files that it saw differently from the work
// tree.
func TestReasonsOfFailedChecks(t *testing.T) {
	exit := proc.Exit{Code: 2}
	for want, f := range map[string]CheckFailure{
		"`make` exited with 2":                                                {Exit: exit},
		"`make` exited with 2: last":                                          {Exit: exit, Output: "first\nlast"},
		"`make` did not end within plan.checkTimeout, 1s":                     {Exit: proc.Exit{TimedOut: true}, Wrong: outOfTime(time.Second)},
		"`make` exited with 2 (sessions are not given KEY; see plan.passEnv)": {Exit: exit, Denied: " (sessions are not given KEY; see plan.passEnv)"},
		"`make` exited with 2 (no commit has x: git ignores it, hides it or does not track it, or it is an empty folder; so it was as before the session)": {Exit: exit, Uncommitted: []string{"x"}},
	} {
		f.Command = "make"
		if got := f.Error(); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// A watcher sees each command begin and end; a person's checks print their whole output.
func TestChecksAreReported(t *testing.T) {
	w := newWorld(t)
	checks := w.site.PersonsChecks("verify", journal.Notice{Step: "a"})
	if err := checks.Run(t.Context(), []string{"true", "seq 20; exit 3", "true"}); err == nil {
		t.Fatal("it failed")
	}
	var events []string
	for _, n := range w.notices {
		events = append(events, n.Kind+" "+n.Command+" "+n.Step)
	}
	want := []string{"check.start true a", "check.end true a", "check.start seq 20; exit 3 a", "check.end seq 20; exit 3 a"}
	if !slices.Equal(events, want) || !strings.HasPrefix(w.notices[3].Text, "1\n2\n") {
		t.Errorf("%q %q", events, w.notices[len(w.notices)-1].Text)
	}
	short := w.site.Checks("verify", journal.Notice{}, nil)
	_ = short.Run(t.Context(), []string{"seq 20; exit 3"})
	w.says(w.notices[len(w.notices)-1].Text, "20")
	if strings.Contains(w.notices[len(w.notices)-1].Text, "\n10\n") {
		t.Error("all of it")
	}
}

// The compared number is what the command itself printed on standard output, if it passed: no count of git
// plan's, and no number on standard error.
func TestComparedNumber(t *testing.T) {
	for command, number := range map[string]string{
		"echo 1,050 # >= 1": "1050", "echo 5; echo 9 >&2 # >= 1": "5", "echo 5; exit 3 # >= 1": "", "echo 20000000 # >= 1": "20000000",
		"echo 3; head -c 400000 /dev/zero | tr '\\0' x # >= 1": "", "head -c 400000 /dev/zero | tr '\\0' x; echo 'y 4' # >= 1": "4",
	} {
		var got Ended
		err := Checks{Dir: t.TempDir(), On: func(journal.Notice) {}, Keep: func(e Ended) { got = e }}.Run(t.Context(), []string{command})
		if got.Number != number || (err == nil) != (number != "") {
			t.Errorf("%s: %q, %v", command, got.Number, err)
		}
	}
}
