package exit

import "slices"

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
	{Busy, "not now, or not here: another git plan works on this plan, a step is open by next, the tree is dirty, a lock file of git is in the way, a merge or rebase is under way, the branch was moved, HEAD is detached, or the branch is protected"},
	{Person, "a person must decide: approval, the question of a step with Ask: yes, a spent budget, a check that fails before any work, a step that another clone seems to have done, or the repository's set-up or the base changed during a session"},
	{NothingLeft, "step and next only: nothing is left to do"},
	{Temporary, "temporary: a rate limit or overload outlasted the waiting, or an agent's command exited with 75; the same command goes on later"},
	{CannotCheck, "verify only: the checks cannot run here, or wrong usage"},
	{NoRepo, "not in a git repository"},
	{Interrupted, "interrupted (131: quit, 143: terminated); the same command goes on where it stopped"},
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
