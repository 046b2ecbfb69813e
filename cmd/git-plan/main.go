package main

import (
	"os"
	"strings"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
)

func main() { os.Exit(run(os.Args)) }

// run runs one command and returns its exit code.
func run(args []string) int {
	if glance := glances[strings.Join(args[1:min(len(args), 2)], "")]; glance != nil {
		app := newApp(glance())
		return exit.Report(os.Stderr, app.Run(arrange(app, args)))
	}
	ctx := interruptible()
	app := newApp(commands()...)
	err := app.RunContext(ctx, arrange(app, args))
	exit.Report(os.Stderr, err)
	return exitCode(ctx, err)
}
