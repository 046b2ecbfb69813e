package cli

import (
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// Agent is one of the installed command-line agents: claude, codex, gemini or
// opencode, or one that speaks the Agent Client Protocol. It is run once for a session, in its
// machine-readable mode, with the prompt on standard input, and its output is read line by line. [New] and
// [NewACP] make one.
type Agent struct {
	AgentName string
	// Program is what is run: a path, or a name on PATH.
	Program string
	// Args are arguments of the person's own. They come after ours, so that they win if the
	// last one does.
	Args []string

	Model, Effort string      // if the session names none
	Price         agent.Price // if the program does not report what a session cost
	// Writable are folders, such as build caches, that a session which writes may write besides
	// its tree, if the program has a sandbox of its own (codex).
	Writable []string
	// Wait is how long the program may keep retrying without progress.
	Wait time.Duration

	dialect dialect
	named   bool          // by planAgent.NAME.acp
	stay    time.Duration // see lingering
}

// dialect is what differs between the command-line agents.
type dialect struct {
	name string
	// least is the oldest version that works (measured: older ones lack a flag or an event that
	// is needed).
	least string
	// needs are the variables that the program itself needs, though sessions get no keys and no
	// marks of an agent: patterns as in proc.
	needs []string
	// homes are the folders and files in which the program keeps its own things:
	// it may write them whatever confines it. "$NAME/..." stands for a variable,
	// "~/..." for the home folder; one that ends with a slash is made if it does not
	// exist, since the program could not make it.
	homes []string
	// settings are the files in such a folder that the program obeys, also when the person uses
	// it without a sandbox: settings, hooks, commands, plugins, programs. A session cannot
	// change those that exist.
	settings []string
	// sandboxed is set if the program confines its commands itself, which it cannot do inside
	// another sandbox.
	sandboxed bool
	// costs is set if the program reports at its end what a session cost.
	costs bool
	// acp is set if the program speaks the Agent Client Protocol.
	acp bool
	// stay is how long the program may stay after its session has ended; zero: lingering.
	stay time.Duration
	// start returns how the program is started for a session. scratch is a folder of the
	// session's own, removed at its end.
	start func(c *Agent, s agent.Session, scratch string) (launch, error)
	// args and env are what a program that speaks the Agent Client Protocol is started with.
	args []string
	env  [][2]string
	// install, update and login are what a person types for that; "" if it is not known.
	install, update, login string
	// listen returns a listener for one session's stream.
	listen func() listener
}

// launch holds the arguments of a program, and the variables that it gets in addition to the
// session's.
type launch struct {
	args []string
	env  [][2]string
}

func (l *launch) add(args ...string) { l.args = append(l.args, args...) }

func (l *launch) set(name, value string) { l.env = append(l.env, [2]string{name, value}) }

// Name implements [agent.Agent].
func (c *Agent) Name() string { return c.AgentName }

// OwnSandbox reports whether the program confines its commands itself, so that nothing else does.
func (c *Agent) OwnSandbox() bool { return c.dialect.sandboxed }

// MayWrite implements [agent.Agent].
func (c *Agent) MayWrite() bool { return true }

// Needs returns the variables that the program itself needs: patterns that end with
// a star, or names.
func (c *Agent) Needs() []string { return c.dialect.needs }
