package work

import (
	"context"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// Task is one piece of work for fresh sessions: a step of a plan, or the findings of a review round.
type Task struct {
	Role  agent.Role
	Agent agent.Agent
	Name  string // the step's id, or "_review/<round>"; names kept attempts

	Prompt   func(prompt.Attempt) agent.Prompt
	Files    []string        // that it is to write; patterns, as a step names them
	Checks   []string        // commands that must exit 0 afterwards, in order
	Accepted map[string]bool // of Checks, by their names in events: their failure fails nothing
	Attempts int             // sessions before it is given up
	Asked    int             // of those before it, which asked and do not count
	First    int             // number of the first attempt, usually 1
	Failure  string          // why the attempt before the first one failed
	Reopened string          // why a person reopened it
	Pause    func() bool     // reports whether no attempt may follow one that failed; nil never does
	Assume   bool            // a question is answered once by another session, with the simplest reading
	Session  agent.Session   // what is the same for each of its sessions: limits, model, effort, review, who answers

	Unchanged bool // a session may change nothing: the checks prove the work
	// Begin is called, unless it is nil, once sessions may begin.
	Begin func()
	// Before is called once in the workspace before the task begins, unless it is nil, and returns more Checks.
	Before func(ctx context.Context, here *workspace.Workspace) (checks []string, err error)
	// Guard inspects what the session changed, after the checks have passed.
	Guard func(ctx context.Context, change workspace.Changeset) (workspace.Guarded, error)
	// Record writes an event of the work on the plan's chain. It is nil for a fixer.
	Record func(ctx context.Context, e journal.Event) error

	Subject string // of the commit, if the session proposes none
	Trailer string // of the commit: "Plan-Step: ..." or "Plan-Review: ..."

	Kept Kept // by an earlier command
}

// Kept is the work of an attempt that was interrupted, perhaps while its checks ran, or that passed them and waited.
type Kept struct {
	Commit  *git.Commit // from which the task goes on; nil if it starts over
	Ref     string      // that keeps it, also if the task starts over
	Message string      // of the commit that it was about to become: if it applies to the branch, it needs no session
}

// KeptBy returns the work that a ref keeps; nothing if it was pruned.
func KeptBy(ctx context.Context, c *checkout.Checkout, ref string) (k Kept) {
	if commit, err := c.Repo.ReadCommit(ctx, ref); err == nil {
		k.Commit, k.Ref, k.Message = &commit, ref, checkout.EndingOf(commit).Message
	}
	return k
}

// onTop reports whether it is put on top of newer commits than head.
func (k Kept) onTop(head string) bool { return k.Commit != nil && checkout.ParentOf(*k.Commit) != head }

// needsNoSession reports whether an attempt commits kept work whose checks passed.
func (t Task) needsNoSession(try prompt.Attempt) bool { return t.Kept.Message != "" && try.Resumed }

func (t Task) spec() workspace.Spec {
	_, run := t.Agent.(Shell)
	return workspace.Spec{Files: t.Files, Checks: t.Checks, Session: t.Agent != nil && !run}
}

// mayFail reports whether a person accepted that a check of the task fails.
func (t Task) mayFail(command string) bool { return t.Accepted[journal.NameOfCheck(command)] }

// mostAsked bounds a question, in bytes: it is shown to the person, and to the next session.
const mostAsked = 2000

// Outcome is how a task ended.
type Outcome struct {
	Status       agent.Status // Done only if checks passed and the work is committed
	Reason       string
	Also         []string                // the reasons below the first, without output
	Commit       string                  // the one commit; journal.None if none was needed
	Tree         string                  // the tree that passed the checks, if it is done
	Kept         string                  // the ref that keeps an unfinished attempt
	SetupChanged []string                // changes of the set-up during a session: a person must look, and nothing was committed
	Reported     []string                // what a person should know, such as drift, and fails nothing
	Weakened     []string                // lines of Reported about tests or checks that prove less than before, with the session's reason
	Originals    []string                // refs that keep files of the user's as they were before the session
	Attempts     int                     // the number of the last attempt
	Counted      int                     // the same without those that asked a question
	Result       agent.Result            // what the last session reported
	Session      string                  // the name of that session
	Took         time.Duration           // how long it ran
	Ended        map[string]runner.Ended // how its checks ended the last time
	Paused       bool                    // Pause reported so: the next attempt, or session, is yet to begin
	Refused      bool                    // only git commit refuses it, and no session would help: the same command goes on

	hopeless    bool // another session would fail in the same way
	uncommitted bool // git commit refuses work that passed
}

// Question returns what the session asks, in one line of at most mostAsked bytes.
func (o Outcome) Question() string { return visible.Joined(o.Result.Question, mostAsked) }

func (o Outcome) asked() bool { return o.Status == agent.Blocked && o.SetupChanged == nil }

// Why says in one line why it ended: all of a question, since a person is to answer it.
func (o Outcome) Why() string {
	if o.asked() {
		return o.Question()
	}
	why := visible.FirstLine(o.Reason)
	if n := len(o.Also); n > 0 {
		why += "; and " + visible.Count(n, "more reason")
	}
	return why
}

// stopped reports an end that says nothing about the work, such as a limit, Ctrl-C, or a commit that git cannot make.
func (o Outcome) stopped() bool {
	return o.Refused || !o.Status.CountsAsAttempt() && o.SetupChanged == nil
}

// ShowKept names the command that shows a kept attempt, for the end of a message.
func ShowKept(c *checkout.Checkout, ref string) string {
	if ref == "" {
		return ""
	}
	return "; kept: " + c.Attempts().ShowCommand(ref)
}
