package exit

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Ended is an end that was reported already: only its exit code is left.
type Ended struct {
	Code int
	Why  string // for --json-events
}

func (e *Ended) Error() string { return cmp.Or(e.Why, fmt.Sprintf("exit code %d", e.Code)) }

// Wrong is wrong usage; without a hint it gets the usage of its command, which is what follows git plan.
type Wrong struct{ Text, Command, Hint string }

func (w *Wrong) Error() string { return w.Text }

func printError(w io.Writer, text string) {
	terminal.FoldText(w, terminal.Width(os.Stderr), "error: "+text)
}

// Typed is the command that goes on after an error, as hints name it.
var Typed = "the same command"

// Report prints an error and its hint, one line each, and returns the exit code; of several errors, the first one's.
func Report(w io.Writer, err error) int {
	if several, ok := err.(interface{ Unwrap() []error }); ok { // errors.Join: each has its own hint
		code := OK
		for _, err := range several.Unwrap() {
			if c := Report(w, err); code == OK {
				code = c
			}
		}
		return code
	}
	if ended, ok := errors.AsType[*git.Error](err); ok && ended.Code == Interrupted && len(ended.Args) > 0 { // by Ctrl-C
		err = fault.New(fault.ErrInterrupted, "interrupted: git %s was ended", ended.Args[0])
	}
	var done *Ended
	var usage *Wrong
	var parse *plan.ParseError
	switch {
	case err == nil:
		return OK
	case errors.As(err, &done):
		return done.Code
	case errors.As(err, &usage):
		printError(w, visible.Line(usage.Text))
		command := strings.TrimSpace("git plan " + strings.TrimPrefix(usage.Command, "git-plan"))
		terminal.Say(w, "hint: %s", cmp.Or(usage.Hint, command+" -h"))
		return Usage
	case errors.As(err, &parse): // several problems are a line each
		printError(w, strings.ReplaceAll(err.Error(), "\n", "\n    "))
	case errors.Is(err, fault.ErrStopped): // a person asked for it, so it is not an error
		terminal.FoldText(w, terminal.Width(os.Stderr), err.Error())
	default:
		text := err.Error()
		if p, ok := errors.AsType[*fs.PathError](err); ok && p.Op != "write" { // how Go looked for the file says nothing
			text = strings.Replace(text, p.Op+" "+p.Path, p.Path, 1)
		}
		printError(w, text)
	}
	for _, f := range failures {
		if errors.Is(err, f.err) {
			if f.hint != "" {
				terminal.Say(w, "hint: %s", filled(f.hint, err))
			}
			return f.code
		}
	}
	if parse != nil {
		terminal.Say(w, "hint: %s", filled(fixPlan, err))
	}
	return Error
}

// filled returns a hint with the details of an error in its slots, or a word in capitals.
func filled(hint string, err error) string {
	var about fault.Fault
	if f, ok := errors.AsType[*fault.Fault](err); ok {
		about = *f
	}
	if e, ok := errors.AsType[*git.Error](err); ok {
		about.Path = cmp.Or(about.Path, e.Lock)
	}
	return strings.NewReplacer(
		"{same}", Typed,
		"{step}", visible.Shell(cmp.Or(about.Step, "STEP")),
		"{setting}", cmp.Or(about.Setting, "KEY"),
		"{name}", cmp.Or(about.Name, "NAME"),
		"{path}", cmp.Or(about.Path, "PATH"),
		"{setup}", SetupHint(err),
		"{reach}", cmp.Or(about.Next, "check that the endpoint is up"),
		"{bounds}", cmp.Or(about.Next, "raise the Budget in its Bounds: git plan edit; then git plan approve"),
		"{next}", cmp.Or(about.Next, "git plan status"),
	).Replace(hint)
}

// SetupHint returns what to do about a setting, or about an agent that does not work.
func SetupHint(err error) string {
	if f, ok := errors.AsType[*fault.Fault](err); ok && f.Next != "" {
		return visible.Line(f.Next)
	}
	return "see what is wrong: git plan doctor"
}
