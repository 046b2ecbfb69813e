package git

import (
	"errors"
	"fmt"
	"strings"
)

// Sentinels of this package.
var (
	ErrNotRepository = errors.New("not in a git repository")
	ErrMissing       = errors.New("no such object")
	ErrMoved         = errors.New("the ref was moved by somebody else")
	// ErrLocked says that a lock file of git stands in the way of a change: another git
	// works here, or one died.
	ErrLocked = errors.New("a lock file of git is in the way")
	// ErrConfined says that git died where filters ran confined.
	ErrConfined = errors.New("a filter may have failed in the sandbox")
)

// Error is git's refusal: what was asked, its exit code, and its own words,
// which are for the person and never read by this program.
type Error struct {
	Args   []string
	Code   int
	Stderr string
	Lock   string // the lock file that was in the way, if one was: ErrLocked

	confined bool // filters ran confined, one of which may have failed: ErrConfined
}

// Is reports what git itself says in words only.
func (e *Error) Is(target error) bool {
	return target == ErrLocked && e.Lock != "" || target == ErrConfined && e.confined && e.Code == 128
}

func (e *Error) Error() string {
	if e.Lock != "" {
		return InTheWay(e.Lock, "")
	}
	words := strings.TrimSpace(e.Stderr)
	if words == "" {
		words = fmt.Sprintf("exit code %d", e.Code)
	}
	subcommand, _ := subcommand(e.Args)
	return fmt.Sprintf("git %s: %s", subcommand, words)
}

// InTheWay returns a sentence that a lock file is in the way, and who may hold it.
func InTheWay(lock, who string) string {
	if who == "" {
		return fmt.Sprintf("%s is in the way: another git works here, or one died", lock)
	}
	return fmt.Sprintf("%s is in the way: %s is at work here", lock, who)
}

// Code returns the exit code in an error of this package, or -1.
func Code(err error) int {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return -1
}

// Died is the exit code of a git that could not do at all what it was to do.
const Died = 128
