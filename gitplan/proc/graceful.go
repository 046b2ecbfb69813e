package proc

import "context"

// RunGracefully runs a program that must keep what its sessions did before it ends: when the
// context ends, the program is asked to end, and waited for however long that takes.
func RunGracefully(ctx context.Context, cmd Cmd) (Exit, error) {
	if err := context.Cause(ctx); err != nil {
		return Exit{Code: -1}, err
	}
	over := make(chan struct{})
	defer close(over)
	cmd.OnStart = func(pid int) {
		go func() {
			select {
			case <-ctx.Done():
				_ = Terminate(pid)
			case <-over:
			}
		}()
	}
	return Run(context.WithoutCancel(ctx), cmd)
}
