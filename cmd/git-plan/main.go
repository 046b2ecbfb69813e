package main

import (
	"os"
	"strings"
)

func main() { os.Exit(run(os.Args)) }

// run runs one command and returns its exit code.
func run(args []string) int {
	if glance := glances[strings.Join(args[1:min(len(args), 2)], "")]; glance != nil {
		app := newApp(glance())
		return report(os.Stderr, app.Run(arrange(app, args)))
	}
	ctx := interruptible()
	app := newApp(commands()...)
	err := app.RunContext(ctx, arrange(app, args))
	report(os.Stderr, err)
	return exitCode(ctx, err)
}
