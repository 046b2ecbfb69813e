package cli

import (
	"cmp"
	_ "embed" // speakers.json
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// Agent is an installed command-line agent, as [New] and [NewACP] make it.
type Agent struct {
	AgentName string
	Program   string   // a path, or a name on PATH
	Args      []string // the person's own arguments, which come last

	Model, Effort string      // the defaults for sessions that name none
	Price         agent.Price // the price for programs that do not report the cost of a session
	// Writable are the folders, such as build caches, that may be written in the program's own sandbox (codex).
	Writable []string
	Wait     time.Duration // the limit of the program's retries without progress

	dialect dialect
	named   bool          // planAgent.NAME.acp configures the agent
	stay    time.Duration // the time that the program may run after its end; see lingering
}

// Speaker is a program that is known to speak the Agent Client Protocol, as speakers.json lists it.
type Speaker struct {
	Name  string
	Args  []string
	Env   [][2]string
	Needs []string // patterns of the variables that the program itself needs, also of keys
	// Homes are the folders and files in which the program keeps its state: it may write them under any sandbox.
	// "$NAME/..." stands for a variable, "~/..." for the home folder; one that ends with a slash is created if it
	// does not exist, since the program could not create it.
	Homes []string
	// Settings are patterns of files there that the program obeys, such as hooks: no session can change existing ones.
	Settings       []string
	Install, Login string // the commands with which a person installs it and logs in; "" if unknown
}

// dialect is what differs between the command-line agents.
type dialect struct {
	Speaker
	oldest    string // the oldest version that works (measured: older ones lack a flag or an event)
	update    string // the command with which a person updates it
	sandboxed bool   // the program confines its commands itself, which is impossible in another sandbox
	costs     bool   // it reports the cost of the session at its end
	acp       bool   // it speaks the Agent Client Protocol
	// start returns how the program is started. scratch is a folder of the session's own.
	start  func(c *Agent, s agent.Session, scratch string) launch
	listen func(*streamState) listener // returns the reader of one session's stream
}

// launch holds the arguments of a program, and variables besides the session's.
type launch struct {
	args  []string
	env   [][2]string
	close func() // the function that is called at the end of the session; may be nil
}

func (l *launch) add(args ...string) { l.args = append(l.args, args...) }
func (l *launch) addSet(flag, value string) {
	if value != "" {
		l.add(flag, value)
	}
}
func (l *launch) set(name, value string) { l.env = append(l.env, [2]string{name, value}) }

func (c *Agent) Name() string   { return c.AgentName }
func (c *Agent) MayWrite() bool { return true }

// NamesNoPrice reports whether what its sessions cost stays unknown: neither the program nor a setting says it.
func (c *Agent) NamesNoPrice() bool {
	return c.Price == (agent.Price{}) && !c.dialect.costs && !c.dialect.acp // some of these say it
}

// OwnSandbox reports whether the program confines its commands itself, so that nothing else does.
func (c *Agent) OwnSandbox() bool { return c.dialect.sandboxed }

// Needs returns the variables that the program itself needs: names, or patterns that end with a star.
func (c *Agent) Needs() []string { return c.dialect.Needs }

// known lists the agents that are known, in the order in which they are looked for.
var known = []dialect{claude, codex, gemini, opencode}

// gemini is Google's Gemini CLI.
var gemini = dialect{
	Speaker: Speaker{Name: "gemini", Args: []string{"--acp"},
		Needs: []string{"GEMINI_API_KEY", "GEMINI_MODEL", "GEMINI_CLI_HOME", "GOOGLE_*"},
		Homes: []string{"$GEMINI_CLI_HOME/.gemini/", "~/.gemini/"},
		Settings: []string{"settings.json", "trustedFolders.json", "GEMINI.md", ".env", "commands", "extensions", "hooks",
			"skills", "agents", "policies"},
		Env: [][2]string{{"GEMINI_CLI_TRUST_WORKSPACE", "true"}, {"GEMINI_CLI_NO_RELAUNCH", "true"},
			{"GEMINI_TELEMETRY_ENABLED", "false"}},
		Install: "npm install -g @google/gemini-cli", Login: "start gemini and choose how to sign in"},
	oldest: "0.34.0", update: "npm install -g @google/gemini-cli@latest",
	acp: true, start: startACP,
	listen: func(h *streamState) listener { return &acpStream{state: h} },
}

//go:embed speakers.json
var speakersJSON []byte

// Command returns what planAgent.NAME.acp is set to for it.
func (s Speaker) Command() string { return strings.Join(append([]string{s.Name}, s.Args...), " ") }

// Speakers returns all that are known.
func Speakers() (out []Speaker) {
	if err := json.Unmarshal(speakersJSON, &out); err != nil {
		panic(err)
	}
	return out
}

// Names returns the names of the command-line agents that are known.
func Names() (out []string) {
	for _, d := range known {
		out = append(out, d.Name)
	}
	return out
}

// dialectOf returns the dialect of a known agent; an empty one for any other name.
func dialectOf(name string) (d dialect) {
	if i := slices.IndexFunc(known, func(d dialect) bool { return d.Name == name }); i >= 0 {
		d = known[i]
	}
	return d
}

// New fills in what is empty of c, whose AgentName is one of [Names].
func New(c Agent) *Agent {
	c.dialect = dialectOf(c.AgentName)
	return c.ready()
}

// NewACP fills in what is empty of an agent whose program speaks the Agent Client Protocol if it is
// started with c.Args. An adapter of a known agent keeps its things where that one does.
func NewACP(c Agent) *Agent {
	name := filepath.Base(c.Program)
	speaks := dialectOf(strings.TrimSuffix(strings.TrimSuffix(name, "-acp"), "-agent")).Speaker
	all := Speakers()
	if i := slices.IndexFunc(all, func(s Speaker) bool { return s.Name == name }); i >= 0 {
		speaks = all[i]
	}
	speaks.Name, speaks.Args = name, nil
	c.dialect = dialect{Speaker: speaks, acp: true, start: startACP,
		listen: func(h *streamState) listener {
			return &acpStream{state: h, lastOnly: name == "opencode", total: name == "copilot"}
		}}
	c.named = true
	return c.ready()
}

// startACP gives a program nothing but its own switches; it is told the rest in the protocol.
func startACP(c *Agent, s agent.Session, scratch string) launch {
	l := launch{args: slices.Clone(c.dialect.Args), env: slices.Clone(c.dialect.Env)}
	if c.dialect.Name == "opencode" {
		opencodeSwitches(&l, s, scratch)
	}
	return l
}

func (c Agent) ready() *Agent {
	c.Program = cmp.Or(c.Program, c.dialect.Name)
	if strings.HasPrefix(c.Program, "~/") { // as the shell has it elsewhere
		c.Program, _ = atHome(c.Program)
	}
	c.Wait = cmp.Or(c.Wait, retryWait)
	c.stay = cmp.Or(c.stay, lingering)
	return &c
}
