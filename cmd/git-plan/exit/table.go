// Package exit turns an error into an exit code, a line that says what is wrong, and one that says what to do: by one
// table from errors to hints and codes, whose meanings the manual prints, too.
package exit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// failure is a row of the table; a hint has slots such as {step}, see filled.
type failure struct {
	err  error
	code int
	hint string
}

// failures is the one table from errors to hints and exit codes.
var failures = []failure{
	{syscall.ENOSPC, Temporary, "make room on the disk, then: {same}"},
	{git.ErrOwner, NoRepo, "see how to trust it: git status"},
	{git.ErrNotRepository, NoRepo,
		"go to a repository, or make one: git init; to try git plan without one: git plan demo; what it does: git plan help"},
	{git.ErrTooOld, Error, "update git, then see which one is found: git plan doctor"},
	{fault.ErrOtherBranches, Error, `go to the branch: {next}; or make a plan for this one: git plan "what you want"`},
	{fault.ErrPlanUnattached, Error, `if that is its plan: {next}; or make another one: git plan "what you want"`},
	{fault.ErrPlanOfOld, Error, `if it is not wanted here, make one: git plan "what you want", or git plan new -F FILE`},
	{fault.ErrPlanPushed, Error,
		`if one was pushed, fetch it: git plan fetch; or make one: git plan "what you want", or git plan new -F FILE`},
	{fault.ErrNoPlan, Error, `make one: git plan "what you want", or git plan new -F FILE`},
	{fault.ErrPlanExists, Error, "see it: git plan status; or replace it: {same} --force (the old one stays in git plan list)"},
	{fault.ErrPlanGone, Error, "list the plans: git plan list"},
	{fault.ErrUnborn, Error, "commit something, or have a plan do it: git plan"},
	{fault.ErrNoBase, Error, "name it: --base BRANCH, or git config plan.base BRANCH"},
	{fault.ErrNoReviewer, Error, "set one up: git plan doctor; or let a command judge: git config planReviewer.NAME.command COMMAND and git config plan.reviewers NAME (git plan review -h)"},
	{fault.ErrNoAgent, Error, "install claude, codex, gemini or opencode, or export OPENAI_API_KEY=KEY; other ways, such as a local model: git plan doctor"},
	{fault.ErrPlanner, Error,
		"see its prompt and answer: git plan log --session plan; then: {same}, or write the plan yourself: {next}"},
	{fault.ErrCritic, Review,
		"see its prompt and answer: git plan log --session critic; then ask it again: git plan lint --critic"},
	{fault.ErrNoSuchReviewer, Usage, "name some of them: git plan review --only NAME,NAME"},
	{fault.ErrReviewerFile, Error, FixReviewer},
	{fault.ErrUnknownFinding, Usage, "see their ids, of which four digits are enough: git plan show --review"},
	{fault.ErrSettled, Error, "see what became of each finding: git plan show --review"},
	{fault.ErrNotReviewed, Error, "review it: git plan review"},
	{fault.ErrNoKey, Error, "{setup}; then: {same}"},
	{fault.ErrAgentSetup, Error, "{setup}; then: {same}"},
	{fault.ErrTypedOver, Busy, "see what changed: git plan log --diff ~1; then continue with your text: git plan edit"},
	{fault.ErrTooLarge, Usage, "give a shorter text, or name the file in the goal: the planner can read the repository"},
	{fault.ErrUnknownVersion, Usage, "see them: git plan log"},
	{fault.ErrNoTemplate, Usage, "name one of them, or add .gitplan/templates/NAME.md to the base branch"},
	{fault.ErrSandbox, Error,
		"use what this machine has: git config plan.sandbox auto; what else there is: git plan man sandbox"},
	{fault.ErrClone, Error, "fix it (git plan config says what it means), then: {same}; no attempt was used up"},
	{fault.ErrTemplate, Error, "fix it on the base branch; git plan show --wording ROLE prints the built-in one"},
	{fault.ErrNoLonger, Error, "look for it there; what was pushed is on its remote: git clone"},
	{fault.ErrShallow, Error, "fetch the commits: git fetch --unshallow; then: {same}"},
	{fault.ErrBare, Error, "go to one of its work trees: git worktree list; or add one: git worktree add DIR BRANCH"},
	{fault.ErrNested, Error, "end this session first; the program that started it goes on with the plan"},
	{fault.ErrNoRemote, Error, "see the remotes: git remote -v; or add one: git remote add origin URL"},
	{fault.ErrPushStopped, Error, "do what it says, then: {same}"},
	{fault.ErrRemote, Error, "see its address: git remote -v"},
	{fault.ErrForge, Error,
		"branch and plan are pushed; to sign in: {next} auth login; the text alone: git plan export --format pr"},
	{fault.ErrBehind, Error, "fetch first: git plan fetch, then git plan push"},
	{fault.ErrForm, Error, "see the formats: git plan new -h; say which it is: git plan new -F FILE --form FORM"},
	{fs.ErrExist, Error, "name another file, or remove it first"},
	{fault.ErrRefused, Error, "the plans here are unchanged; report it to the person who pushed it"},
	{fault.ErrUnknownStep, Usage, "see the steps: git plan status"},
	{fault.ErrUnknownAttempt, Usage, "see them: git plan attempts"},
	{fault.ErrDoesNotFit, Error, "see what it had changed: git plan attempts show {name}"},
	{fault.ErrUnknownSession, Usage, "{next}"},
	{fault.ErrNoAnswer, Step,
		"see what it did say: git plan log --session {name}; to try again: git plan reopen {step}; then: {same}"},
	{fault.ErrStepFailed, Step, progress.Unblock("{step}", journal.Event{}) + "; then: {same}"},
	{fault.ErrStepAsks, Step, progress.Unblock("{step}", journal.Event{Question: true}) + "; then: {same}"},
	{fault.ErrStepBlocked, Step, progress.Unblock("{step}", journal.Event{}) + "; then: {same}"},
	{fault.ErrNoChange, Step, "{next}; then: {same}"},
	{fault.ErrAllWait, Step, "{next}; then: {same}"},
	{fault.ErrNotRunnable, Step,
		"see which step needs which: git plan show --graph; how a blocked step goes on: git plan status"},
	{fault.ErrChecksFailed, Step, "fix it, then: {same}"},
	{fault.ErrUnknownCheck, Usage, "see them: git plan show"},
	{fault.ErrNoCheckProgram, Person, "install it, then: {same}; or change the check: {next}"},
	{fault.ErrCloneSetup, Person, "prepare each clone: {next}; then: {same}"},
	{fault.ErrBaseline, Person, "fix it, commit what you changed, and go on: git plan run; or accept its failure until it passes once: {next}; or correct the check: git plan edit"},
	{fault.ErrVerification, Step, "{next}"},
	{fault.ErrDetached, Busy, "make a branch of it: git switch -c BRANCH; or go to one: git switch BRANCH"},
	{fault.ErrProtected, Busy,
		"make a branch for the work: git switch -c BRANCH, then git plan attach PLAN; or see git config plan.protect"},
	{fault.ErrBranchName, Error, "name another: -b BRANCH; or the beginning of all: git config plan.branchPrefix PREFIX; or switch to it first: git switch BRANCH"},
	{fault.ErrOperation, Busy, "finish it, as git status says, or end it: {next}"},
	{fault.ErrInTheWay, Busy,
		"set that file aside: git stash -a -- FILE; if it is your work on the step: git plan next, then git stash pop"},
	{fault.ErrUnmerged, Busy, "resolve that first: git status; then git add it, and commit or stash what you keep"},
	{fault.ErrSetAside, Busy,
		"commit or stash the changes first: git status; or set aside what is tracked: {same} --autostash"},
	{fault.ErrNotAside, Busy, "commit it, or take it out of the way, first: git status"},
	{fault.ErrSubmodules, Busy,
		"check out the commits of the branch: git submodule update; or commit the others: git add, git commit"},
	{fault.ErrDirty, Busy, "commit or stash the changes first: git status"},
	{fault.ErrNotRestored, Error, "the next git plan step or run tries again; or at once: {next}"},
	{fault.ErrStashConflict, Error, "resolve that and git add it, then git stash drop {name}; or keep only what was done: git reset --hard, and git stash pop --index {name} later"},
	{fault.ErrStashed, Error, "bring them back: {next}"},
	{git.ErrLocked, Busy, "let that git finish, then: {same}; if no git runs any more: rm {path}"},
	{git.ErrWouldHang, Error, "remove it: rm {path}; then: {same}"},
	{git.ErrConfined, Error, "if it is a filter: see whether a session changed what it runs: git status; or have it run outside of the sandbox: git config plan.hooksSandbox off"},
	{fault.ErrBusy, Busy, "follow it: git plan log -f; or end it after the current step: git plan stop"},
	{fault.ErrOpenByNext, Busy, "finish it: git plan done; or give it back: git plan next --drop"},
	{fault.ErrIsCommand, Usage, "have it run: git plan step {step}"},
	{fault.ErrNotEndable, Step, "give it back; the tree stays as it is: git plan next --drop"},
	{fault.ErrLeftBranch, Busy, "go back to it: {next}; then: {same}"},
	{fault.ErrMovedBranch, Busy, "look at the branch: git log; then: {same}"},
	{fault.ErrNothingDone, Step, "if there is nothing to do: git plan next --drop, then git plan skip {step}"},
	{fault.ErrNoIdentity, Error, "say who you are: git config user.name NAME, and git config user.email MAIL"},
	{fault.ErrCannotSign, Error, "name a key that works: git config user.signingKey KEY; or do not sign here: git config commit.gpgSign false; then: {same}"},
	{fault.ErrNotCommitted, Step, "fix that, then: {same} (what the session did is kept, and committed without another session)"},
	{fault.ErrUnfinished, Busy,
		"continue it: git plan step; or start over: git plan step --clean; or drop the plan: git plan drop"},
	{fault.ErrFixElsewhere, Busy,
		"continue it there: git switch BRANCH, git plan review; or set the changes aside: git stash -u"},
	{fault.ErrBuiltOn, Error, "take back the later commits first (git log, git revert COMMIT), then git plan undo; or do the step again on top of them: git plan reopen {step}"},
	{fault.ErrMerged, Error,
		"take back what it brought in: git revert -m 1 MERGE; or do the step again on top of it: git plan reopen {step}"},
	{fault.ErrNotOpen, Error, "open one: git plan next"},
	{fault.ErrNotAsked, Error, "to change the step: git plan edit {step}"},
	{fault.ErrDoneAlready, Error, "take back what it did: git plan undo; or have it done again: git plan reopen {step}"},
	{fault.ErrHidden, Person, "{next}; then: {same}"},
	{fault.ErrNotNeeded, Person, "leave it out: git plan skip {step}; or keep it: git plan approve; then: {same}"},
	{fault.ErrUnapproved, Person, "read it, then: git plan approve"},
	{fault.ErrQuestion, Person, progress.Unblock("{step}", journal.Event{Question: true}) + "; then: {same}"},
	{fault.ErrBounds, Person, "{bounds}, and {same}"},
	{fault.ErrBudget, Person, "{next}; or lift it: git config {setting} none; then: {same}"},
	{fault.ErrNoProgress, Step, "see what was tried: git plan log; then say what else to try: git plan replan -m 'what you want'; or change the plan: git plan edit"},
	{fault.ErrNotPulled, Person, "get it: {next}; or have the step done again: git plan reopen {step}"},
	{fault.ErrElsewhere, Person, "get the plan that knows it: git plan fetch (after git plan push, there); or have it done again, on top of that: git plan reopen {step}; or tick its box: git plan edit"},
	{fault.ErrSetupUnseen, Person, "look at the change, and revert it or keep it; then git plan approve, and {same}"},
	{fault.ErrSetupChanged, Person, "look at the change, and revert it or keep it; then: {same}"},
	{fault.ErrDiverged, Person, "choose one side for the parts above: git plan fetch --ours, or git plan fetch --theirs"},
	{fault.ErrCopied, Person, "give this branch its own copy of that plan: git plan attach --fork PLAN"},
	{fault.ErrNothingLeft, NothingLeft, "see what comes next: git plan status; or have a step done again: git plan reopen STEP"},
	{fault.ErrLimited, Temporary, "try again later: {same}"},
	{fault.ErrUnreachable, Temporary, "{reach}, then: {same}"},
	{fault.ErrLost, Temporary,
		"see that planLauncher.NAME.command starts a worker; then: {same} (it goes on from what came back)"},
	{fault.ErrStopped, Interrupted, "continue where it stopped: {same}"},
	{fault.ErrInterrupted, Interrupted, "continue where it stopped: {same}"},
	{context.Canceled, Interrupted, ""},
	{terminal.ErrEditor, Error, "name one that works: git config core.editor PROGRAM; then: {same}"},
	{syscall.EROFS, Error, "if a sandbox is the cause, run the same command outside of it; an agent whose sandbox has a read-only .git can use the server: git plan mcp -h"},
	{terminal.ErrUnchanged, Error, `take one from a file: git plan new -F FILE; or say what you want: git plan "what you want"`},
	{fs.ErrPermission, Error, "run it as the owner of that file, outside of any sandbox; two who share a repository work on plans in a clone each: git clone, git plan fetch"},
	{fs.ErrNotExist, Error, "name a path that exists"}, // last: other errors have it as their cause
}

const fixPlan = "fix that, then: {same}; what a plan looks like: git plan man format"

// FixReviewer is the hint about a reviewer's file, which is read where the branch left its base.
const FixReviewer = "fix that file on the base branch and commit it; a branch that began before that needs: git rebase BASE"

// The exit codes that mean something of their own.
const (
	OK          = 0
	Error       = 1
	Usage       = 2
	Step        = 3
	Review      = 4
	Busy        = 5
	Person      = 6
	NothingLeft = 7
	Temporary   = 75
	CannotCheck = 125
	NoRepo      = 128
	Interrupted = 130
	Terminated  = 143
)

var Codes = []struct {
	Code    int
	Meaning string
}{
	{OK, "done"},
	{Error, "any other error"},
	{Usage, "wrong usage"},
	{Step, "a step failed or is blocked, possibly by its session's question, or the verification fails"},
	{Review, "review findings remain, or the review did not converge, ran out of rounds, or was incomplete"},
	{Busy, "not now, or not here: another git plan works on this plan, a step was opened by next, the tree is dirty, a lock file of git is in the way, a merge or rebase is under way, the branch was moved, HEAD is detached, or the branch is protected"},
	{Person, "a person must decide: approval, the question of a step with Ask: yes, a spent budget, a check that fails before any work, a step that another clone seems to have done, or the repository's set-up or the base changed during a session"},
	{NothingLeft, "step and next only: nothing is left to do"},
	{Temporary, "temporary: a rate limit or overload outlasted the waiting, an agent's command exited with 75, or the disk is full; the same command continues later"},
	{CannotCheck, "verify only: the checks cannot run here, or wrong usage"},
	{NoRepo, "not in a git repository"},
	{Interrupted, "interrupted (131: quit, 143: terminated); the same command continues there"},
}

// Word returns how a run ended by its code, in a word or three.
func Word(code int) string {
	return cmp.Or(map[int]string{OK: "done", Step: "blocked", Review: "findings remain", Person: "waits for you",
		Temporary: "limited", Busy: "busy", Interrupted: "stopped", Terminated: "stopped"}[code], "failed")
}

func Worst(codes ...int) int {
	rank, worst := []int{OK, Temporary, Review, Step, Busy, Person, Error, Terminated, Interrupted}, 0
	for _, code := range codes {
		if !slices.Contains(rank, code) {
			code = Error
		}
		worst = max(worst, slices.Index(rank, code))
	}
	return rank[worst]
}

// Ended is an end that was reported already: only its exit code is left.
type Ended struct {
	Code int
	Why  string // the reason in --json-events
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
	if ended, ok := errors.AsType[*git.Error](err); ok && ended.Code == Interrupted && len(ended.Args) > 0 { // Ctrl-C
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
		if p, ok := errors.AsType[*fs.PathError](err); ok && p.Op != "write" { // hides Go's name of the operation
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
		"{setup}", cmp.Or(about.Next, "see what is wrong: git plan doctor"),
		"{reach}", cmp.Or(about.Next, "check that the endpoint is up"),
		"{bounds}", cmp.Or(about.Next, "raise the Budget in its Bounds: git plan edit; then git plan approve"),
		"{next}", cmp.Or(about.Next, "git plan status"),
	).Replace(hint)
}
