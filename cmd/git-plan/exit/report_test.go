package exit

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// An error is one line that says what is wrong, and one that says what to do.
func TestErrorsSayWhatIsWrongAndWhatToDo(t *testing.T) {
	parse := &plan.ParseError{Problems: []plan.Weakness{{Line: 3, Text: "no title"}}}
	for _, c := range []struct {
		err  error
		code int
		says string
	}{
		{nil, OK, ""},
		{&Ended{Code: Review}, Review, ""},
		{&Wrong{Text: "no such option", Command: "run"}, Usage, "error: no such option\nhint: git plan run -h\n"},
		{&Wrong{Text: "nothing was answered", Hint: "git plan answer s1 TEXT"}, Usage, "error: nothing was answered\nhint: git plan answer s1 TEXT\n"},
		{&Wrong{Text: "no command", Command: "git-plan"}, Usage, "error: no command\nhint: git plan -h\n"},
		{fmt.Errorf("read it: %w", &fs.PathError{Op: "stat", Path: "no.md", Err: fs.ErrNotExist}), Error, "error: read it: no.md: file does not exist\nhint: name a path that exists\n"},
		{errors.New("dark \x1b[2Jpowers"), Error, "error: dark \\u001b[2Jpowers\n"},
		{parse, Error, "error: " + parse.Error() + "\nhint: " + filled(fixPlan, nil) + "\n"},
		{fmt.Errorf("x.md: %w", parse), Error, "error: x.md: " + parse.Error() + "\nhint: " + filled(fixPlan, nil) + "\n"},
		{fault.New(fault.ErrBusy, "git plan run works on it"), Busy, "error: git plan run works on it\nhint: follow it: git plan log -f; or end it after the current step: git plan stop\n"},
		{fault.New(fault.ErrStopped, "stopped after s1"), Interrupted, "stopped after s1\nhint: continue where it stopped: the same command\n"},
		{&git.Error{Args: []string{"commit"}, Code: 128, Lock: ".git/index.lock"}, Busy, "rm .git/index.lock\n"},
		{&fault.Fault{Kind: git.ErrWouldHang, Path: "'/top/a pipe'"}, Error, "rm '/top/a pipe'; then: the same command\n"},
		{errors.Join(&Ended{Code: Step}, &Wrong{Text: "and this"}), Step, "error: and this\nhint: git plan -h\n"},
		{errors.Join(fault.New(fault.ErrStopped, "stopped"), errors.New("and that")), Interrupted, "stopped\nhint: continue where it stopped: the same command\nerror: and that\n"},
		{fmt.Errorf("%w\nwhat was typed is kept", errors.Join(errors.New("it ended"), nil)), Error, "error: it ended\nwhat was typed is kept\n"},
	} {
		var b strings.Builder
		if code := Report(&b, c.err); code != c.code || !strings.HasSuffix(b.String(), c.says) || c.says == "" && b.Len() > 0 {
			t.Errorf("%v: %d, and\n%s", c.err, code, b.String())
		}
	}
}

// The worst of several results counts: one that needs a person before a failed step, a stop before
// everything.
func TestWorstResultCounts(t *testing.T) {
	for want, codes := range map[int][]int{OK: nil, Review: {OK, Temporary, Review}, Person: {Step, Person, Busy}, Error: {Person, 99, OK}, Interrupted: {Error, Interrupted}} {
		if got := Worst(codes...); got != want {
			t.Errorf("%v: %d, want %d", codes, got, want)
		}
	}
	for code, want := range map[int]string{OK: "done", Step: "blocked", Review: "findings remain", Person: "waits for you", Temporary: "limited", Busy: "busy", Error: "failed"} {
		if got := Word(code); got != want {
			t.Errorf("%d: %s, want %s", code, got, want)
		}
	}
}

// Ctrl-C in a terminal may end a running git before anything else.
func TestGitThatIsInterrupted(t *testing.T) {
	var b strings.Builder
	code := Report(&b, fmt.Errorf("x: %w", &git.Error{Args: []string{"update-ref", "-"}, Code: 130}))
	if code != Interrupted || !strings.Contains(b.String(), "error: interrupted: git update-ref was ended\nhint: ") {
		t.Errorf("%d: %s", code, b.String())
	}
}
