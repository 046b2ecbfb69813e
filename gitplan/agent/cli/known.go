package cli

import (
	"cmp"
	_ "embed" // speakers.json
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// known lists the agents that are known, in the order in which they are looked for.
var known = []dialect{claude, codex, gemini, opencode}

// gemini is Google's Gemini CLI.
var gemini = dialect{
	name: "gemini", least: "0.34.0", acp: true, args: []string{"--acp"}, stay: acpStay,
	needs:    []string{"GEMINI_API_KEY", "GEMINI_MODEL", "GEMINI_CLI_HOME", "GOOGLE_*"},
	homes:    []string{"$GEMINI_CLI_HOME/.gemini/", "~/.gemini/"},
	settings: []string{"settings.json", "trustedFolders.json", "GEMINI.md", ".env", "commands", "extensions", "hooks", "skills", "agents", "policies"},
	env:      [][2]string{{"GEMINI_CLI_TRUST_WORKSPACE", "true"}, {"GEMINI_CLI_NO_RELAUNCH", "true"}, {"GEMINI_TELEMETRY_ENABLED", "false"}},
	install:  "npm install -g @google/gemini-cli", update: "npm install -g @google/gemini-cli@latest", login: "start gemini and choose how to sign in",
	start:  startACP,
	listen: func() listener { return &acpStream{} },
}

//go:embed speakers.json
var speakersJSON []byte

// Speaker is another program that is known to speak the Agent Client Protocol. Its fields are those of a dialect.
type Speaker struct {
	Name, Install, Login         string
	Args, Needs, Homes, Settings []string
	Env                          [][2]string
}

// Command returns what planAgent.NAME.acp is set to for it.
func (s Speaker) Command() string { return strings.Join(append([]string{s.Name}, s.Args...), " ") }

// Speakers returns them, as speakers.json lists them.
func Speakers() (out []Speaker) {
	if err := json.Unmarshal(speakersJSON, &out); err != nil {
		panic(err)
	}
	return out
}

// Names returns the names of the command-line agents that are known.
func Names() (out []string) {
	for _, d := range known {
		out = append(out, d.name)
	}
	return out
}

func dialectOf(name string) (dialect, bool) {
	i := slices.IndexFunc(known, func(d dialect) bool { return d.name == name })
	if i < 0 {
		return dialect{}, false
	}
	return known[i], true
}

// New checks c, whose AgentName is one of [Names], and fills in what is empty.
func New(c Agent) (*Agent, error) {
	d, ok := dialectOf(c.AgentName)
	if !ok {
		return nil, fmt.Errorf("agent %s is not one of %s", agent.OneLine(c.AgentName, 80), strings.Join(Names(), ", "))
	}
	c.dialect = d
	return c.ready(), nil
}

// NewACP fills in what is empty of an agent whose program speaks the Agent Client Protocol if it is
// started with c.Args. An adapter of a known agent keeps its things where that one does.
func NewACP(c Agent) *Agent {
	name := filepath.Base(c.Program)
	d, _ := dialectOf(strings.TrimSuffix(strings.TrimSuffix(name, "-acp"), "-agent"))
	for _, s := range Speakers() {
		if s.Name == name {
			d = dialect{needs: s.Needs, homes: s.Homes, settings: s.Settings, env: s.Env, install: s.Install, login: s.Login}
		}
	}
	c.dialect = dialect{name: name, needs: d.needs, homes: d.homes, settings: d.settings, env: d.env, install: d.install, login: d.login,
		acp: true, stay: acpStay, start: startACP,
		listen: func() listener { return &acpStream{lastOnly: name == "opencode", total: name == "copilot"} }}
	c.named = true
	return c.ready()
}

// startACP gives a program nothing but its own switches; it is told the rest in the protocol.
func startACP(c *Agent, s agent.Session, scratch string) launch {
	l := launch{args: slices.Clone(c.dialect.args), env: slices.Clone(c.dialect.env)}
	if c.dialect.name == "opencode" {
		opencodeSwitches(&l, s, scratch)
	}
	return l
}

// ready fills in what is empty.
func (c Agent) ready() *Agent {
	c.Program = cmp.Or(c.Program, c.dialect.name)
	if strings.HasPrefix(c.Program, "~/") { // as the shell has it elsewhere
		c.Program, _ = atHome(c.Program)
	}
	c.Wait = cmp.Or(c.Wait, retryWait)
	c.stay = cmp.Or(c.stay, c.dialect.stay, lingering)
	return &c
}
