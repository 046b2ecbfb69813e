package notify

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-plan/git-plan/gitplan/proc"
)

// run runs a command of the person's own configuration, as git runs an alias of that form. The
// message is in its environment, so that no quoting can make a command of it.
func run(ctx context.Context, command string, m Message) error {
	name, args := proc.Shell(command)
	said := &proc.Tail{}
	exit, err := proc.Run(ctx, proc.Cmd{
		Name: name, Args: args, Outside: true, Group: true, Timeout: timeout, Stdout: said, Stderr: said,
		Env: append(proc.Clean(), "GIT_PLAN_TITLE="+m.Title, "GIT_PLAN_TEXT="+m.Text, "GIT_PLAN_STATE="+m.State),
	})
	switch {
	case err != nil:
		return err
	case exit.TimedOut:
		return errors.New("it did not end in time")
	case !exit.OK():
		return fmt.Errorf("it exited with %d", exit.Code)
	}
	return nil
}
