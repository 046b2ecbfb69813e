package agent

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// Record is one line of a transcript; its type follows from the fields that are set.
type Record struct {
	Time    string `json:"time"`
	Session string `json:"session,omitempty"`
	Role    Role   `json:"role,omitempty"`
	Agent   string `json:"agent,omitempty"`

	System string `json:"system,omitempty"`
	User   string `json:"user,omitempty"` // the prompt, or another message to the model that answers no call

	Turn     int          `json:"turn,omitempty"`
	Thoughts string       `json:"thoughts,omitempty"`
	Text     string       `json:"text,omitempty"`
	Calls    []CallRecord `json:"calls,omitempty"`
	Tokens   *Tokens      `json:"tokens,omitempty"`

	Answers []AnswerRecord `json:"answers,omitempty"`
	Waiting string         `json:"waiting,omitempty"`

	End    Status `json:"end,omitempty"`
	Reason string `json:"reason,omitempty"`

	Command string `json:"command,omitempty"` // the command line of an agent that is a program
	Model   string `json:"model,omitempty"`   // the requested model
	Exit    *int   `json:"exit,omitempty"`
	Output  string `json:"output,omitempty"`

	Check string `json:"check,omitempty"` // the check that judged the work; Exit and Output are those of it
	Diff  string `json:"diff,omitempty"`  // the changes of failed work
}

type CallRecord struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Args string `json:"args"`
}

type AnswerRecord struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// Transcript writes records, one JSON object a line, without secrets. A writer that fails ends no session.
type Transcript struct {
	W   io.Writer
	Key string
}

// Bounds of one record, in bytes: its texts together, and each.
const (
	maxRecord = 1 << 20
	MaxText   = 256 << 10
)

// Write adds a record, with the time; its texts lose secrets and are bounded.
func (t *Transcript) Write(r Record) {
	if t.W == nil {
		return
	}
	r.Time = time.Now().UTC().Format(time.RFC3339Nano)
	texts := []*string{&r.Reason, &r.Waiting, &r.Command, &r.Check, &r.System, &r.User, &r.Text, &r.Output,
		&r.Thoughts, &r.Diff}
	r.Calls = r.Calls[:min(len(r.Calls), MaxCalls)] // others are not answered
	for i := range r.Calls {
		texts = append(texts, &r.Calls[i].ID, &r.Calls[i].Name, &r.Calls[i].Args)
	}
	r.Answers = r.Answers[:min(len(r.Answers), MaxCalls)]
	for i := range r.Answers {
		texts = append(texts, &r.Answers[i].ID, &r.Answers[i].Text)
	}
	left := maxRecord
	for _, s := range texts {
		*s = kept(*s, t.Key, max(0, min(MaxText, left)))
		left -= len(*s)
	}
	b, err := json.Marshal(r)
	if err == nil {
		_, _ = t.W.Write(append(b, '\n'))
	}
}

// Finish writes the end of a session, and returns its result with a reason of one line without secrets.
func (t *Transcript) Finish(r Result) Result {
	r.Reason = OneLine(Mask(r.Reason, t.Key), MaxReason)
	t.Write(Record{End: r.Status, Reason: r.Reason, Tokens: &r.Tokens})
	return r
}

// kept returns s without secrets, masked before it is cut in the middle.
func kept(s, key string, size int) string {
	const margin = 1 << 10 // longer than any key
	if len(s) <= size {
		return Mask(s, key)
	}
	half := size / 2
	head := visible.Cut(Mask(s[:min(len(s), half+margin)], key), half)
	tail := Mask(s[max(0, len(s)-half-margin):], key)
	tail = strings.ToValidUTF8(tail[max(0, len(tail)-half):], "")
	return fmt.Sprintf("%s\n[... %d bytes left out ...]\n%s", head, len(s)-len(head)-len(tail), tail)
}

// maxTranscriptLine bounds a line that is read back, in bytes: a record with every byte escaped.
const maxTranscriptLine = 8 << 20

// TranscriptPart is one thing that happened in a session.
type TranscriptPart struct {
	Time          string // the time of day
	Heading, Text string // the heading is one line; the text may be empty
	Check         string // the command of the check whose end it is
	Exit          int    // the exit code of Check
	Diff          bool   // the text is what a session had changed that failed
}

// ReadTranscript calls part for each thing in a transcript. Invalid lines, which a crash leaves, are skipped.
func ReadTranscript(r io.Reader, part func(TranscriptPart)) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), maxTranscriptLine)
	for lines.Scan() {
		var m Record
		if json.Unmarshal(lines.Bytes(), &m) == nil {
			m.parts(part)
		}
	}
	return lines.Err()
}

// unescaped undoes the escapes for HTML that some servers write into JSON.
var unescaped = strings.NewReplacer(`\\`, `\\`, `\u003c`, "<", `\u003e`, ">", `\u0026`, "&")

func (r *Record) parts(do func(TranscriptPart)) {
	when, clock := r.Time, ""
	if t, err := time.Parse(time.RFC3339Nano, when); err == nil {
		when, clock = t.Local().Format(time.DateTime), t.Local().Format(time.TimeOnly)
	}
	part := func(heading, text string) { do(TranscriptPart{Time: clock, Heading: heading, Text: text}) }
	if r.Session != "" {
		part(strings.TrimSpace(fmt.Sprintf("%s session %s, %s %s", when, r.Session, r.Role, r.Agent)), "")
	}
	if r.System+r.User != "" {
		part("prompt", strings.TrimSpace(r.System+"\n"+r.User))
	}
	if r.Turn > 0 && r.Answers == nil {
		part(fmt.Sprintf("turn %d%s", r.Turn, r.Tokens.inWords()), "")
	}
	for _, p := range [][2]string{{"thinks", r.Thoughts}, {"says", r.Text}, {"waits", r.Waiting}} {
		if p[1] != "" {
			part(p[0], p[1])
		}
	}
	for _, c := range r.Calls {
		part("calls "+c.Name+" ("+c.ID+")", unescaped.Replace(c.Args))
	}
	for _, a := range r.Answers {
		part("answer ("+a.ID+")", a.Text)
	}
	if r.Exit != nil && r.Check != "" {
		command := strings.Join(strings.Fields(r.Check), " ")
		do(TranscriptPart{Heading: fmt.Sprintf("check exited with %d: %s", *r.Exit, command), Text: r.Output,
			Check: command, Exit: *r.Exit})
	} else if r.Exit != nil {
		part(fmt.Sprintf("exit code %d", *r.Exit), r.Output)
	}
	if r.Diff != "" {
		do(TranscriptPart{Heading: "changed", Text: r.Diff, Diff: true})
	}
	if r.End != "" {
		part("end: "+string(r.End)+r.Tokens.inWords(), r.Reason)
	}
}

// inWords returns the tokens in parentheses after a blank; "" if there are none.
func (t *Tokens) inWords() string {
	if t == nil || *t == (Tokens{}) {
		return ""
	}
	return fmt.Sprintf(" (%s)", t)
}
