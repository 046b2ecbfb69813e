package proc

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// Works runs a program (2 to 10 ms) and returns, in one line, why none can be confined this way here; nil if they can.
func Works(ctx context.Context, k SandboxKind) error {
	if k == Unconfined {
		return nil
	}
	var printed bytes.Buffer
	name, args := Shell(":")
	exit, err := Run(ctx, Cmd{Name: name, Args: args, Stderr: &printed, Timeout: 10 * time.Second,
		Confine: &Bounds{By: k, Writable: []string{os.TempDir()}, Hidden: []string{os.TempDir()}}})
	switch {
	case err != nil:
		return cmp.Or(errors.Unwrap(err), err)
	case !exit.OK():
		return fmt.Errorf("%s exits with %d: %s", k, exit.Code, visible.FirstLine(printed.String()))
	}
	return nil
}

// ConfinedVariable makes this program do nothing but run its arguments as a command, confined as the variable says
// (see [ConfinedSpec]). It confines programs that are started by others, such as git's filters.
const ConfinedVariable = "GIT_PLAN_CONFINED"

// confinedBy is what the variable holds.
type confinedBy struct {
	Confine Bounds
	Without []string // variables that the command is not given
}

// ConfinedSpec returns a value of ConfinedVariable for a command within bounds, and without some variables.
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

// runConfined runs a command as a value of ConfinedVariable says, and returns its exit code; 126 if it cannot.
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
