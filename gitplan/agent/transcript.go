package agent

import (
	"encoding/json"
	"io"
	"strings"
	"time"
)

// record is one line of a transcript. Which fields it has tells what it is: the
// prompt, a turn of the model, the answers to its calls, a wait, or the end.
type record struct {
	Time    string `json:"time"`
	Session string `json:"session,omitempty"`
	Role    Role   `json:"role,omitempty"`
	Agent   string `json:"agent,omitempty"`

	System string `json:"system,omitempty"`
	User   string `json:"user,omitempty"` // of the prompt, and what is said to the model besides answers

	Turn     int          `json:"turn,omitempty"`
	Thoughts string       `json:"thoughts,omitempty"`
	Text     string       `json:"text,omitempty"`
	Calls    []callRecord `json:"calls,omitempty"`
	Tokens   *Tokens      `json:"tokens,omitempty"`

	Answers []answerRecord `json:"answers,omitempty"`
	Waiting string         `json:"waiting,omitempty"`

	End    Status `json:"end,omitempty"`
	Reason string `json:"reason,omitempty"`

	Command string `json:"command,omitempty"` // of a Command agent
	Exit    *int   `json:"exit,omitempty"`
	Output  string `json:"output,omitempty"`
}

type callRecord struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Args string `json:"args"`
}

type answerRecord struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// transcript writes records, one JSON object a line, without secrets. A writer
// that fails does not end the session: the transcript is told about, not needed.
type transcript struct {
	w   io.Writer
	key string
}

func (t *transcript) write(r record) {
	if t.w == nil {
		return
	}
	r.Time = time.Now().UTC().Format(time.RFC3339Nano)
	for _, s := range []*string{&r.System, &r.User, &r.Thoughts, &r.Text, &r.Waiting, &r.Reason, &r.Command, &r.Output} {
		*s = redact(*s, t.key)
	}
	for i := range r.Calls {
		r.Calls[i].Args = redact(r.Calls[i].Args, t.key)
	}
	for i := range r.Answers {
		r.Answers[i].Text = redact(r.Answers[i].Text, t.key)
	}
	b, err := json.Marshal(r)
	if err == nil {
		_, _ = t.w.Write(append(b, '\n'))
	}
}

func (t *transcript) turn(n int, m turn) {
	r := record{Turn: n, Text: m.text, Tokens: &m.usage.tokens}
	for _, k := range []string{"reasoning_content", "reasoning"} {
		if r.Thoughts == "" {
			r.Thoughts = plain(m.echo[k])
		}
	}
	for _, c := range m.calls {
		r.Calls = append(r.Calls, callRecord{c.id, c.name, c.args})
	}
	t.write(r)
}

const redacted = "[redacted]"

// redact takes the key and whatever looks like a credential out of s. Short
// keys are the placeholders of local servers ("none", "ollama"), and words.
func redact(s, key string) string {
	if len(key) >= 8 {
		s = strings.ReplaceAll(s, key, redacted)
	}
	for _, prefix := range []string{"sk-", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "AKIA", "AIza"} {
		s = redactPrefix(s, prefix)
	}
	return s
}

// redactPrefix hides words that begin with prefix and go on like a credential:
// at least 8 characters, with a digit or a star (providers print keys half
// starred) among them.
func redactPrefix(s, prefix string) string {
	if !strings.Contains(s, prefix) {
		return s
	}
	var b strings.Builder
	for {
		i := strings.Index(s, prefix)
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		end := i + len(prefix)
		for end < len(s) && inToken(s[end]) {
			end++
		}
		word := s[i+len(prefix) : end]
		if (i == 0 || !inToken(s[i-1])) && len(word) >= 8 && strings.ContainsAny(word, "0123456789*") {
			b.WriteString(s[:i] + redacted)
		} else {
			b.WriteString(s[:end])
		}
		s = s[end:]
	}
}

func inToken(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '*'
}
