package cli

import (
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// Agent is one of the installed command-line agents: claude, codex, gemini or
// opencode. It is run once for a session, in its machine-readable mode, with the
// prompt on standard input, and heard line by line. [New] makes one.
type Agent struct {
	AgentName string
	// Program is what is run: a path, or a name on PATH.
	Program string
	// Args are arguments of the person's own. They stand behind ours, so that
	// they win where the last one does.
	Args []string

	Model, Effort string      // where the session names none
	Price         agent.Price // where the program does not tell what a session cost
	// Writable are folders, such as build caches, that a session which writes may
	// write besides its tree, where the program has a sandbox of its own (codex).
	Writable []string
	// Wait is how long the program may go on retrying without getting on.
	Wait time.Duration
	// Versions remembers which version a program is; it may be shared.
	Versions *Versions

	dialect dialect
	stay    time.Duration // see lingering
}

// dialect is what differs between the command-line agents.
type dialect struct {
	name string
	// least is the oldest version that is driven (measured: older ones lack a
	// flag or an event that is needed).
	least string
	// needs are the variables that the program itself needs though sessions are
	// given no keys, and no marks of an agent: patterns as in proc.
	needs []string
	// homes are the folders and files in which the program keeps its own things:
	// it may write them whatever confines it. "$NAME/..." stands for a variable,
	// "~/..." for the home folder; what ends with a slash is made where it is not
	// there, since the program could not make it.
	homes []string
	// settings are what the program obeys of such a folder, also when the person uses
	// it without a sandbox: settings, hooks, commands, plugins, programs. A session
	// cannot change those that are there.
	settings []string
	// sandboxed says that the program confines its commands itself, and cannot
	// do so inside another sandbox.
	sandboxed bool
	// costs says that the program reports at its end what a session cost.
	costs bool
	// start says how the program is started for a session. scratch is a folder
	// of the session's own, removed at its end.
	start func(c *Agent, s agent.Session, scratch string) (launch, error)
	// apart says that sessions that only read are started outside of the tree.
	apart bool
	// listen makes what understands one session's stream.
	listen func() listener
}

// launch is the arguments of a program, what its environment has besides the
// session's, and where it is started; empty: in the session's tree.
type launch struct {
	args []string
	env  [][2]string
	dir  string
}

func (l *launch) add(args ...string) { l.args = append(l.args, args...) }

func (l *launch) set(name, value string) { l.env = append(l.env, [2]string{name, value}) }

// Name implements [Agent].
func (c *Agent) Name() string { return c.AgentName }

// MayWrite implements [Agent].
func (c *Agent) MayWrite() bool { return true }

// Needs returns the variables that the program itself needs: patterns that end with
// a star, or names.
func (c *Agent) Needs() []string { return c.dialect.needs }
