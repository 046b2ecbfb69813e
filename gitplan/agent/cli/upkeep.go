package cli

import "strings"

// upkeep is what a person types to install, update and sign in to a program.
type upkeep struct{ install, update, login string }

var upkeeps = map[string]upkeep{
	"claude":   {"npm install -g @anthropic-ai/claude-code", "claude update", "start claude and type /login"},
	"codex":    {"npm install -g @openai/codex", "npm install -g @openai/codex@latest", "codex login"},
	"gemini":   {"npm install -g @google/gemini-cli", "npm install -g @google/gemini-cli@latest", "start gemini and choose how to sign in"},
	"opencode": {"npm install -g opencode-ai", "opencode upgrade", "opencode auth login"},

	"copilot":          {install: "npm install -g @github/copilot", login: "copilot login"},
	"qwen":             {install: "npm install -g @qwen-code/qwen-code", login: "start qwen and type /auth"},
	"goose":            {login: "goose configure"},
	"cline":            {install: "npm install -g cline", login: "cline auth"},
	"kimi":             {install: "npm install -g @moonshot-ai/kimi-code", login: "start kimi and type /login"},
	"auggie":           {install: "npm install -g @augmentcode/auggie", login: "auggie login"},
	"droid":            {install: "npm install -g droid", login: "start droid and type /login"},
	"cursor-agent":     {login: "cursor-agent login"},
	"claude-agent-acp": {install: "npm install -g @agentclientprotocol/claude-agent-acp", login: "start claude and type /login"},
	"codex-acp":        {install: "npm install -g @agentclientprotocol/codex-acp", login: "codex login"},
}

// Install returns the command that installs the agent's program; "" if it is not known.
func (c *Agent) Install() string { return upkeeps[c.dialect.name].install }

// Named returns the part of planAgent.NAME that names the program, and what it is if that is at path.
func (c *Agent) Named(path string) (key, value string) {
	if c.dialect.acp {
		return "acp", strings.Join(append([]string{path}, c.Args...), " ")
	}
	return "program", path
}
