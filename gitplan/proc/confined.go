package proc

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"github.com/git-plan/git-plan/gitplan/fault"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"
)

// setUps is how often at most a sandbox is set up for one program: bwrap ends before it starts the
// program if one of the files that it is given is gone by then, such as the socket of an editor.
const setUps = 2

// Why bwrap did not start a program: the first may be another one with a new list of files.
var (
	errSetUp       = errors.New("bwrap could not set up the sandbox")
	errNoNamespace = errors.New("bwrap exits with 1")
)

// neverBegan returns the error of a program that bwrap did not start, and what bwrap said.
func neverBegan(why error, said string) error {
	if !errors.Is(why, errSetUp) && !errors.Is(why, errNoNamespace) {
		return why
	}
	text := why.Error()
	if line, _, _ := strings.Cut(strings.TrimSpace(said), "\n"); line != "" {
		text += ": " + strings.ToValidUTF8(line, "?")
	}
	return &fault.Fault{Kind: fault.ErrSandbox, Cause: why, Text: text}
}

// rewound brings an input back to its start for another try, and reports whether it could. Of a
// file nothing was read yet.
func rewound(in io.Reader) bool {
	if _, isFile := in.(*os.File); in == nil || isFile {
		return true
	}
	s, ok := in.(io.Seeker)
	if !ok {
		return false
	}
	_, err := s.Seek(0, io.SeekStart)
	return err == nil
}

// Works reports whether programs can be confined this way here, by running one
// (measured: 2 to 10 ms). The error is the reason why not, in one line.
func Works(ctx context.Context, k SandboxKind) error {
	if k == Unconfined {
		return nil
	}
	var said bytes.Buffer
	name, args := Shell(":")
	exit, err := Run(ctx, Cmd{Name: name, Args: args, Stderr: &said, Timeout: 10 * time.Second,
		Confine: &Bounds{By: k, Writable: []string{os.TempDir()}, Hidden: []string{os.TempDir()}}})
	line, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n")
	line = strings.ToValidUTF8(line, "?")
	switch cause := errors.Unwrap(err); {
	case cause != nil && line != "":
		return fmt.Errorf("%w: %s", cause, line)
	case err != nil:
		return cmp.Or(cause, err)
	case !exit.OK():
		return fmt.Errorf("%s exits with %d: %s", k, exit.Code, line)
	}
	return nil
}

// A program that another one starts, as git starts filters, is confined by having this very
// program started in front of it.

// ConfinedVariable makes this program do nothing but run its arguments as a command,
// whatever they are, confined as the variable says (see [ConfinedSpec]).
const ConfinedVariable = "GIT_PLAN_CONFINED"

// confinedBy is what the variable holds.
type confinedBy struct {
	Confine Bounds
	Without []string // variables that the command is not given
}

// ConfinedSpec returns a value of ConfinedVariable: the command runs within bounds, and without
// some variables of the environment.
func ConfinedSpec(bounds *Bounds, without []string) (string, error) {
	text, err := json.Marshal(confinedBy{*bounds, without})
	return string(text), err
}

// init takes over before anything else of this program begins, as it does for a supervisor.
func init() {
	if spec, ok := os.LookupEnv(ConfinedVariable); ok && len(os.Args) > 1 {
		_ = os.Unsetenv(ConfinedVariable)
		os.Exit(runConfined(spec, os.Args[1:]))
	}
}

// runConfined runs a command as a value of ConfinedVariable says, and returns its exit code;
// 126, as a shell does, if it cannot be run so.
func runConfined(spec string, args []string) int {
	var c confinedBy
	err := json.Unmarshal([]byte(spec), &c)
	if err == nil {
		env := slices.DeleteFunc(os.Environ(), func(kv string) bool {
			name, _, _ := strings.Cut(kv, "=")
			return slices.Contains(c.Without, name)
		})
		var exit Exit
		exit, err = Run(context.Background(), Cmd{Name: args[0], Args: args[1:], Env: env, Confine: &c.Confine, Group: true,
			Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, MaxOutput: math.MaxInt64})
		if err == nil {
			return exit.Code
		}
	}
	fmt.Fprintln(os.Stderr, "it cannot be confined:", err)
	return 126
}
