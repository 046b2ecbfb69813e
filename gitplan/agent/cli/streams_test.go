package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
)

const streams = "../../../testdata/agents/streams"

// captured is the recorded output of a real command-line agent in one session (testdata/agents/streams), and
// its exit code.
type captured struct {
	Name   string `json:"stream"`
	Exit   int    // negative: ended by that signal; 124: still running when it was ended
	Stderr string
	text   []byte
}

func (s captured) dialect() dialect {
	name, _, _ := strings.Cut(s.Name, "/")
	d := dialectOf(name)
	return d
}

func capturedStreams(t testing.TB) []captured {
	t.Helper()
	index, err := os.ReadFile(filepath.Join(streams, "exits.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var all []captured
	for line := range strings.Lines(string(index)) {
		var s captured
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatal(err)
		}
		if s.text, err = os.ReadFile(filepath.Join(streams, s.Name+".jsonl")); err != nil {
			t.Fatal(err)
		}
		if s.Exit < 0 {
			s.Exit = 128 - s.Exit
		}
		all = append(all, s)
	}
	return all
}

// listening is the state of a session before the first line.
func listening(d dialect, s agent.Session) *streamState {
	h := (&Agent{dialect: d, Wait: time.Hour, stay: time.Hour}).stream(s)
	h.begin(func(error) {}, &agent.Life{})
	return h
}

// hearAll feeds a dialect a text, as the runner does.
func hearAll(d dialect, text []byte, exit int, stderr string) (*streamState, ending) {
	h := listening(d, agent.Session{})
	if c, ok := h.listener.(*codexStream); ok {
		c.now = func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	}
	w := &lineWriter{to: h.listener.line}
	_, _ = w.Write(text)
	w.end()
	h.end()
	e := h.listener.end(exit, stderr)
	e.tokens = cmp.Or(e.tokens, h.tokens)
	return h, e
}

// TestCapturedStreams compares the meaning of every captured stream with testdata/agents/streams/meaning.txt,
// one line each. The scripted model ended with a line "OUTCOME: done"; here it stands for the object that the
// prompt asks for.
func TestCapturedStreams(t *testing.T) {
	var got bytes.Buffer
	for _, s := range capturedStreams(t) {
		h, e := hearAll(s.dialect(), s.text, s.Exit, s.Stderr)
		e.last = regexp.MustCompile(`OUTCOME: (\w+)`).ReplaceAllString(e.last, `{"nonce": "n0nce", "status": "$1", "question": "Which?", "summary": "so it is"}`)
		r := e.result(agent.Session{Role: agent.Executor, Nonce: "n0nce"})
		fmt.Fprintf(&got, "%-38s %-12s turns %-2d in %-5d cached %-5d out %-4d", s.Name, r.Status, h.turns, r.Tokens.In, r.Tokens.Cached, r.Tokens.Out)
		if r.Cost.Known {
			fmt.Fprintf(&got, " usd %.4f", r.Cost.USD)
		}
		if r.RetryAfter > 0 {
			fmt.Fprintf(&got, " after %s", r.RetryAfter)
		}
		if h.retry.status != "" {
			fmt.Fprintf(&got, " retried %s", h.retry.status)
		}
		fmt.Fprintf(&got, " | %s\n", agent.OneLine(r.Reason, 110))
	}
	golden(t, filepath.Join(streams, "meaning.txt"), got.Bytes())
}

// A tool call is reported by its command or file, however the program passes its arguments; a call with
// neither is reported whole.
func TestCallsAreShortened(t *testing.T) {
	for args, want := range map[string]string{
		`{"command": "printf 'a\\nb' | wc", "description": "counts"}`:   `printf 'a\nb' | wc`,
		`{"file_path":"/repo/main.go","content":"\"command\": \"no\""}`: "main.go",
		`Read a file {"path":"/elsewhere/a"}`:                           "/elsewhere/a",
		"go test ./...":                                                 "go test ./...",
		`{"todos":[]}`:                                                  `{"todos":[]}`,
		`{"command":"cut o`:                                             `{"command":"cut o`,
	} {
		if got := gist(args, "/repo"); got != want {
			t.Errorf("%s: %q", args, got)
		}
	}
}

// golden compares with a file. GIT_PLAN_GOLDEN=write writes it, to be read.
func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if os.Getenv("GIT_PLAN_GOLDEN") == "write" {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	a, b := strings.Split(string(want), "\n"), strings.Split(string(got), "\n")
	for i := range max(len(a), len(b)) {
		if x, y := at(a, i), at(b, i); x != y {
			t.Errorf("line %d\nwant %s\ngot  %s", i+1, x, y)
		}
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(no such line)"
}

// A terminal event takes precedence over the exit code; without one, as with opencode, the exit code must be
// 0 too.
func TestTerminalEventsPrecedeExitCodes(t *testing.T) {
	for _, s := range capturedStreams(t) {
		if !strings.HasSuffix(s.Name, "/success") {
			continue
		}
		_, e := hearAll(s.dialect(), s.text, 1, "")
		if got, want := e.status, map[bool]agent.Status{false: "", true: agent.Failed}[s.Name == "opencode/success"]; got != want {
			t.Errorf("%s with exit code 1 is %q, want %q", s.Name, got, want)
		}
		half := s.text[:bytes.LastIndexByte(s.text[:len(s.text)-1], '\n')+1]
		if _, e := hearAll(s.dialect(), half, 0, ""); e.status != agent.Failed {
			t.Errorf("%s without its last line is %q", s.Name, e.status)
		}
	}
}

func TestHowLongCodexWaits(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"try again in 1.5s.": 1500 * time.Millisecond, "try again in 1m26.4s.": 86400 * time.Millisecond, "try again at 4:04 AM.": time.Hour, "try again later": 0,
	} {
		if got := codexWait(text, now); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}

// A command is shown as it was meant, without the shell that codex starts for it.
func TestCommandsOfCodex(t *testing.T) {
	for command, want := range map[string]string{"/bin/bash -lc 'go test ./...'": "go test ./...", "bash -c \"ls a\"": "ls a", "zsh -lc ls": "ls", `bash -lc 'echo it'"'"'s "$HOME"'`: `echo it's "$HOME"`, `bash -lc "sed -n '1,2p' \"a b\""`: `sed -n '1,2p' "a b"`, "bash -lc 'ls": "bash -lc 'ls", "ls -l": "ls -l",
		`bash -lc "echo \$HOME"`: "echo $HOME", "sh -c <(ls)": "<(ls)", "sh -c " + strings.Repeat("{a,b}", 99): strings.Repeat("{a,b}", 99)} {
		if got := (codexItem{Command: command}).gist(); got != want {
			t.Errorf("%s: %s", command, got)
		}
	}
}
