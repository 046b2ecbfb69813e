package exit

import (
	"slices"

	"github.com/git-plan/git-plan/cmd/git-plan/pages"
)

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

// Codes is the table that the manual page prints.
var Codes = []pages.ExitCode{
	{Code: OK, Meaning: "done"},
	{Code: Error, Meaning: "any other error"},
	{Code: Usage, Meaning: "wrong usage"},
	{Code: Step, Meaning: "a step failed or is blocked, possibly by its session's question, or the verification fails"},
	{Code: Review, Meaning: "review findings remain, or the review did not converge, ran out of rounds, or was incomplete"},
	{Code: Busy, Meaning: "not now, or not here: another git plan works on this plan, a step is open by next, the tree is dirty, a lock file of git is in the way, a merge or rebase is under way, somebody moved the branch, HEAD is detached, or the branch is protected"},
	{Code: Person, Meaning: "a person must decide: approval, the question of a step with Ask: yes, a spent budget, a check that fails before any work, a step that another clone seems to have done, or the repository's set-up or the base changed during a session"},
	{Code: NothingLeft, Meaning: "step and next only: nothing is left to do"},
	{Code: Temporary, Meaning: "temporary: a rate limit or overload outlasted the waiting, or an agent's command exited with 75; the same command goes on later"},
	{Code: CannotCheck, Meaning: "verify only: the checks cannot run here, or wrong usage"},
	{Code: NoRepo, Meaning: "not in a git repository"},
	{Code: Interrupted, Meaning: "interrupted (131: quit, 143: terminated); the same command goes on where it stopped"},
}

// Word returns how a run ended by its code, in a word or three.
func Word(code int) string {
	switch code {
	case OK:
		return "done"
	case Step:
		return "blocked"
	case Review:
		return "findings remain"
	case Person:
		return "waits for you"
	case Temporary:
		return "limited"
	case Busy:
		return "busy"
	case Interrupted, Terminated:
		return "stopped"
	}
	return "failed"
}

// Worst returns the exit code of several runs.
func Worst(codes ...int) int {
	rank := []int{OK, Temporary, Review, Step, Busy, Person, Error, Terminated, Interrupted}
	out := OK
	for _, code := range codes {
		if !slices.Contains(rank, code) {
			code = Error
		}
		if slices.Index(rank, code) > slices.Index(rank, out) {
			out = code
		}
	}
	return out
}
