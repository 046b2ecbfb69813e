// Package fault defines the kinds of errors that a person can do something about. A [Fault] is a kind with its
// particulars; the hint and the exit code of each kind are in cmd/git-plan/exit/table.go.
package fault

import (
	"errors"
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// The kinds of errors.
var (
	ErrNoPlan         = errors.New("this branch has no plan")
	ErrOtherBranches  = fmt.Errorf("%w; another one has", ErrNoPlan)
	ErrPlanUnattached = fmt.Errorf("%w; the existing plans belong to no branch", ErrNoPlan)
	ErrPlanOfOld      = fmt.Errorf("%w; an earlier branch of its name had", ErrNoPlan)
	ErrPlanPushed     = fmt.Errorf("%w; its remote may have one", ErrNoPlan)
	ErrPlanExists     = errors.New("this branch has a plan already")
	ErrPlanGone       = errors.New("the plan of this branch is gone")
	ErrUnknownStep    = errors.New("no such step")
	ErrInTheWay       = fmt.Errorf("%w: a file of the step's is not tracked", ErrDirty)
	ErrNotAsked       = errors.New("the step asks nothing")
	ErrDoneAlready    = errors.New("the step is done")
	ErrUnapproved     = errors.New("the plan is not approved")
	ErrHidden         = fmt.Errorf("%w: it hides something", ErrUnapproved)
	ErrNotNeeded      = fmt.Errorf("%w, and the goal is reached", ErrUnapproved)
	ErrUnborn         = errors.New("the branch has no commit yet")
	ErrDetached       = errors.New("HEAD is detached")
	ErrProtected      = errors.New("this branch is protected")
	ErrBranchName     = errors.New("no branch of this name can be made")
	ErrOperation      = errors.New("a merge, rebase or the like is under way")
	ErrDirty          = errors.New("the work tree has changes that are not committed")
	ErrSetAside       = fmt.Errorf("%w, before a step", ErrDirty)
	ErrSubmodules     = fmt.Errorf("%w: submodules are at other commits", ErrDirty)
	ErrUnmerged       = fmt.Errorf("%w: a conflict is not resolved", ErrDirty)
	ErrNotAside       = fmt.Errorf("%w, and cannot be set aside", ErrDirty)
	ErrNotRestored    = errors.New("the changes set aside could not be brought back yet")
	ErrStashConflict  = errors.New("the changes set aside conflict with the new commits")
	ErrStashed        = errors.New("the changes set aside are not in the work tree")
	ErrBusy           = errors.New("another git plan works on this plan")
	ErrOpenByNext     = errors.New("git plan next has a step open")
	ErrIsCommand      = errors.New("the step is a command")
	ErrNotEndable     = errors.New("the step that was opened by git plan next cannot be done any more")
	ErrNothingDone    = errors.New("nothing was done")
	ErrNoIdentity     = errors.New("git does not know who commits")
	ErrCannotSign     = errors.New("git cannot sign commits")
	ErrNotCommitted   = errors.New("git refuses the commit of a step")
	ErrUnfinished     = errors.New("a session was interrupted")
	ErrFixElsewhere   = errors.New("a fixer on another branch was interrupted")
	ErrBuiltOn        = errors.New("later commits depend on the step")
	ErrMerged         = errors.New("the step was done with a merge")
	ErrNotOpen        = errors.New("no step was opened by git plan next")
	ErrMovedBranch    = errors.New("the branch was moved meanwhile")
	ErrLeftBranch     = fmt.Errorf("%w: another one is checked out", ErrMovedBranch)
	ErrCopied         = errors.New("this branch is a copy of another one with a plan")
	ErrStopped        = errors.New("the run was stopped")
	ErrNested         = errors.New("a session of a plan may not run a plan")
	ErrNotRunnable    = errors.New("no open step can run")
	ErrAllWait        = fmt.Errorf("%w: a blocked one is in the way", ErrNotRunnable)
	ErrStepFailed     = errors.New("the step failed")
	ErrNoAnswer       = fmt.Errorf("%w: its session gave no answer", ErrStepFailed)
	ErrStepBlocked    = errors.New("the step is blocked")
	ErrNoChange       = errors.New("a step changed nothing, and its check had passed before")
	ErrStepAsks       = fmt.Errorf("%w by a question", ErrStepBlocked)
	ErrChecksFailed   = errors.New("a check failed")
	ErrBaseline       = errors.New("a check fails before any work")
	ErrNoCheckProgram = fmt.Errorf("%w, since its program is missing", ErrBaseline)
	ErrCloneSetup     = fmt.Errorf("%w, since clones lack what is installed in the work tree", ErrBaseline)
	ErrUnknownCheck   = errors.New("no such check of the plan fails")
	ErrVerification   = errors.New("the verification fails")
	ErrUnknownSession = errors.New("no such session")
	ErrUnknownAttempt = errors.New("no such attempt")
	ErrDoesNotFit     = errors.New("a kept attempt conflicts with the branch")
	ErrElsewhere      = errors.New("the step seems to have been done in another clone")
	ErrNotPulled      = fmt.Errorf("%w, and its commit is not pulled", ErrElsewhere)
	ErrNothingLeft    = errors.New("nothing is left to do")
	ErrNoBase         = errors.New("no base branch found")
	ErrNoAgent        = errors.New("no agent found")
	ErrNoReviewer     = fmt.Errorf("%w to review", ErrNoAgent)
	ErrPlanner        = errors.New("the planner failed")
	ErrCritic         = errors.New("the critic gave no usable answer")
	ErrNoSuchReviewer = errors.New("no such reviewer")
	ErrReviewerFile   = errors.New("a reviewer of the repository is not valid")
	ErrUnknownFinding = errors.New("no such finding")
	ErrSettled        = errors.New("the finding is settled")
	ErrNotReviewed    = errors.New("not reviewed yet")
	ErrNoKey          = errors.New("no key for the model's endpoint")
	ErrAgentSetup     = errors.New("the agent is not set up")
	ErrTypedOver      = errors.New("the plan changed meanwhile")
	ErrTooLarge       = errors.New("too large to be given to a session")
	ErrUnknownVersion = errors.New("no such version of the plan")
	ErrNoTemplate     = errors.New("no such template")
	ErrTemplate       = errors.New("a prompt template of the repository is not valid")
	ErrLimited        = errors.New("the agent is limited")
	ErrUnreachable    = errors.New("the model's endpoint cannot be reached")
	ErrLost           = errors.New("no worker could finish the session")
	ErrQuestion       = errors.New("the session asks a question")
	ErrBudget         = errors.New("the budget is spent")
	ErrBounds         = fmt.Errorf("%w: the plan's Bounds are used up", ErrBudget)
	ErrNoProgress     = errors.New("no progress toward the goal")
	ErrSetupChanged   = errors.New("the repository's set-up changed during the session")
	ErrNoLonger       = errors.New("the repository is no longer there")
	ErrShallow        = errors.New("the clone is too shallow")
	ErrSetupUnseen    = fmt.Errorf("%w, and was not looked at", ErrSetupChanged)
	ErrBare           = errors.New("a bare repository has no work tree")
	ErrNoRemote       = errors.New("no such remote")
	ErrRemote         = errors.New("the remote cannot be reached, or refuses")
	ErrPushStopped    = fmt.Errorf("%w: the pre-push hook stops it", ErrRemote)
	ErrForge          = errors.New("the program of the forge fails")
	ErrBehind         = errors.New("the remote has changes of the plan that are not here")
	ErrDiverged       = errors.New("the plan was changed in two ways")
	ErrRefused        = errors.New("the remote's ref is not a plan")
	ErrForm           = errors.New("the form of a plan cannot be read or written")

	ErrInterrupted = errors.New("interrupted")
	ErrClone       = errors.New("the clone for a session cannot be made")
	ErrSandbox     = errors.New("the sandbox is not available")
)

// Fault is a kind with its particulars. The hint of its kind mentions those that apply.
type Fault struct {
	Kind    error
	Text    string // the message, shown on one line; after a final colon the cause follows on lines of its own
	Brief   string // the message without the reasons that lines of the run have; "" if they have none
	Step    string // the step's id
	Setting string // a key of the configuration
	Name    string // the name of a kept attempt, an entry of the stash, or a program
	Path    string // the path of the file that is in the way
	Next    string // the whole command that comes next, or what to do instead

	Cause error // the underlying error, returned by Unwrap
}

// maxText bounds the line of a fault, in bytes.
const maxText = 4000

// Error returns what a person reads, made safe to show here and not where faults are made.
func (f *Fault) Error() string {
	text := visible.OneLine(f.Text, maxText)
	if strings.HasSuffix(f.Text, ":") && f.Cause != nil {
		text += "\n" + visible.Text(f.Cause.Error())
	}
	return text
}

func (f *Fault) Unwrap() error { return f.Cause }

// Is reports whether the kind is target or wraps it.
func (f *Fault) Is(target error) bool { return errors.Is(f.Kind, target) }

// New returns a fault of a kind whose text is formatted.
func New(kind error, format string, args ...any) error {
	return &Fault{Kind: kind, Text: fmt.Sprintf(format, args...)}
}

// AtStep is New for a fault that concerns one step.
func AtStep(kind error, step, format string, args ...any) error {
	return &Fault{Kind: kind, Step: step, Text: fmt.Sprintf(format, args...)}
}
