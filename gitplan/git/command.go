package git

import (
	"io"
	"strings"
)

// Command is one call of git.
type Command struct {
	Args           []string
	Env            []string // added to the repository's
	Stdin          io.Reader
	Stdout, Stderr io.Writer // nil Stderr: kept for the Error
	// Hooks runs the person's own hooks, as if they had typed this command; see environ.
	Hooks bool
	// asks marks a query about the configuration, which no setting of ours may override, and
	// which executes nothing.
	asks bool
	// Localised keeps the person's language and terminal, for commands whose hooks,
	// questions or output are meant for them. All others run with LC_ALL=C, and Ctrl-C
	// does not reach them.
	Localised bool
	// Writes marks a command that changes the index, the work tree or a ref. Nobody may
	// start another one before it has ended, even if this process dies: see Repo.OnWrite.
	Writes bool
}

// subcommand returns the first argument that is not an option of git itself, and the
// arguments after it.
func subcommand(args []string) (name string, rest []string) {
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "-c", args[i] == "-C":
			i++
		case !strings.HasPrefix(args[i], "-"):
			return args[i], args[i+1:]
		}
	}
	return strings.Join(args, " "), nil
}
