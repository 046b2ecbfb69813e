package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// gemini describes Google's Gemini CLI: gemini -o stream-json, 0.34 or newer (measured:
// 0.19 refuses harmless commands, 0.1 has no such stream).
func gemini() dialect {
	return dialect{
		name: "gemini", least: "0.34.0", start: startGemini, apart: true,
		needs:    []string{"GEMINI_API_KEY", "GEMINI_MODEL", "GEMINI_CLI_HOME", "GOOGLE_*"},
		homes:    []string{"$GEMINI_CLI_HOME/.gemini/", "~/.gemini/"},
		settings: []string{"settings.json", "trustedFolders.json", "GEMINI.md", ".env", "commands", "extensions", "hooks", "skills", "agents", "policies"},
		listen:   func() listener { return &geminiStream{} },
	}
}

// startGemini runs one process: the other one would only start it again and
// swallow signals. A role that only reads is restricted by a policy that overrides all
// settings; without approvals it is not even offered the tools that write.
//
// gemini works in trusted folders only, and obeys what is in them: hooks,
// commands, variables (measured). So a role that only reads is started in an
// empty folder, with the tree as a further one that it may read.
func startGemini(_ *Agent, s agent.Session, scratch string) (launch, error) {
	l := launch{args: []string{"-o", "stream-json"}}
	var err error
	if s.Role.Writes() {
		l.add("--approval-mode", "auto_edit", "--allowed-tools", "run_shell_command")
	} else {
		file := filepath.Join(scratch, "read-only.toml")
		err = os.WriteFile(file, []byte(geminiReads), 0o600)
		l.add("--approval-mode", "default", "--policy", file, "--allowed-mcp-server-names", "none", "-e", "none",
			"--include-directories", s.Dir)
		l.dir = filepath.Join(scratch, "empty")
		if err == nil { // its own .env, so that none is looked for in the folders above
			err = os.MkdirAll(filepath.Join(l.dir, ".gemini"), 0o700)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(l.dir, ".gemini", ".env"), nil, 0o600)
		}
	}
	if s.Model != "" {
		l.add("-m", s.Model)
	}
	geminiSwitches(&l)
	return l, err
}

func geminiSwitches(l *launch) {
	l.set("GEMINI_CLI_TRUST_WORKSPACE", "true")
	l.set("GEMINI_CLI_NO_RELAUNCH", "true")
	l.set("GEMINI_TELEMETRY_ENABLED", "false")
}

const geminiReads = `[[rule]]
toolName = "*"
decision = "deny"
priority = 998

[[rule]]
toolName = ["read_file", "read_many_files", "list_directory", "glob", "grep_search", "search_file_content"]
decision = "allow"
priority = 999
`

// geminiStream understands gemini's stream. Its last message comes in pieces.
type geminiStream struct {
	begun  bool
	model  string
	calls  modelCalls
	last   strings.Builder
	after  bool   // the last message was not followed by a call
	said   string // the last line of type error
	result *geminiLine
}

type geminiLine struct {
	Type, Role, Content, Status, Output, Message, Model string
	Tool                                                string `json:"tool_name"`
	ID                                                  string `json:"tool_id"`
	Parameters                                          json.RawMessage
	Error                                               struct{ Type, Message string }
	Stats                                               struct {
		In     int64 `json:"input_tokens"`
		Cached int64
		Out    int64 `json:"output_tokens"`
	}
}

func (g *geminiStream) line(b []byte) []heard {
	var l geminiLine
	if !readLine(b, &l) || l.Type == "" {
		return nil
	}
	g.begun = true
	switch l.Type {
	case "init":
		g.model = l.Model
	case "message":
		if l.Role != "assistant" {
			return nil
		}
		if !g.after {
			g.last.Reset()
			g.after = true
		}
		if g.last.Len() < maxLast {
			g.last.WriteString(l.Content)
		}
		return g.calls.with(heard{kind: hText, text: l.Content})
	case "tool_use":
		g.after = false
		return g.calls.with(heard{kind: hCall, id: l.ID, tool: l.Tool, text: string(l.Parameters)})
	case "tool_result":
		g.calls.answered()
		return []heard{{kind: hAnswer, id: l.ID, text: l.Status + "\n" + l.Output}}
	case "error":
		g.said = l.Message
	case "result":
		g.result = &l
		return []heard{{kind: hEnd}}
	}
	return nil
}

// The exit codes of gemini that say what is wrong. An HTTP status comes as its last eight
// bits: 401 is 145 (measured).
const (
	geminiNoKey    = 41
	geminiTurns    = 53
	geminiHTTP     = 400 & 255
	geminiNotReady = 42 // 42, 44, 52, 55: input, sandbox, configuration, folder not trusted
)

func (g *geminiStream) end(x exited) ending {
	e := ending{model: g.model}
	l := g.result
	if l == nil {
		return g.unsaid(x)
	}
	e.tokens = agent.Tokens{In: l.Stats.In, Cached: l.Stats.Cached, Out: l.Stats.Out}
	text := l.Error.Message
	text = cmp.Or(text, g.said)
	switch {
	case l.Status == "success":
		if e.note = g.said; g.after {
			e.last = g.last.String()
		}
		return e
	case x.code == geminiTurns:
		return e.as(agent.Failed, "all its turns are used and the session did not finish")
	}
	return e.geminiFault(text, x.code)
}

// geminiFault returns the ending with an error of the API.
func (e ending) geminiFault(text string, code int) ending {
	e = e.as(agent.Failed, text)
	status := geminiStatus(text)
	if code >= geminiHTTP && code < 256 {
		status = code + 256
	}
	if status != 0 {
		e.status = byHTTP(status)
	}
	switch inner := strings.TrimPrefix(text, "[API Error: "); {
	case strings.Contains(text, `"reason":"API_KEY_INVALID"`): // of a 400
		e.status = agent.Unauthorised
	case status != 0:
	case strings.HasPrefix(inner, "terminated"), strings.HasPrefix(inner, "exception TypeError: fetch failed"):
		e.status = agent.Unreachable
	case strings.HasPrefix(inner, "models/") && strings.Contains(inner, "is not found for API version"):
		e.status = agent.Unusable
	}
	if wait := geminiWait(text); wait > 0 && (e.status == agent.Failed || e.status == agent.Limited) { // 0.34 exits with 1
		e.status, e.wait = agent.Limited, wait
	}
	return e
}

// geminiStatus returns the code in the JSON that an error message may quote.
func geminiStatus(text string) int {
	_, body, ok := strings.Cut(text, "[API Error: ")
	var quoted struct{ Error struct{ Code int } }
	if !ok || json.NewDecoder(strings.NewReader(body)).Decode(&quoted) != nil {
		return 0
	}
	return quoted.Error.Code
}

func geminiWait(text string) time.Duration {
	m := regexp.MustCompile(`Suggested retry after (\d{1,6}(?:\.\d{1,3})?s)`).FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	d, _ := time.ParseDuration(m[1])
	return d
}

func (g *geminiStream) unsaid(x exited) ending {
	switch x.code {
	case geminiNoKey:
		return ending{}.as(agent.Unauthorised, "it has no credentials"+agent.LastLine(x.stderr))
	case geminiTurns:
		return ending{}.as(agent.Failed, "all its turns are used and the session did not finish")
	case geminiNotReady, 44, 52, 55:
		return ending{}.as(agent.Unusable, fmt.Sprintf("it cannot work as it is set up (exit code %d)%s", x.code, agent.LastLine(x.stderr)))
	}
	return ending{}.unsaid(x, g.begun)
}
