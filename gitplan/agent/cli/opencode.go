package cli

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"strconv"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/model"
)

// opencode before 1.18 exits with 0 on errors and retries a limit without end (1.3.2, measured).
var opencode = dialect{
	Speaker: Speaker{Name: "opencode",
		Needs: []string{"OPENAI_*", "ANTHROPIC_*", "AZURE_OPENAI_*", "OPENROUTER_*", "GOOGLE_*", "*_API_KEY"},
		Homes: []string{"$XDG_DATA_HOME/opencode/", "$XDG_CONFIG_HOME/opencode/", "$XDG_STATE_HOME/opencode/",
			"$XDG_CACHE_HOME/opencode/",
			"~/.local/share/opencode/", "~/.config/opencode/", "~/.local/state/opencode/", "~/.cache/opencode/"},
		Settings: []string{"opencode.json", "opencode.jsonc", "config.json", "AGENTS.md", "agent", "agents", "command",
			"commands", "plugin", "plugins", "mode", "modes",
			"tool", "tools", "skill", "skills", "bin"}, // bin has the language servers that it fetched
		Install: "npm install -g opencode-ai", Login: "opencode auth login"},
	oldest: "1.18.0", update: "opencode upgrade",
	costs: true, start: startOpencode,
	listen: func(h *streamState) listener { return &opencodeStream{state: h} },
}

// startOpencode gives a session a title, which saves a model call.
func startOpencode(_ *Agent, s agent.Session, scratch string) launch {
	l := launch{args: []string{"run", "--format", "json", "--title", "git plan"}}
	l.addSet("-m", s.Model)
	l.addSet("--variant", s.Effort)
	opencodeSwitches(&l, s, scratch)
	return l
}

// opencodeSwitches allows or denies each permission, since a question for one ends the session. The data
// base is the session's own, since two that first start at once disturb each other (measured).
func opencodeSwitches(l *launch, s agent.Session, scratch string) {
	permission := map[string]string{"*": "deny", "read": "allow", "glob": "allow", "grep": "allow",
		"list": "allow", "lsp": "allow"}
	if s.Role.Writes() {
		permission = map[string]string{"*": "allow", "question": "deny", "external_directory": "deny", "doom_loop": "deny",
			"webfetch": "deny", "websearch": "deny"}
	}
	b, _ := json.Marshal(permission)
	l.set("OPENCODE_PERMISSION", string(b))
	l.set("OPENCODE_DB", filepath.Join(scratch, "opencode.db"))
	for _, name := range []string{"OPENCODE_DISABLE_AUTOUPDATE", "OPENCODE_DISABLE_MODELS_FETCH", "OPENCODE_DISABLE_LSP_DOWNLOAD",
		"OPENCODE_DISABLE_DEFAULT_PLUGINS", "OPENCODE_DISABLE_SHARE", "OPENCODE_DISABLE_PROJECT_CONFIG"} {
		l.set(name, "1")
	}
}

// opencodeStream reads opencode's stream, which ends well by exit code 0 after a step that ended with stop.
type opencodeStream struct {
	state    *streamState
	started  bool
	message  string // the id of the last one
	finish   string // how the last step ended; empty while one is open
	overflow int
	refused  string // the tool that failed last
	fault    *opencodeError
	cost     float64
}

type opencodeLine struct {
	Type  string
	Error opencodeError
	Part  struct {
		Text, Tool, Reason string
		Message            string `json:"messageID"`
		Call               string `json:"callID"`
		Synthetic          bool
		Cost               float64
		State              struct {
			Status, Output, Error string
			Input                 json.RawMessage
		}
		Tokens struct {
			Input, Output, Reasoning int64
			Cache                    struct{ Read, Write int64 }
		}
	}
}

type opencodeError struct {
	Name string
	Data struct {
		Message    string
		StatusCode int
		Headers    map[string]string `json:"responseHeaders"`
		Body       string            `json:"responseBody"`
	}
}

func (o *opencodeStream) line(b []byte) {
	var l opencodeLine
	if !readLine(b, &l) || l.Type == "" {
		return
	}
	o.started = true
	p := &l.Part
	switch l.Type {
	case "step_start":
		// Tools are reported when they have ended, so a whole step counts as one call.
		o.finish, o.fault, o.refused = "", nil, ""
		o.state.opened("step")
		o.state.turn()
	case "text":
		if p.Synthetic {
			return
		}
		if p.Message != o.message {
			o.message = p.Message
			o.state.last.Reset()
		}
		o.state.said(p.Text)
	case "tool_use":
		text := p.State.Output
		if o.refused = ""; p.State.Status == "error" {
			o.refused, text = p.Tool, p.State.Error
		}
		o.state.called(p.Call, p.Tool, string(p.State.Input))
		o.state.answered(p.Call, text)
	case "step_finish":
		o.finish = p.Reason
		t := agent.Tokens{In: p.Tokens.Input + p.Tokens.Cache.Read + p.Tokens.Cache.Write, Cached: p.Tokens.Cache.Read,
			Written: p.Tokens.Cache.Write, Out: p.Tokens.Output + p.Tokens.Reasoning}
		o.cost += p.Cost
		o.state.closed("step")
		o.state.used(t)
	case "error":
		const maxOverflow = 3 // times that it may shorten an overflowing conversation and ask again
		o.fault = &l.Error
		if l.Error.Name == "ContextOverflowError" {
			if o.overflow++; o.overflow >= maxOverflow {
				o.state.waits(ending{status: agent.Failed, reason: l.Error.Data.Message}, true)
				return
			}
		}
		o.state.closed("step")
		o.state.alive()
	}
}

func (o *opencodeStream) end(code int, stderr string) ending {
	e := ending{cost: agent.Cost{USD: o.cost, Known: o.cost > 0}}
	switch {
	case o.fault != nil:
		return e.opencodeFault(o.fault)
	case code != 0:
		return e.unsaid(code, stderr, o.started)
	}
	switch o.finish {
	case "stop":
		e.last = o.state.last.String()
		return e
	case "length":
		return e.cut("its answer was cut off at the model's output limit")
	case "content-filter":
		return e.withStatus(agent.Blocked, "the provider's content filter refused this conversation")
	case "tool-calls":
		if o.refused != "" {
			return e.withStatus(agent.Blocked,
				"it was refused the permission to use "+o.refused+", and stopped; allow or deny it in opencode's configuration")
		}
	}
	return e.unsaid(code, stderr, o.started)
}

func (e ending) opencodeFault(f *opencodeError) ending {
	e = e.withStatus(agent.Failed, cmp.Or(f.Data.Message, f.Name))
	switch f.Name {
	case "ContentFilterError":
		e.status = agent.Blocked
	case "ProviderAuthError":
		e.status = agent.Unauthorised
	case "APIError":
		e.status = agent.Unreachable // no response at all
		if f.Data.StatusCode != 0 {
			e.status = byHTTP(f.Data.StatusCode)
		}
		if model.NoQuota([]byte(f.Data.Body)) {
			e.status = agent.Unauthorised
		}
	}
	if n, err := strconv.ParseFloat(f.Data.Headers["retry-after"], 64); err == nil &&
		e.status == agent.Limited && n > 0 && n < 1e7 {
		e.wait = time.Duration(n * float64(time.Second))
	}
	return e
}
