package runner

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/sandbox"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// CheckFailure is a command that did not exit with 0, with the end of its output. Its Error is one line.
type CheckFailure struct {
	Command     string
	Exit        proc.Exit
	Output      string
	Wrong       string   // what it did if its exit says nothing: took too long, printed a number, or ran no test; or ""
	Denied      string   // see [Denied]
	Uncommitted []string // ignored files that a session wrote, and empty folders: they were as before it
}

func outOfTime(limit time.Duration) string {
	return fmt.Sprintf("did not end within plan.checkTimeout, %s", limit)
}

func (f *CheckFailure) Error() string {
	run, _ := plan.Split(f.Command)
	if f.Wrong != "" {
		return fmt.Sprintf("`%s` %s", run, f.Wrong)
	}
	text := fmt.Sprintf("`%s` exited with %d", run, f.Exit.Code)
	if why := visible.Reason(f.Output); why != "" {
		text += ": " + visible.OneLine(why, 200)
	}
	text += f.Denied
	if len(f.Uncommitted) > 0 {
		text += fmt.Sprintf(" (no commit has %s: git ignores it, hides it or does not track it, or it is an empty folder; so it was as before the session)", visible.Few(f.Uncommitted))
	}
	return text
}

// Checks runs commands of a plan the way the plan's author would.
type Checks struct {
	Dir     string
	Env     []string
	Confine *proc.Confinement // nil does not
	Timeout time.Duration
	On      func(journal.Notice)
	About   journal.Notice    // what the checks are about
	Own     func(string) bool // reports whether a command fails if it selects no test; nil: none does
	Setup   bool              // they prepare the workspace, and judge nothing
	Whole   bool              // print all that a failed one printed, not just the end
	Keep    func(Ended)       // of each command; may be nil
}

// Ended is how a command ended, and its output.
type Ended struct {
	Command string
	Exit    proc.Exit
	Output  string
	Number  string // the last on standard output, if that is compared; "" without one
}

// compared returns the last number that a command with a limit printed, and what is wrong with it, or "".
func compared(limit plan.Limit, printed string) (number, wrong string) {
	if _, last, cut := strings.Cut(printed, " bytes left out ...]\n"); cut { // a count of proc.Tail
		printed = last
	}
	n, err := plan.LastNumber(printed)
	if err != nil {
		return "", err.Error()
	}
	if number = strconv.FormatFloat(n, 'f', -1, 64); !limit.Holds(n) {
		wrong = "prints " + number + ", not " + limit.String()
	}
	return number, wrong
}

// Run runs the commands in order, by sh -c with empty standard input, up to the first *CheckFailure.
func (c Checks) Run(ctx context.Context, commands []string) error {
	start, end := journal.CheckStart, journal.CheckEnd
	if c.Setup {
		start, end = journal.SetupStart, journal.SetupEnd
	}
	for _, line := range commands {
		n := c.About
		n.Kind, n.Command = start, line
		c.On(n)
		name, args := proc.Shell(line)
		tail, printed := &proc.Tail{}, &proc.Tail{}
		out := io.Writer(tail) // the same as Stderr, so that lines stay in their order
		limit, limited := plan.LimitOf(line)
		if limited {
			out = io.MultiWriter(tail, printed)
		}
		exit, err := proc.Run(ctx, proc.Cmd{
			Name: name, Args: args, Dir: c.Dir, Env: c.Env, Group: true, Confine: c.Confine,
			Stdout: out, Stderr: tail, Timeout: c.Timeout,
		})
		if err != nil {
			return err
		}
		var number, wrong string
		if limited && exit.OK() { // what a command prints that fails is no measure
			if number, wrong = compared(limit, printed.String()); wrong != "" {
				exit.Code = 1
			}
		}
		output := tail.String()
		if exit.OK() && c.Own != nil && visible.SelectsNothing(line, output) && c.Own(line) {
			exit.Code, wrong = 1, "selects no test: write one that it selects"
		}
		if exit.TimedOut {
			wrong = outOfTime(c.Timeout)
		}
		if c.Keep != nil {
			c.Keep(Ended{line, exit, output, number})
		}
		n.Kind, n.ExitCode, n.Reason = end, &exit.Code, wrong
		if exit.OK() {
			c.On(n)
			if none := visible.RanNothing(output); none != "" && !c.Setup && c.Keep == nil { // else the verdict on the work says it
				c.On(c.About.Of(journal.StepNote, fmt.Sprintf("`%s` passes, but ran no test: %s", line, none)))
			}
			continue
		}
		n.Text = strings.TrimRight(output, "\n")
		if !c.Whole {
			n.Text = visible.Excerpt(output, 10)
		}
		c.On(n)
		return &CheckFailure{Command: line, Exit: exit, Output: strings.TrimSpace(output), Wrong: wrong,
			Denied: Denied(c.Env, c.Confine, line, output)}
	}
	return nil
}

// Denied says in brackets which variables a command that failed lacked, and what it could not read; or "".
func Denied(env []string, confine *proc.Confinement, line, output string) (out string) {
	words := strings.FieldsFunc(line+"\n"+output, func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	names := slices.DeleteFunc(proc.Withheld(env), func(name string) bool {
		return name == "_" || !slices.Contains(words, name)
	})
	if names = names[:min(len(names), 5)]; len(names) > 0 {
		out = fmt.Sprintf(" (sessions are not given %s; see plan.passEnv)", strings.Join(names, ", "))
	}
	if paths := sandbox.Unread(confine, output); paths != nil {
		out += fmt.Sprintf(" (sessions cannot read %s; see plan.sandboxReadable)", visible.OneLine(strings.Join(paths, ", "), 200))
	}
	return out
}

// PersonsChecks returns the checks that run commands as the person who asks would type them.
func (r *Runner) PersonsChecks(name string, of journal.Notice) Checks {
	c := r.Checks(name, of, r.Checkout.Config.PersonsEnvironment())
	c.Whole = true // an error says one line of it
	return c
}

// Checks returns the checks that run commands of a task in the work tree, with an environment.
func (r *Runner) Checks(name string, of journal.Notice, env []string) Checks {
	timeout, err := r.Checkout.Config.Duration("plan.checkTimeout")
	if err != nil {
		timeout = 10 * time.Minute
	}
	env = append(env, proc.Mark(name+"-check-"+integrity.Random(4)))
	c := Checks{Dir: r.Checkout.Repo.Top, Env: env, Timeout: timeout, On: r.Report, About: of}
	if r.Checkout.Doc != nil {
		c.Own = r.Checkout.Doc.Plan.OnlyOfSteps
	}
	return c
}

// CheckResult is how a check of the plan ended on a tree, in a workspace of sessions.
type CheckResult struct {
	Tree    string
	Where   string // the settings by which the workspace is made
	Command string
	Exit    proc.Exit // OK if it passed
	Why     string    // why it failed, in a line
	Tested  bool      // it ran tests, as their runner says
	Idle    bool      // it ran none, as their runner says
	Number  string    // as of Ended
}

// Missing reports whether the check failed, as sh says, since a program is not there or cannot be started.
func (p CheckResult) Missing() bool { return p.Exit.Code == 126 || p.Exit.Code == 127 }

// mostResults bounds the record of a plan; the oldest entries are dropped first.
const mostResults = 300

func (r *Runner) resultsNote() journal.Note {
	return journal.NotesOf(r.Checkout.Repo, "proofs").Note(r.Checkout.Doc.ID + journal.NoteExt)
}

// CheckResults returns the recorded results of the plan's checks, the oldest first.
func (r *Runner) CheckResults() []CheckResult { return journal.Loaded[[]CheckResult](r.resultsNote()) }

// where returns the settings that decide what checks find outside the tree.
func (r *Runner) where() string {
	c := r.Checkout.Config
	isolation := c.String("plan.isolation")
	if r.Checkout.Slot != "" {
		isolation = "clone"
	}
	return strings.Join([]string{isolation, c.String("plan.worktreeSetup"), c.String("plan.sandbox")}, "\x00")
}

// ResultOf returns the result of a command that ended on a tree.
func ResultOf(tree string, how Ended) CheckResult {
	return CheckResult{Tree: tree, Command: how.Command, Exit: how.Exit,
		Tested: visible.RanTests(how.Output), Idle: visible.RanNothing(how.Output) != "", Number: how.Number}
}

// LastResult returns the newest result on a tree, with the settings of now, of which is holds.
func (r *Runner) LastResult(tree string, is func(CheckResult) bool) (CheckResult, bool) {
	for _, p := range slices.Backward(r.CheckResults()) {
		if p.Tree == tree && p.Where == r.where() && is(p) {
			return p, true
		}
	}
	return CheckResult{}, false
}

// RecordResults records the results of checks, replacing earlier ones.
func (r *Runner) RecordResults(results ...CheckResult) error {
	if len(results) == 0 {
		return nil
	}
	k := r.common()
	k.checking.Lock()
	defer k.checking.Unlock()
	all := r.CheckResults()
	for _, p := range results {
		p.Where = r.where()
		all = append(slices.DeleteFunc(all, func(old CheckResult) bool {
			return p.Tree == old.Tree && p.Where == old.Where && p.Command == old.Command
		}), p)
	}
	return r.resultsNote().Save(all[max(0, len(all)-mostResults):])
}
