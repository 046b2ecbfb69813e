package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// codex is OpenAI's codex exec. --ephemeral came before 0.118 (measured).
var codex = dialect{
	Speaker: Speaker{Name: "codex", Needs: []string{"OPENAI_*", "AZURE_OPENAI_*", "CODEX_API_KEY"},
		Install: "npm install -g @openai/codex", Login: "codex login"},
	oldest: "0.118.0", update: "npm install -g @openai/codex@latest",
	sandboxed: true, start: startCodex,
	listen: func(h *streamState) listener { return &codexStream{state: h, now: time.Now} },
}

// startCodex uses codex's own sandbox, in which the tree can be written, but not its .git. Features are set by -c, since
// codex only warns of those that it does not know.
func startCodex(c *Agent, s agent.Session, _ string) launch {
	l := launch{args: []string{"exec", "--json", "--color", "never", "--ephemeral", "--skip-git-repo-check", "-C", s.Dir}}
	for _, set := range []string{"features.unbounded_connection_retries=false", "features.plugins=false", "features.apps=false",
		"analytics.enabled=false", "feedback.enabled=false", "check_for_update_on_startup=false", `web_search="disabled"`} {
		l.add("-c", set)
	}
	if s.Role.Writes() {
		l.add("-s", "workspace-write")
		for _, dir := range c.Writable {
			if _, err := os.Stat(dir); err == nil { // a missing folder keeps every command from running (measured)
				l.add("--add-dir", dir)
			}
		}
		if s.Beside {
			l.add("-c", "sandbox_workspace_write.exclude_slash_tmp=true")
			l.close = holdMountPoints(c.Writable)
		}
	} else {
		l.add("-s", "read-only")
	}
	l.addSet("-m", s.Model)
	if s.Effort != "" {
		l.add("-c", fmt.Sprintf("model_reasoning_effort=%q", s.Effort))
	}
	return l
}

// mountPoints are what codex mounts something over in each folder that its commands may write. It makes what is missing
// for one command and removes it after that, also when another session's has just found it: four sessions side by side
// lose one command in twenty, and leave an empty .git in /tmp, where it stops go build (0.169, measured).
var mountPoints struct {
	sync.Mutex
	sessions int
	made     []string
}

// holdMountPoints makes what is missing, which stays until the last session has called release.
func holdMountPoints(dirs []string) (release func()) {
	mountPoints.Lock()
	defer mountPoints.Unlock()
	for _, dir := range dirs {
		for _, name := range []string{".git", ".agents", ".codex", ".aws"} {
			if path := filepath.Join(dir, name); os.Mkdir(path, 0o755) == nil {
				mountPoints.made = append(mountPoints.made, path)
			}
		}
	}
	mountPoints.sessions++
	return func() {
		mountPoints.Lock()
		defer mountPoints.Unlock()
		if mountPoints.sessions--; mountPoints.sessions == 0 {
			for _, path := range mountPoints.made {
				_ = os.Remove(path) // fails unless it is empty
			}
			mountPoints.made = nil
		}
	}
}

// codexStream reads codex's stream, which turn.completed and turn.failed end.
type codexStream struct {
	state   *streamState
	now     func() time.Time
	started bool
	failed  string
	ended   bool
}

type codexItem struct {
	ID, Type, Text, Command, Status string
	Server, Tool, Query             string
	Output                          string `json:"aggregated_output"`
	ExitCode                        *int   `json:"exit_code"`
	Changes                         []struct{ Path, Kind string }
}

func (c *codexStream) line(b []byte) {
	var l struct {
		Type, Message string
		Error         struct{ Message string }
		Usage         struct {
			In     int64 `json:"input_tokens"`
			Cached int64 `json:"cached_input_tokens"`
			Out    int64 `json:"output_tokens"`
		}
		Item codexItem
	}
	if !readLine(b, &l) || l.Type == "" {
		return
	}
	c.started = true
	switch i := l.Item; l.Type {
	case "error":
		if !strings.HasPrefix(l.Message, "Reconnecting...") {
			return // turn.failed says the same
		}
		e := codexFault(l.Message, c.now())
		if e.status == agent.Failed || e.status == agent.Blocked {
			e.status = agent.Unreachable // it does not say why it tries again, or has no good reason to
		}
		c.state.waits(e, false)
	case "item.started":
		if i.isTool() {
			c.state.output()
			c.state.called(i.ID, i.Type, i.gist())
		}
	case "item.completed":
		switch {
		case i.Type == "agent_message":
			c.state.last.Reset()
			c.state.output()
			c.state.said(i.Text)
		case i.isTool():
			text := i.Output
			if i.ExitCode != nil {
				text = fmt.Sprintf("exit code %d\n%s", *i.ExitCode, text)
			}
			c.state.answered(i.ID, cmp.Or(text, i.Status))
		}
	case "turn.completed":
		c.ended, c.failed = true, ""
		c.state.used(agent.Tokens{In: l.Usage.In, Cached: l.Usage.Cached, Out: l.Usage.Out})
		c.state.ended()
	case "turn.failed":
		c.ended, c.failed = true, cmp.Or(l.Error.Message, "the turn failed, and it does not say why")
		c.state.ended()
	}
}

func (i codexItem) isTool() bool {
	return slices.Contains([]string{"command_execution", "file_change", "mcp_tool_call", "web_search", "collab_tool_call"},
		i.Type)
}

// inQuotes matches a quoted part of a word; inShell a command that is one word, with which codex starts a shell.
const inQuotes = `'[^']*'|"(?:[^"\\]|\\.)*"`

var (
	quoted    = visible.NewPattern(`(?s)` + inQuotes)
	inShell   = visible.NewPattern(`(?s)^\S*sh -l?c ((?:` + inQuotes + `|[^\s'"\\])+)$`)
	unescaped = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\$`, "$", "\\`", "`")
)

// gist returns what a call does, in short.
func (i codexItem) gist() string {
	var paths []string
	for _, c := range i.Changes {
		paths = append(paths, c.Kind+" "+c.Path)
	}
	command := i.Command
	if m := inShell().FindStringSubmatch(command); m != nil { // a shell's parser would expand $, {a,b} and <(...)
		command = quoted().ReplaceAllStringFunc(m[1], func(part string) string {
			if part[0] == '"' {
				part = unescaped.Replace(part)
			}
			return part[1 : len(part)-1]
		})
	}
	return strings.TrimSpace(strings.Join([]string{command, strings.Join(paths, ", "), i.Server, i.Tool, i.Query}, " "))
}

func (c *codexStream) end(code int, stderr string) ending {
	e := ending{last: c.state.last.String()}
	switch {
	case !c.ended && code == 2: // its exit code for a wrong command line
		return e.withStatus(agent.Unusable, "it does not take its arguments"+agent.LastLine(stderr))
	case !c.ended:
		return e.unsaid(code, stderr, c.started)
	case c.failed != "":
		e = codexFault(c.failed, c.now())
		e.refused = true
	}
	return e
}

// codexFault reads an error of codex by the beginning of its message, since codex has no error codes.
func codexFault(message string, now time.Time) ending {
	e := ending{status: agent.Failed, reason: message}
	if _, inner, ok := strings.Cut(message, " ("); ok && strings.HasPrefix(message, "Reconnecting...") {
		message = strings.TrimSuffix(inner, ")")
	}
	message = strings.TrimPrefix(message, "stream disconnected before completion: ")
	for _, c := range codexFaults {
		if rest, ok := strings.CutPrefix(message, c.begins); ok {
			e.noQuota, e.wordless = c.begins == noQuota, c.status == agent.Failed
			if e.status = c.status; c.status == "" {
				code, _ := strconv.Atoi(rest[:min(3, len(rest))])
				e.status = byHTTP(code)
			}
			if e.status == agent.Limited {
				e.wait = codexWait(rest, now)
			}
			return e
		}
	}
	switch {
	case message != e.reason && strings.Contains(e.reason, "stream disconnected before completion"):
		e.status = agent.Unreachable
	case strings.HasPrefix(message, "The model `") && strings.Contains(message, "does not exist"): // OpenAI's own words for its 404
		e.status = agent.Unusable
	}
	return e
}

const noQuota = "Quota exceeded"

// codexFaults are the beginnings of codex's messages (measured: 0.118 to 0.169).
var codexFaults = []struct {
	begins string
	status agent.Status // empty: by the HTTP status that follows
}{
	{"unexpected status ", ""},
	{"exceeded retry limit, last status: ", ""},
	{"rate limit exceeded: ", agent.Limited},
	{"You’ve hit your usage limit", agent.Limited},
	{"You've hit your usage limit", agent.Limited},
	{noQuota, agent.Unauthorised},
	{"Missing environment variable", agent.Unauthorised},
	{"waiting for network", agent.Unreachable},
	{"Connection failed", agent.Unreachable},
	{"We’re currently experiencing high demand", agent.Unreachable},
	{"Incomplete response returned, reason: content_filter", agent.Blocked},
	{"Incomplete response returned", agent.Failed},
	{"Codex ran out of room", agent.Failed},
}

var (
	tryAgainIn = visible.NewPattern(`try again in ((?:\d{1,6}(?:\.\d{1,3})?(?:ms|s|m|h))+)\b`)
	tryAgainAt = visible.NewPattern(`try again at \d{1,2}:\d{2} [AP]M`)
)

// codexWait returns when a limit ends, as codex says it; 0 if it does not.
func codexWait(s string, now time.Time) time.Duration {
	if m := tryAgainIn().FindStringSubmatch(s); m != nil {
		d, _ := time.ParseDuration(m[1])
		return d
	}
	at, err := time.Parse("try again at 3:04 PM", tryAgainAt().FindString(s))
	if err != nil {
		return 0
	}
	next := time.Date(now.Year(), now.Month(), now.Day(), at.Hour(), at.Minute(), 0, 0, now.Location())
	if !next.After(now) {
		next = next.AddDate(0, 0, 1)
	}
	return next.Sub(now)
}
