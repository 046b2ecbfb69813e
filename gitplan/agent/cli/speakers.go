package cli

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// Speaker is a program that is known to speak the Agent Client Protocol.
type Speaker struct {
	name string
	args string // with which it does
	env  []string
	// needs, homes and settings are as those of a dialect, or those of the dialect that like names.
	needs, homes, settings []string
	like                   string
}

// speakers are the programs that are known to speak the protocol. Any other one that does can be
// named as well; of these it is known what to start, and where they keep their own things. claude, codex, gemini and
// opencode are better used as they are.
var speakers = []Speaker{
	{name: "copilot", args: "--acp", env: []string{"COPILOT_AUTO_UPDATE=false"}, needs: []string{"COPILOT_PROVIDER_API_KEY"}, homes: []string{"$COPILOT_HOME/", "~/.copilot/"},
		settings: []string{"config.json", "mcp-config.json", "copilot-instructions.md", "agents", "skills", "hooks"}},
	{name: "qwen", args: "--acp", needs: []string{"OPENAI_*", "DASHSCOPE_API_KEY", "BAILIAN_CODING_PLAN_API_KEY", "GEMINI_API_KEY", "ANTHROPIC_*"}, homes: []string{"~/.qwen/"},
		settings: []string{"settings.json", "trustedFolders.json", "QWEN.md", ".env", "commands", "extensions", "hooks", "skills", "agents", "policies"}},
	{name: "goose", args: "acp", needs: []string{"OPENAI_*", "ANTHROPIC_*", "GOOGLE_*", "OPENROUTER_*", "*_API_KEY"},
		homes:    []string{"$XDG_CONFIG_HOME/goose/", "$XDG_DATA_HOME/goose/", "$XDG_STATE_HOME/goose/", "~/.config/goose/", "~/.local/share/goose/", "~/.local/state/goose/"},
		settings: []string{"config.yaml", "profiles.yaml", ".goosehints", "recipes", "memory"}},
	{name: "cline", args: "--acp", needs: []string{"OPENAI_*", "ANTHROPIC_*", "*_API_KEY"}, homes: []string{"$CLINE_DIR/", "~/.cline/"},
		settings: []string{"settings.json", "rules", "workflows", "hooks", "skills"}},
	{name: "kimi", args: "acp", needs: []string{"KIMI_API_KEY", "MOONSHOT_API_KEY"}, homes: []string{"$KIMI_SHARE_DIR/", "~/.kimi/", "~/.kimi-code/"},
		settings: []string{"config.toml", "config.json", "mcp.json", "skills", "hooks"}},
	{name: "auggie", args: "--acp", env: []string{"AUGMENT_DISABLE_AUTO_UPDATE=1"}, homes: []string{"~/.augment/"}, settings: []string{"settings.json", "rules", "commands", "agents", "hooks"}},
	{name: "droid", args: "exec --output-format acp", env: []string{"DROID_DISABLE_AUTO_UPDATE=true", "FACTORY_DROID_AUTO_UPDATE_ENABLED=false"}, needs: []string{"FACTORY_API_KEY"}, homes: []string{"~/.factory/"},
		settings: []string{"settings.json", "config.json", "mcp.json", "AGENTS.md", "commands", "droids", "hooks", "skills"}},
	{name: "cursor-agent", args: "acp", needs: []string{"CURSOR_API_KEY"}, homes: []string{"$CURSOR_CONFIG_DIR/", "~/.cursor/"},
		settings: []string{"cli-config.json", "mcp.json", "hooks.json", "rules", "commands", "agents", "skills", "extensions"}},
	{name: "vibe-acp", needs: []string{"MISTRAL_API_KEY"}, homes: []string{"$VIBE_HOME/", "~/.vibe/"}, settings: []string{"config.toml", ".env", "agents", "prompts", "skills", "tools"}},
	{name: "qodercli", args: "--acp", homes: []string{"~/.qoder/"}, settings: []string{"settings.json", "AGENTS.md", "commands", "agents", "hooks"}},
	{name: "gemini", args: "--acp", like: "gemini"},
	{name: "opencode", args: "acp", like: "opencode"},
	{name: "claude-agent-acp", like: "claude"},
	{name: "codex-acp", like: "codex"},
}

// speak returns the dialect of a program that speaks the protocol.
func speak(program string) dialect {
	d := dialect{name: filepath.Base(program), acp: true, stay: acpStay}
	d.listen = func() listener {
		return &acpStream{lastOnly: d.name == "opencode", total: d.name == "copilot", kinds: d.name == "claude-agent-acp"}
	}
	d.start = func(*Agent, agent.Session, string) (launch, error) { return launch{}, nil }
	i := slices.IndexFunc(speakers, func(s Speaker) bool { return s.name == d.name })
	if i < 0 {
		return d
	}
	s := speakers[i]
	d.needs, d.homes, d.settings = s.needs, s.homes, s.settings
	if own, ok := dialectOf(s.like); ok {
		d.needs, d.homes, d.settings = own.needs, own.homes, own.settings
	}
	d.start = func(_ *Agent, in agent.Session, scratch string) (l launch, err error) {
		switch s.like {
		case "gemini":
			geminiSwitches(&l)
		case "opencode":
			err = opencodeSwitches(&l, in, scratch)
		}
		for _, kv := range s.env {
			name, value, _ := strings.Cut(kv, "=")
			l.set(name, value)
		}
		return l, err
	}
	return d
}

// Command is what planAgent.NAME.acp is set to for it.
func (s Speaker) Command() string { return strings.TrimSpace(s.name + " " + s.args) }

// Name is that of its program.
func (s Speaker) Name() string { return s.name }

// SpeakerNamed returns the known program that a name means, which may lack the end of the
// program's, as cursor.
func SpeakerNamed(name string) (Speaker, bool) {
	for _, s := range speakers {
		if name == s.name || name == strings.TrimSuffix(s.name, "-agent") {
			return s, true
		}
	}
	return Speaker{}, false
}

// Speakers returns the programs on PATH that are known to speak the Agent Client Protocol, except
// those that need no such setting.
func Speakers() (out []Speaker) {
	for _, s := range speakers {
		if _, ok := proc.Find(s.name); ok && s.like == "" {
			out = append(out, s)
		}
	}
	return out
}
