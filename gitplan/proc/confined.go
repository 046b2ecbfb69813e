package proc

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/confine"
)

// A program that another one starts, as git starts filters, is confined by having this very
// program started in front of it.

// ConfinedVariable makes this program do nothing but run its arguments as a command,
// whatever they are, confined as the variable says (see [ConfinedSpec]).
const ConfinedVariable = "GIT_PLAN_CONFINED"

// confinedBy is what the variable holds.
type confinedBy struct {
	Confine confine.Bounds
	Without []string // variables that the command is not given
}

// ConfinedSpec returns a value of ConfinedVariable: the command runs within bounds, and without
// some variables of the environment.
func ConfinedSpec(bounds *confine.Bounds, without []string) (string, error) {
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
