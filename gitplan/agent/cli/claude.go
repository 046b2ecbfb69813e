package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// claude is Claude Code. From 2.1.159 on it reports retries and the HTTP status of errors (measured).
var claude = dialect{
	Speaker: Speaker{Name: "claude", Needs: []string{"ANTHROPIC_*", "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_OAUTH_TOKEN",
		"CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_MAX_OUTPUT_TOKENS", "CLAUDE_CODE_MAX_RETRIES"},
		// The keychain has its login on macOS.
		Homes: []string{"$CLAUDE_CONFIG_DIR/", "~/.claude/", "~/.claude.json", "~/Library/Keychains"},
		// Scripts may print the status line; running sessions read the snapshots before each command.
		Settings: []string{"settings.json", "settings.local.json", "CLAUDE.md", "rules", "hooks", "commands", "agents",
			"skills", "output-styles", "plugins", "keybindings.json", "local", "remote-settings.json", "scripts", "bin",
			"*.sh", "*.py", "*.js", "shell-snapshots/*", "session-env/*", "daemon/dispatch"},
		Install: "npm install -g @anthropic-ai/claude-code",
		Login:   "start claude and type /login; or, if ANTHROPIC_API_KEY is set, set a key that is valid"},
	oldest: "2.1.159", update: "claude update",
	costs: true, start: startClaude,
	listen: func(h *streamState) listener { return &claudeStream{state: h} },
}

// startClaude denies a session that only reads every tool that does more, whatever the person's settings
// allow. The settings and hooks of the repository are not loaded, since they are not trusted.
func startClaude(_ *Agent, s agent.Session, _ string) launch {
	l := launch{args: []string{"-p", "--output-format", "stream-json", "--verbose", "--setting-sources", "user"}}
	if s.Role.Writes() {
		l.add("--permission-mode", "acceptEdits", "--allowedTools", "Bash,Edit,Write,NotebookEdit,Read,Glob,Grep",
			"--json-schema", endSchema)
	} else {
		l.add("--permission-mode", "dontAsk", "--strict-mcp-config", "--allowedTools", "Read,Glob,Grep",
			"--disallowedTools", "Bash,Edit,Write,NotebookEdit,WebFetch,WebSearch,Task,Agent,Skill,Workflow,EnterWorktree,CronCreate")
	}
	l.addSet("--model", s.Model)
	l.addSet("--effort", s.Effort)
	if s.MaxUSD > 0 {
		l.add("--max-budget-usd", strconv.FormatFloat(s.MaxUSD, 'f', -1, 64))
	}
	for _, name := range []string{"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_TELEMETRY",
		"DISABLE_ERROR_REPORTING", "DISABLE_AUTOUPDATER"} {
		l.set(name, "1")
	}
	return l
}

// claudeStream reads claude's stream. is_error decides, not subtype: API errors are of subtype success.
type claudeStream struct {
	state   *streamState
	started bool
	message string // the id of the last message
	word    string // the kind of error in the last message; "" without one
	denied  string
	resets  time.Time // the end of the subscription's limit that was hit
	result  *claudeLine
}

type claudeLine struct {
	Type, Subtype string
	Error, Model  string
	Tool          string  `json:"tool_name"`
	ErrorStatus   int     `json:"error_status"`
	Delay         float64 `json:"retry_delay_ms"`
	Limit         struct {
		Status   string
		ResetsAt int64
	} `json:"rate_limit_info"`
	Message struct {
		ID      string
		Content []claudeBlock
		Usage   claudeUsage
	}

	IsError bool `json:"is_error"`
	Result  string
	Errors  []string
	// Structured is what the model gave to the tool of endSchema.
	Structured json.RawMessage `json:"structured_output"`
	Status     int             `json:"api_error_status"`
	APIError   string          `json:"api_error"`
	Terminal   string          `json:"terminal_reason"`
	Stop       string          `json:"stop_reason"`
	Usage      claudeUsage
	Cost       *float64 `json:"total_cost_usd"`
}

type claudeUsage struct {
	In     int64 `json:"input_tokens"`
	Read   int64 `json:"cache_read_input_tokens"`
	Create int64 `json:"cache_creation_input_tokens"`
	Out    int64 `json:"output_tokens"`
}

func (u claudeUsage) tokens() agent.Tokens {
	return agent.Tokens{In: u.In + u.Read + u.Create, Cached: u.Read, Written: u.Create, Out: u.Out}
}

type claudeBlock struct {
	Type, Text, ID, Name string
	Input, Content       json.RawMessage
	Of                   string `json:"tool_use_id"`
}

func (c *claudeStream) line(b []byte) {
	var l claudeLine
	if !readLine(b, &l) || l.Type == "" {
		return
	}
	c.started = true
	switch l.Type {
	case "system":
		switch l.Subtype {
		case "init":
			c.state.model = l.Model
		case "api_retry":
			e := ending{status: agent.Unreachable, reason: l.Error, wait: time.Duration(l.Delay * float64(time.Millisecond))}
			if l.Error == "unknown" { // claude's word if it has no answer
				e.reason = "no answer from the model's server; is there a network?"
			}
			if l.ErrorStatus != 0 {
				e = e.withStatus(byHTTP(l.ErrorStatus), fmt.Sprintf("%s (HTTP %d)", l.Error, l.ErrorStatus))
			}
			c.state.waits(e, e.status == agent.Unauthorised) // it goes on for three minutes otherwise
		case "permission_denied":
			c.denied = l.Tool
		}
	case "rate_limit_event":
		if l.Limit.Status == "rejected" {
			c.resets = time.Unix(l.Limit.ResetsAt, 0)
		}
	case "assistant":
		c.assistant(&l)
	case "user":
		for _, k := range l.Message.Content {
			if k.Type == "tool_result" {
				c.state.answered(k.Of, agent.TextIn(k.Content))
			}
		}
	case "result":
		c.result = &l
		c.state.ended()
	}
}

// assistant reads a part of a message. Each has the usage of the whole message as far as it was known.
func (c *claudeStream) assistant(l *claudeLine) {
	if c.word = l.Error; l.Error == "" && (l.Message.ID == "" || l.Message.ID != c.message) {
		c.message = l.Message.ID
		c.state.turn()
		c.state.used(l.Message.Usage.tokens())
	}
	for _, k := range l.Message.Content {
		switch {
		case k.Type == "text":
			c.state.said(k.Text)
		case k.Type == "tool_use" && k.Name != "StructuredOutput": // its answer, which the result has, too
			c.state.called(k.ID, k.Name, string(k.Input))
		}
	}
}

func (c *claudeStream) end(code int, stderr string) ending {
	l := c.result
	if l == nil {
		return ending{}.unsaid(code, stderr, c.started)
	}
	e := ending{tokens: l.Usage.tokens(), last: strings.TrimSpace(l.Result + "\n" + string(l.Structured))}
	if l.Cost != nil {
		e.cost = agent.Cost{USD: *l.Cost, Known: true}
	}
	if c.denied != "" {
		e.note = c.denied + " was refused for lack of permission"
	}
	text := cmp.Or(l.Result, strings.Join(l.Errors, "; "))
	switch {
	case l.Subtype == "error_max_structured_output_retries":
		return e.cut("it did not say how its session ended")
	case l.Subtype == "error_max_turns":
		return e.cut("all its turns are used and the session did not finish")
	case l.Subtype == "error_during_execution" && strings.HasPrefix(l.Terminal, "aborted"):
		return e.withStatus(agent.Failed, "it was interrupted")
	case strings.HasPrefix(l.Subtype, "error_"):
		return e.withStatus(agent.Failed, text)
	case !l.IsError:
		return e
	case l.Stop == "refusal":
		return e.withStatus(agent.Blocked, text)
	}
	return c.fault(e, l, text)
}

// claudeWords are what Claude calls the errors of its API, each with how a session ends by it.
var claudeWords = map[string]agent.Status{
	"max_output_tokens": agent.Failed, "malformed_tool_use_exhausted": agent.Failed,
	"billing_error": agent.Unauthorised, "authentication_failed": agent.Unauthorised,
	"model_not_found": agent.Unusable, "connection_failed": agent.Unreachable,
	"rate_limit": agent.Limited, "usage_limit_reached": agent.Limited, "server_error": agent.Unreachable,
}

// fault returns the ending with an error of the API. An HTTP status says more than some words.
func (c *claudeStream) fault(e ending, l *claudeLine, text string) ending {
	word := c.word
	e.refused = true
	if vague := claudeWords[word]; vague == "" || vague == agent.Limited || word == "server_error" {
		word = cmp.Or(l.APIError, word)
	}
	status := claudeWords[word]
	switch {
	case l.Terminal == "prompt_too_long":
		return e.withStatus(agent.Failed, text)
	case status != "" && status != agent.Limited && word != "server_error":
		e.noQuota, e.wordless = word == "billing_error", status == agent.Failed
		return e.withStatus(status, text)
	case l.Status != 0:
		status = byHTTP(l.Status)
	}
	e = e.withStatus(cmp.Or(status, agent.Failed), text)
	if e.status == agent.Limited && !c.resets.IsZero() {
		e.wait = max(0, time.Until(c.resets))
	}
	return e
}
