package git

import (
	"errors"
	"fmt"
	"strings"
)

// What callers tell apart by errors.Is.
var (
	ErrNotRepository = errors.New("not in a git repository")
	// ErrTooOld says that git takes no settings from its environment, by which what a repository
	// configures is kept from being run.
	ErrTooOld  = errors.New("this git is too old: " + Oldest + " or newer is needed")
	ErrMissing = errors.New("no such object")
	ErrMoved   = errors.New("the ref was moved by somebody else")
	// ErrLocked says that a lock file of git prevented a change: another git works here, or
	// one died.
	ErrLocked = errors.New("a lock file of git is in the way")
	// ErrConfined says that git died while filters ran in a sandbox.
	ErrConfined = errors.New("a filter may have failed in the sandbox")
)

// Error is a failed git: its arguments, its exit code, and what it printed, which is for the
// person and never read by this program.
type Error struct {
	Args   []string
	Code   int
	Stderr string
	Lock   string // the lock file that was in the way, or "": see ErrLocked

	confined bool // filters ran in a sandbox, and one may have failed: see ErrConfined
}

// Is reports whether e is an ErrLocked or ErrConfined, which git itself says in words only.
func (e *Error) Is(target error) bool {
	return target == ErrLocked && e.Lock != "" || target == ErrConfined && e.confined && e.Code == Died
}

func (e *Error) Error() string {
	if e.Lock != "" {
		return InTheWay(e.Lock)
	}
	words := strings.TrimSpace(e.Stderr)
	if words == "" {
		words = fmt.Sprintf("exit code %d", e.Code)
	}
	subcommand, _ := subcommand(e.Args)
	return fmt.Sprintf("git %s: %s", subcommand, words)
}

// InTheWay returns a sentence that says which lock file is in the way.
func InTheWay(lock string) string {
	return lock + " is in the way: another git works here, or one died"
}

// Code returns git's exit code if err has an *Error, or -1.
func Code(err error) int {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return -1
}

// Died is the exit code of a git that gave up, as opposed to one that answered no.
const Died = 128
