package cli

// upkeep is what a person types to have a program and to sign in to it.
type upkeep struct{ install, update, login string }

var upkeeps = map[string]upkeep{
	"claude":   {"npm install -g @anthropic-ai/claude-code", "claude update", "start claude and type /login"},
	"codex":    {"npm install -g @openai/codex", "npm install -g @openai/codex@latest", "codex login"},
	"gemini":   {"npm install -g @google/gemini-cli", "npm install -g @google/gemini-cli@latest", "start gemini and choose how to sign in"},
	"opencode": {"npm install -g opencode-ai", "opencode upgrade", "opencode auth login"},
}

// Install returns the command that installs a known command-line agent; "" for another.
func Install(name string) string { return upkeeps[name].install }
