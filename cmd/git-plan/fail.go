package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/demo"
	"github.com/git-plan/git-plan/cmd/git-plan/pages"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/markdown"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// The exit codes that mean something of their own.
const (
	exitOK          = 0
	exitError       = 1
	exitUsage       = 2
	exitStep        = 3
	exitReview      = 4
	exitBusy        = 5
	exitPerson      = 6
	exitNothingLeft = 7
	exitTemporary   = 75
	exitCannotCheck = 125
	exitNoRepo      = 128
	exitInterrupted = 130
	exitTerminated  = 143
)

// exitCodes is the table that the manual page prints.
var exitCodes = []pages.ExitCode{
	{Code: exitOK, Meaning: "done"},
	{Code: exitError, Meaning: "any other error"},
	{Code: exitUsage, Meaning: "wrong usage"},
	{Code: exitStep, Meaning: "a step failed or is blocked, possibly by its session's question, or the verification fails"},
	{Code: exitReview, Meaning: "review findings remain, or the review did not converge, ran out of rounds, or was incomplete"},
	{Code: exitBusy, Meaning: "not now, or not here: another git plan works on this plan, a step is open by next, the tree is dirty, a lock file of git is in the way, a merge or rebase is under way, somebody moved the branch, HEAD is detached, or the branch is protected"},
	{Code: exitPerson, Meaning: "a person must decide: approval, the question of a step with Ask: yes, a spent budget, a check that fails before any work, a step that another clone seems to have done, or the repository's set-up or the base changed during a session"},
	{Code: exitNothingLeft, Meaning: "step and next only: nothing is left to do"},
	{Code: exitTemporary, Meaning: "temporary: a rate limit or overload outlasted the waiting, or an agent's command exited with 75; the same command goes on later"},
	{Code: exitCannotCheck, Meaning: "verify only: the checks cannot run here, or wrong usage"},
	{Code: exitNoRepo, Meaning: "not in a git repository"},
	{Code: exitInterrupted, Meaning: "interrupted (131: quit, 143: terminated); the same command goes on where it stopped"},
}

// failure is one row of the table: what an error means to a person. A hint has slots, such as
// {step}: see filled.
type failure struct {
	err  error
	code int
	hint string
}

const commitFirst = "commit or stash the changes first: git status"

// failures is the one table from errors to hints and exit codes.
var failures = []failure{
	{git.ErrNotRepository, exitNoRepo, "go to a repository, or make one: git init"},
	{fault.ErrOtherBranches, exitError, `go to the branch: {next}; or make a plan for this one: git plan "what you want"`},
	{fault.ErrPlanUnattached, exitError, `if that is its plan: {next}; or make another one: git plan "what you want"`},
	{fault.ErrPlanOfOld, exitError, `if it is not wanted here, make one: git plan "what you want", or git plan new -F FILE`},
	{fault.ErrPlanPushed, exitError, `if somebody pushed one, fetch it: git plan fetch; or make one: git plan "what you want", or git plan new -F FILE`},
	{fault.ErrNoPlan, exitError, `make one: git plan "what you want", or git plan new -F FILE`},
	{fault.ErrPlanExists, exitError, "see it: git plan status; or replace it by the same command with --force: the old one stays in git plan list"},
	{fault.ErrPlanGone, exitError, "list the plans there are: git plan list; bind one: git plan attach PLAN"},
	{fault.ErrUnborn, exitError, "commit something, or have a plan do it: git plan"},
	{fault.ErrNoBase, exitError, "name it: --base BRANCH, or git config plan.base BRANCH"},
	{fault.ErrNoReviewer, exitError, "set one up: git plan doctor; or let a command judge: git config planReviewer.NAME.command COMMAND and git config plan.reviewers NAME (git plan review -h)"},
	{fault.ErrNoAgent, exitError, "install claude, codex, gemini or opencode, or export OPENAI_API_KEY=KEY; other ways, such as a local model: git plan doctor"},
	{fault.ErrPlanner, exitError, "see its prompt and answer: git plan log --session plan; then run the same command again, or write the plan yourself: {next}"},
	{fault.ErrCritic, exitReview, "see its prompt and answer: git plan log --session critic; then judge the plan again: git plan critique"},
	{fault.ErrNoSuchReviewer, exitUsage, "name some of them: git plan review --only NAME,NAME"},
	{fault.ErrReviewerFile, exitError, fixReviewer},
	{fault.ErrUnknownFinding, exitUsage, "see their ids, of which four digits are enough: git plan show --review"},
	{fault.ErrSettled, exitError, "see what became of each finding: git plan show --review"},
	{fault.ErrNotReviewed, exitError, "review it: git plan review"},
	{fault.ErrNoKey, exitError, "{setup}; then run the same command again"},
	{fault.ErrAgentSetup, exitError, "{setup}; then run the same command again"},
	{fault.ErrTypedOver, exitBusy, "see what changed: git plan diff ~1; then go on with what you typed: git plan edit"},
	{fault.ErrTooLarge, exitUsage, "give a shorter text, or name the file in the goal: the planner can read the repository"},
	{fault.ErrUnknownVersion, exitUsage, "see them: git plan log"},
	{fault.ErrNoTemplate, exitUsage, "name one of them, or add .gitplan/templates/NAME.md to the base branch"},
	{fault.ErrSandbox, exitError, "fix it (git plan config says what it means), or use what there is: git config plan.sandbox auto"},
	{fault.ErrClone, exitError, "fix it (git plan config says what it means), then run the same command again; no attempt was used up"},
	{fault.ErrTemplate, exitError, "fix it on the base branch; git plan show --wording ROLE prints the built-in one"},
	{fault.ErrNoLonger, exitError, "look for it there; what was pushed is on its remote: git clone"},
	{fault.ErrShallow, exitError, "fetch the commits: git fetch --unshallow; then run the same command again"},
	{fault.ErrBare, exitError, "go to one of its work trees: git worktree list"},
	{fault.ErrLink, exitError, "{next}"},
	{fault.ErrNested, exitError, "end this session first; the program that started it goes on with the plan"},
	{fault.ErrNoRemote, exitError, "see the remotes: git remote -v; add one: git remote add NAME URL; or name one that is there: git plan push NAME, git plan fetch NAME; as a text for a person: git plan export"},
	{fault.ErrRemote, exitError, "see its address: git remote -v"},
	{fault.ErrForge, exitError, "branch and plan are pushed; to sign in: {next} auth login; the text alone: git plan export --format pr"},
	{fault.ErrBehind, exitError, "fetch first: git plan fetch, then git plan push"},
	{fault.ErrForm, exitError, "see the formats: git plan new -h; say which it is: git plan new -F FILE --form FORM"},
	{fault.ErrProse, exitError, fixPlan + "; or have a planner read it: {next}"},
	{fs.ErrExist, exitError, "name another: -o PATH"},
	{fault.ErrRefused, exitError, "the plans here are as they were; tell whoever pushed it"},
	{fault.ErrUnknownStep, exitUsage, "see the steps: git plan status"},
	{fault.ErrUnknownAttempt, exitUsage, "see them: git plan attempts"},
	{fault.ErrDoesNotFit, exitError, "see what it had changed: git plan attempts show {name}"},
	{fault.ErrUnknownSession, exitUsage, "name one of them, or a step: git plan log --session STEP"},
	{fault.ErrNoProgram, exitStep, "install {name}, then: git plan reopen {step}; or change the check: git plan edit {step}; then the same command again"},
	{fault.ErrNoAnswer, exitStep, "see what it did say: git plan log --session {name}; to try again: git plan reopen {step}; then the same command again"},
	{fault.ErrStepFailed, exitStep, progress.Unblock("{step}", false) + "; then the same command again"},
	{fault.ErrStepAsks, exitStep, progress.Unblock("{step}", true) + "; then the same command again"},
	{fault.ErrStepBlocked, exitStep, progress.Unblock("{step}", false) + "; then the same command again"},
	{fault.ErrAllWait, exitStep, "{next}; then the same command again"},
	{fault.ErrNotRunnable, exitStep, "see which step needs which: git plan show --graph; how a blocked step goes on: git plan status"},
	{fault.ErrChecksFailed, exitStep, "fix it, then run the same command again"},
	{fault.ErrUnknownCheck, exitUsage, "see them: git plan baseline"},
	{fault.ErrNoCheckProgram, exitPerson, "install it, then run the same command again; or change the check: {next}"},
	{fault.ErrBaseline, exitPerson, "fix it, commit what you changed, and go on: git plan run; or accept that it fails, and no step fails by it until it passes: {next}"},
	{fault.ErrVerification, exitStep, "fix it and commit that, then run the same command again"},
	{fault.ErrDetached, exitBusy, "switch to a branch: {switch}"},
	{fault.ErrProtected, exitBusy, "make a branch for the work: git switch -c BRANCH, then git plan attach PLAN; or see git config plan.protect"},
	{fault.ErrBranchName, exitError, "name another: -b BRANCH; or switch to it first: git switch BRANCH"},
	{fault.ErrOperation, exitBusy, "finish or abort it first: git status"},
	{fault.ErrInTheWay, exitBusy, "set that file aside: git stash -a -- FILE; if it is your work on the step: git plan next, then git stash pop"},
	{fault.ErrUnmerged, exitBusy, "resolve that first: git status; then git add it, and commit or stash what you keep"},
	{fault.ErrSetAside, exitBusy, commitFirst + "; step and run take --autostash, for tracked files"},
	{fault.ErrNotAside, exitBusy, "commit it, or take it out of the way, first: git status"},
	{fault.ErrDirty, exitBusy, commitFirst},
	{fault.ErrNotRestored, exitError, "the next git plan step or run tries again; or at once: {next}"},
	{fault.ErrStashConflict, exitError, "resolve that and git add it, then git stash drop {name}; or keep only what was done: git reset --hard, and git stash pop --index {name} later"},
	{fault.ErrStashed, exitError, "bring them back: {next}"},
	{git.ErrLocked, exitBusy, "let that git finish, then run the same command again; if no git runs any more: rm {path}"},
	{git.ErrBarred, exitError, "remove it, then run the same command again: rm {path}"},
	{worktree.ErrIndex, exitError, "rebuild it from the last commit, which leaves all files as they are: rm {path} && git reset; then run the same command again"},
	{git.ErrConfined, exitError, "if it is a filter: see whether a session changed what it runs: git status; or have it run outside of the sandbox: git config plan.hooksSandbox off"},
	{fault.ErrBusy, exitBusy, "follow it: git plan log -f; or end it after the step at work: git plan stop"},
	{fault.ErrOpenByNext, exitBusy, "finish it: git plan done; or give it back: git plan next --drop"},
	{fault.ErrNotEndable, exitStep, "give it back, what is in the tree stays: git plan next --drop"},
	{fault.ErrLeftBranch, exitBusy, "go back to it, and go on: {next}"},
	{fault.ErrMovedBranch, exitBusy, "look at the branch: git log; then run the same command again"},
	{fault.ErrNothingDone, exitStep, "if there is nothing to do: git plan next --drop, then git plan skip {step}"},
	{fault.ErrNoIdentity, exitError, "say who you are: git config user.name NAME, and git config user.email MAIL"},
	{fault.ErrCannotSign, exitError, "name a key that works: git config user.signingKey KEY; or do not sign here: git config commit.gpgSign false; then run the same command again"},
	{fault.ErrNotCommitted, exitStep, "fix that, then run the same command again: what the session did is kept, and committed without another session"},
	{fault.ErrUnfinished, exitBusy, "go on with it: git plan step; or start over: git plan step --clean"},
	{fault.ErrFixElsewhere, exitBusy, "go on with it there: git switch BRANCH, git plan review; or set aside what is in the tree: git stash -u"},
	{fault.ErrBuiltOn, exitError, "take back the later commits first (git log, git revert COMMIT), then git plan undo; or do the step again on top of them: git plan reopen {step}"},
	{fault.ErrMerged, exitError, "take back what it brought in: git revert -m 1 MERGE; or do the step again on top of it: git plan reopen {step}"},
	{fault.ErrNotOpen, exitError, "open one: git plan next"},
	{fault.ErrNotAsked, exitError, "to change the step: git plan edit {step}"},
	{fault.ErrDoneAlready, exitError, "take back what it did: git plan undo; or have it done again: git plan reopen {step}"},
	{fault.ErrHidden, exitPerson, "{next}; then run the same command again"},
	{fault.ErrUnapproved, exitPerson, "read it, then: git plan approve"},
	{fault.ErrQuestion, exitPerson, progress.Unblock("{step}", true) + "; then the same command again"},
	{fault.ErrBudget, exitPerson, "raise it, if it is used up: git config {setting} VALUE; or lift it: git config {setting} none; then run the same command again"},
	{fault.ErrNotPulled, exitPerson, "get it: {next}; or have the step done again: git plan reopen {step}"},
	{fault.ErrElsewhere, exitPerson, "get the plan that knows it: git plan fetch (after git plan push, there); or have it done again, on top of that: git plan reopen {step}; or tick its box: git plan edit"},
	{fault.ErrSetupUnseen, exitPerson, "look at the change, revert it or keep it; then git plan approve, and the same command again"},
	{fault.ErrSetupChanged, exitPerson, "look at the change; revert it or keep it, then run the same command again"},
	{fault.ErrDiverged, exitPerson, "choose, for what is shown above only: git plan fetch --ours, or git plan fetch --theirs"},
	{fault.ErrCopied, exitPerson, "give this branch a plan of its own that begins as that one: git plan attach --fork PLAN"},
	{fault.ErrNothingLeft, exitNothingLeft, "see what comes next: git plan status; or have a step done again: git plan reopen STEP"},
	{fault.ErrLimited, exitTemporary, "run the same command later"},
	{fault.ErrUnreachable, exitTemporary, "{reach}, then run the same command again"},
	{fault.ErrLost, exitTemporary, "see what each launcher does: git plan doctor; then run the same command again, which goes on from what came back"},
	{fault.ErrStopped, exitInterrupted, "go on where it stopped with the same command"},
	{fault.ErrInterrupted, exitInterrupted, "go on where it stopped with the same command"},
	{context.Canceled, exitInterrupted, ""},
	{demo.ErrNoGo, exitError, "install it: https://go.dev/dl; plans of your own need only git: git plan man tutorial"},
	{terminal.ErrEditor, exitError, "name one that works: git config core.editor PROGRAM; then run the same command again"},
	{syscall.EROFS, exitError, "if a sandbox is the cause, run the same command outside of it; an agent whose sandbox has a read-only .git can use the server: git plan mcp -h"},
	{errUnchanged, exitError, `take one from a file: git plan new -F FILE; or say what you want: git plan "what you want"`},
	{fs.ErrNotExist, exitError, "run the same command with a path that is there"}, // last: other errors have it as their cause
}

// ended is an end that was reported already: only its exit code is left.
type ended struct {
	code int
	why  string
}

func (e *ended) Error() string { return cmp.Or(e.why, fmt.Sprintf("exit code %d", e.code)) }

// nothingToDo says so if that is no failure: everywhere but in step and next, which may be called
// in a loop.
func nothingToDo(c *cli.Context, err error) error {
	if errors.Is(err, fault.ErrNothingLeft) {
		say(c.App.ErrWriter, "%s", visible.Text(err.Error()))
		return nil
	}
	return err
}

func printError(w io.Writer, text string) {
	terminal.FoldText(w, terminal.Width(os.Stderr), "error: "+text)
}

func printHint(w io.Writer, text string) {
	terminal.FoldCommands(w, terminal.Width(os.Stderr), len("hint: "), "hint: "+thereFirst(text))
}

// envGoThere has the command that a person types before those that a run among several proposes.
const envGoThere = "GIT_PLAN_GO_THERE"

// thereFirst returns advice with that command before it.
func thereFirst(advice string) string {
	if first := os.Getenv(envGoThere); first != "" {
		return "first " + visible.Line(first) + "; then " + advice
	}
	return advice
}

// report prints in one line what is wrong and in one line what to do, and returns the exit code;
// of several errors, the code of the first.
func report(w io.Writer, err error) int {
	if several, ok := err.(interface{ Unwrap() []error }); ok { // each has its own hint
		code := exitOK
		for _, err := range several.Unwrap() {
			code = cmp.Or(code, report(w, err))
		}
		return code
	}
	err = orInterrupted(err)
	var done *ended
	var usage *wrong
	var parse *markdown.ParseError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &done):
		return done.code
	case errors.As(err, &usage):
		printError(w, visible.Line(usage.text))
		printHint(w, visible.Line(cmp.Or(usage.hint, "git plan "+suffixed(usage.command)+"-h")))
		return exitUsage
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
		printHint(w, fixPlan)
	}
	return exitError
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
	return strings.NewReplacer(
		"{step}", visible.Shell(cmp.Or(about.Step, "STEP")),
		"{setting}", visible.Line(cmp.Or(about.Setting, "KEY")),
		"{name}", visible.Line(cmp.Or(about.Name, "NAME")),
		"{path}", visible.Line(cmp.Or(about.Path, "PATH")),
		"{setup}", setupHint(err),
		"{reach}", visible.Line(cmp.Or(about.Next, "check that the endpoint is up")),
		"{switch}", visible.Line(cmp.Or(about.Next, "git switch BRANCH")),
		"{next}", visible.Line(cmp.Or(about.Next, "git plan status")),
	).Replace(hint)
}

// setupHint returns what to do about a setting, or about an agent that does not work.
func setupHint(err error) string {
	var f *fault.Fault
	if errors.As(err, &f) && f.Next != "" {
		return visible.Line(f.Next)
	}
	return "see what is wrong: git plan doctor"
}

// pathInTheWay returns the file that git could not read, quoted for a shell.
func pathInTheWay(err error) string {
	var locked *git.Error
	var barred *git.Barred
	var index *worktree.BadIndex
	switch {
	case errors.As(err, &index):
		return visible.Shell(index.Path)
	case errors.As(err, &barred):
		return visible.Shell(filepath.Join(barred.Top, barred.Paths[0]))
	case errors.As(err, &locked):
		return locked.Lock
	}
	return ""
}

// exitCode returns the code with which an error ends the program.
func exitCode(ctx context.Context, err error) int {
	code := report(io.Discard, err)
	words, ok := ctx.Value(lastWordsKey{}).(*lastWords)
	if !ok || code != exitInterrupted {
		return code
	}
	switch first := syscall.Signal(words.first.Load()); first {
	case syscall.SIGTERM, syscall.SIGQUIT:
		return 128 + int(first)
	}
	return code
}

const fixPlan = "fix that, then run the same command again; what a plan looks like: git plan man format"

// fixReviewer returns the hint about a file of the base branch, which the branch has as it was
// where it left the base.
const fixReviewer = "fix that file on the base branch and commit it; a branch that began before that needs: git rebase BASE"
