package exit

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
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

// Wrong is wrong usage. Without a hint of its own it gets the usage of its command, which is what
// comes after git plan: a command, or one and its subcommand.
type Wrong struct{ Text, Command, Hint string }

func (w *Wrong) Error() string { return w.Text }

func printError(w io.Writer, text string) {
	terminal.FoldText(w, terminal.Width(os.Stderr), "error: "+text)
}

func printHint(w io.Writer, text string) {
	terminal.FoldCommands(w, terminal.Width(os.Stderr), len("hint: "), "hint: "+text)
}

// Report prints in one line what is wrong and in one line what to do, and returns the exit code;
// of several errors, the code of the first.
func Report(w io.Writer, err error) int {
	if several := joined(err); several != nil { // each has its own hint
		code := OK
		for _, err := range several {
			if c := Report(w, err); code == OK {
				code = c
			}
		}
		return code
	}
	err = orInterrupted(err)
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
		printHint(w, visible.Line(cmp.Or(usage.Hint, "git plan "+suffixed(usage.Command)+"-h")))
		return Usage
	case errors.As(err, &parse):
		text := visible.Text(err.Error())
		if text != visible.Text(parse.Error()) { // a line says of what: what is wrong with it is below
			text = strings.ReplaceAll(text, "\n", "\n    ")
		}
		for i, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(line, " ") && i > 0 {
				terminal.FoldText(w, terminal.Width(os.Stderr), line)
				continue
			}
			printError(w, line)
		}
	case errors.Is(err, fault.ErrStopped): // as a person asked, so it is no error
		terminal.FoldText(w, terminal.Width(os.Stderr), visible.Text(err.Error()))
	default:
		printError(w, visible.Text(err.Error()))
	}
	for _, f := range failures {
		if errors.Is(err, f.err) {
			if f.hint != "" {
				printHint(w, filled(f.hint, err))
			}
			return f.code
		}
	}
	if parse != nil {
		printHint(w, filled(fixPlan, err))
	}
	return Error
}

// joined returns the errors that were joined to one, which may have been wrapped since, without more
// words; nil for a single error.
func joined(err error) []error {
	var same *again
	for at := err; at != nil; at = errors.Unwrap(at) {
		if a, ok := at.(*again); ok {
			same = a
		}
		several, ok := at.(interface{ Unwrap() []error })
		if !ok {
			continue
		}
		if err.Error() != at.Error() { // it says more than its parts
			return nil
		}
		out := slices.Clone(several.Unwrap())
		for i := range out {
			if same != nil {
				out[i] = WithRetryCommand(same.command, out[i])
			}
		}
		return out
	}
	return nil
}

func suffixed(command string) string {
	if command == "" || command == "git-plan" {
		return ""
	}
	return command + " "
}

// filled returns a hint with the particulars of an error in its slots. A slot for which nothing
// is known says in capitals what to put there.
func filled(hint string, err error) string {
	var about fault.Fault
	if f := (*fault.Fault)(nil); errors.As(err, &f) {
		about = *f
	}
	if about.Path == "" {
		about.Path = pathInTheWay(err)
	}
	same := "the same command"
	if a := (*again)(nil); errors.As(err, &a) {
		same = a.command
	}
	return strings.NewReplacer(
		"{same}", same,
		"{step}", visible.Shell(cmp.Or(about.Step, "STEP")),
		"{setting}", visible.Line(cmp.Or(about.Setting, "KEY")),
		"{name}", visible.Line(cmp.Or(about.Name, "NAME")),
		"{path}", visible.Line(cmp.Or(about.Path, "PATH")),
		"{setup}", SetupHint(err),
		"{reach}", visible.Line(cmp.Or(about.Next, "check that the endpoint is up")),
		"{next}", visible.Line(cmp.Or(about.Next, "git plan status")),
	).Replace(hint)
}

// again is an error after which another command goes on than the one that was typed.
type again struct {
	error
	command string
}

func (a *again) Unwrap() error { return a.error }

// WithRetryCommand returns an error in whose hint a command stands in place of the same one.
func WithRetryCommand(command string, err error) error {
	if err == nil {
		return nil
	}
	return &again{err, command}
}

// SetupHint returns what to do about a setting, or about an agent that does not work.
func SetupHint(err error) string {
	var f *fault.Fault
	if errors.As(err, &f) && f.Next != "" {
		return visible.Line(f.Next)
	}
	return "see what is wrong: git plan doctor"
}

// pathInTheWay returns the file that git could not read, quoted for a shell.
func pathInTheWay(err error) string {
	var locked *git.Error
	var hang *git.HangError
	switch {
	case errors.As(err, &hang):
		return visible.Shell(filepath.Join(hang.Top, hang.Paths[0]))
	case errors.As(err, &locked):
		return locked.Lock
	}
	return ""
}

// orInterrupted returns ErrInterrupted for a git that SIGINT ended: Ctrl-C in a terminal reaches the
// git that is at work, too.
func orInterrupted(err error) error {
	var ended *git.Error
	if errors.As(err, &ended) && ended.Code == Interrupted && len(ended.Args) > 0 {
		return fault.New(fault.ErrInterrupted, "interrupted: git %s was ended", ended.Args[0])
	}
	return err
}
