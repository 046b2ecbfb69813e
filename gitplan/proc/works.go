package proc

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/confine"
)

// Works reports whether programs can be confined this way here, by running one
// (measured: 2 to 10 ms). The error is the reason why not, in one line.
func Works(ctx context.Context, k confine.Kind) error {
	if k == confine.Unconfined {
		return nil
	}
	var said bytes.Buffer
	name, args := Shell(":")
	exit, err := Run(ctx, Cmd{Name: name, Args: args, Stderr: &said, Timeout: 10 * time.Second,
		Confine: &confine.Bounds{By: k, Writable: []string{os.TempDir()}, Hidden: []string{os.TempDir()}}})
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
