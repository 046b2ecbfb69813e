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
	// Hooks runs the person's own hooks, where they type what this is; see environ.
	Hooks bool
	// asks only what is configured, which no setting of ours may cover, and which
	// executes nothing.
	asks bool
	// Localised keeps the person's language and terminal, for git commands whose
	// hooks, questions or output are theirs; all others run with LC_ALL=C, and
	// Ctrl-C does not reach them.
	Localised bool
	// Writes marks a call that changes the index, the tree or a ref, which must
	// not be overtaken when this process dies: Repo.OnWrite is told of it.
	Writes bool
}

// subcommand returns the first argument that is not an option of git itself, and what
// follows it.
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
