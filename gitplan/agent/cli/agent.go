package cli

import (
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// Agent is an installed command-line agent, as [New] and [NewACP] make it.
type Agent struct {
	AgentName string
	// Program is the program to run: a path, or a name on PATH.
	Program string
	Args    []string // the person's own, which come last

	Model, Effort string      // if the session names none
	Price         agent.Price // if the program does not report what a session cost
	// Writable are the folders, such as build caches, that may be written in the program's own sandbox (codex).
	Writable []string
	Wait     time.Duration // how long the program may keep retrying without progress

	dialect dialect
	named   bool          // by planAgent.NAME.acp
	stay    time.Duration // see lingering
}

// dialect is what differs between the command-line agents.
type dialect struct {
	name  string
	least string   // the oldest version that works (measured: older ones lack a flag or an event)
	needs []string // variables that the program itself needs, also keys: patterns as in proc
	// homes are the folders and files in which the program keeps its state: it may write them under any sandbox.
	// "$NAME/..." stands for a variable, "~/..." for the home folder; one that ends with a slash is created if it
	// does not exist, since the program could not create it.
	homes []string
	// settings are patterns of files there that the program obeys, such as hooks: no session can change existing
	// ones.
	settings  []string
	sandboxed bool          // the program confines its commands itself, which it cannot do in another sandbox
	costs     bool          // it reports at its end what a session cost
	acp       bool          // it speaks the Agent Client Protocol
	stay      time.Duration // how long it may stay after its session has ended; 0: lingering
	// start returns how the program is started. scratch is a folder of the session's own.
	start func(c *Agent, s agent.Session, scratch string) launch
	args  []string // of a program that speaks the Agent Client Protocol
	env   [][2]string
	// install, update and login are what a person types for that; "" if it is not known.
	install, update, login string
	listen                 func() listener // for one session's stream
}

// launch holds the arguments of a program, and variables besides the session's.
type launch struct {
	args  []string
	env   [][2]string
	close func() // what is to be done at the end of the session; may be nil
}

func (l *launch) add(args ...string) { l.args = append(l.args, args...) }

func (l *launch) set(name, value string) { l.env = append(l.env, [2]string{name, value}) }

func (c *Agent) Name() string { return c.AgentName }

// OwnSandbox reports whether the program confines its commands itself, so that nothing else does.
func (c *Agent) OwnSandbox() bool { return c.dialect.sandboxed }

func (c *Agent) MayWrite() bool { return true }

// Needs returns the variables that the program itself needs: names, or patterns that end with a star.
func (c *Agent) Needs() []string { return c.dialect.needs }
