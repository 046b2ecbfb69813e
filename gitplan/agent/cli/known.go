package cli

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// known are the agents that are known, in the order in which they are looked for.
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

// speakers are more programs that are known to speak the Agent Client Protocol.
var speakers = []dialect{
	{name: "copilot", install: "npm install -g @github/copilot", login: "copilot login", args: []string{"--acp"}, env: [][2]string{{"COPILOT_AUTO_UPDATE", "false"}}, needs: []string{"COPILOT_PROVIDER_API_KEY"}, homes: []string{"$COPILOT_HOME/", "~/.copilot/"},
		settings: []string{"config.json", "mcp-config.json", "copilot-instructions.md", "agents", "skills", "hooks"}},
	{name: "qwen", install: "npm install -g @qwen-code/qwen-code", login: "start qwen and type /auth", args: []string{"--acp"}, needs: []string{"OPENAI_*", "DASHSCOPE_API_KEY", "BAILIAN_CODING_PLAN_API_KEY", "GEMINI_API_KEY", "ANTHROPIC_*"}, homes: []string{"~/.qwen/"},
		settings: []string{"settings.json", "trustedFolders.json", "QWEN.md", ".env", "commands", "extensions", "hooks", "skills", "agents", "policies"}},
	{name: "goose", login: "goose configure", args: []string{"acp"}, needs: []string{"OPENAI_*", "ANTHROPIC_*", "GOOGLE_*", "OPENROUTER_*", "*_API_KEY"},
		homes:    []string{"$XDG_CONFIG_HOME/goose/", "$XDG_DATA_HOME/goose/", "$XDG_STATE_HOME/goose/", "~/.config/goose/", "~/.local/share/goose/", "~/.local/state/goose/"},
		settings: []string{"config.yaml", "profiles.yaml", ".goosehints", "recipes", "memory"}},
	{name: "cline", install: "npm install -g cline", login: "cline auth", args: []string{"--acp"}, needs: []string{"OPENAI_*", "ANTHROPIC_*", "*_API_KEY"}, homes: []string{"$CLINE_DIR/", "~/.cline/"},
		settings: []string{"settings.json", "rules", "workflows", "hooks", "skills"}},
	{name: "kimi", install: "npm install -g @moonshot-ai/kimi-code", login: "start kimi and type /login", args: []string{"acp"}, needs: []string{"KIMI_API_KEY", "MOONSHOT_API_KEY"}, homes: []string{"$KIMI_SHARE_DIR/", "~/.kimi/", "~/.kimi-code/"},
		settings: []string{"config.toml", "config.json", "mcp.json", "skills", "hooks"}},
	{name: "auggie", install: "npm install -g @augmentcode/auggie", login: "auggie login", args: []string{"--acp"}, env: [][2]string{{"AUGMENT_DISABLE_AUTO_UPDATE", "1"}}, homes: []string{"~/.augment/"}, settings: []string{"settings.json", "rules", "commands", "agents", "hooks"}},
	{name: "droid", install: "npm install -g droid", login: "start droid and type /login", args: []string{"exec", "--output-format", "acp"}, env: [][2]string{{"DROID_DISABLE_AUTO_UPDATE", "true"}, {"FACTORY_DROID_AUTO_UPDATE_ENABLED", "false"}}, needs: []string{"FACTORY_API_KEY"}, homes: []string{"~/.factory/"},
		settings: []string{"settings.json", "config.json", "mcp.json", "AGENTS.md", "commands", "droids", "hooks", "skills"}},
	{name: "cursor-agent", login: "cursor-agent login", args: []string{"acp"}, needs: []string{"CURSOR_API_KEY"}, homes: []string{"$CURSOR_CONFIG_DIR/", "~/.cursor/"},
		settings: []string{"cli-config.json", "mcp.json", "hooks.json", "rules", "commands", "agents", "skills", "extensions"}},
	{name: "vibe-acp", needs: []string{"MISTRAL_API_KEY"}, homes: []string{"$VIBE_HOME/", "~/.vibe/"}, settings: []string{"config.toml", ".env", "agents", "prompts", "skills", "tools"}},
	{name: "qodercli", args: []string{"--acp"}, homes: []string{"~/.qoder/"}, settings: []string{"settings.json", "AGENTS.md", "commands", "agents", "hooks"}},
}

// Names returns the names of the command-line agents that are known.
func Names() (out []string) {
	for _, d := range known {
		out = append(out, d.name)
	}
	return out
}

func dialectOf(list []dialect, name string) (dialect, bool) {
	i := slices.IndexFunc(list, func(d dialect) bool { return d.name == name })
	if i < 0 {
		return dialect{}, false
	}
	return list[i], true
}

// New checks c, whose AgentName is one of [Names], and fills in what is empty.
func New(c Agent) (*Agent, error) {
	d, ok := dialectOf(known, c.AgentName)
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
	d, ok := dialectOf(known, strings.TrimSuffix(strings.TrimSuffix(name, "-acp"), "-agent"))
	if !ok {
		d, _ = dialectOf(speakers, name)
	}
	c.dialect = dialect{name: name, needs: d.needs, homes: d.homes, settings: d.settings, env: d.env, install: d.install, login: d.login,
		acp: true, stay: acpStay, start: startACP,
		listen: func() listener { return &acpStream{lastOnly: name == "opencode", total: name == "copilot"} }}
	c.named = true
	return c.ready()
}

// startACP gives a program nothing but its own switches; it is told the rest in the protocol.
func startACP(c *Agent, s agent.Session, scratch string) (launch, error) {
	l := launch{args: slices.Clone(c.dialect.args), env: slices.Clone(c.dialect.env)}
	if c.dialect.name == "opencode" {
		err := opencodeSwitches(&l, s, scratch)
		return l, err
	}
	return l, nil
}

// ready fills in what is empty.
func (c Agent) ready() *Agent {
	c.Program = cmp.Or(c.Program, c.dialect.name)
	c.Wait = cmp.Or(c.Wait, retryWait)
	c.stay = cmp.Or(c.stay, c.dialect.stay, lingering)
	return &c
}

// Speaker is such a program, and what planAgent.NAME.acp is set to for it.
type Speaker struct{ Name, Command string }

// Speakers returns the programs that are known to speak the Agent Client Protocol.
func Speakers() (out []Speaker) {
	for _, d := range speakers {
		out = append(out, Speaker{d.name, strings.Join(append([]string{d.name}, d.args...), " ")})
	}
	return out
}
