package agent

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// maxTranscriptLine bounds a line of a transcript that is read back, in bytes: a record
// with every byte escaped.
const maxTranscriptLine = 8 << 20

// TranscriptPart is one thing that happened in a session.
type TranscriptPart struct {
	Heading, Text string // the heading is one line; the text may be empty
	Check         string // the command of the check whose end it is
	Exit          int    // with which that exited
	Diff          bool   // the text is what a session had changed that failed
}

// ReadTranscript hands a session's transcript to part, in the order in which it happened. Whatever
// is in it was written by others. A line that is none of ours is skipped: a
// crash may have cut the last one.
func ReadTranscript(r io.Reader, part func(TranscriptPart)) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), maxTranscriptLine)
	for lines.Scan() {
		var m Record
		if json.Unmarshal(lines.Bytes(), &m) == nil {
			m.parts(part)
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("a line is longer than %d bytes", maxTranscriptLine)
	}
	return lines.Err()
}

func (r *Record) parts(do func(TranscriptPart)) {
	part := func(heading, text string) { do(TranscriptPart{Heading: heading, Text: text}) }
	if r.Session != "" {
		when := r.Time
		if t, err := time.Parse(time.RFC3339Nano, when); err == nil {
			when = t.Local().Format(time.DateTime)
		}
		part(strings.TrimSpace(fmt.Sprintf("%s session %s, %s %s", when, r.Session, r.Role, r.Agent)), "")
	}
	if r.System+r.User != "" {
		part("prompt", strings.TrimSpace(r.System+"\n"+r.User))
	}
	if r.Turn > 0 && r.Answers == nil {
		part(fmt.Sprintf("turn %d%s", r.Turn, r.Tokens.inWords()), "")
	}
	for _, p := range [][2]string{{"thinks", r.Thoughts}, {"says", r.Text}} {
		if p[1] != "" {
			part(p[0], p[1])
		}
	}
	for _, c := range r.Calls {
		part("calls "+c.Name+" ("+c.ID+")", c.Args)
	}
	for _, a := range r.Answers {
		part("answer ("+a.ID+")", a.Text)
	}
	if r.Waiting != "" {
		part("waits", r.Waiting)
	}
	if r.Exit != nil && r.Check != "" {
		command := strings.Join(strings.Fields(r.Check), " ")
		do(TranscriptPart{Heading: fmt.Sprintf("check exited with %d: %s", *r.Exit, command), Text: r.Output, Check: command, Exit: *r.Exit})
	} else if r.Exit != nil {
		part(fmt.Sprintf("exit code %d", *r.Exit), r.Output)
	}
	if r.Diff != "" {
		do(TranscriptPart{Heading: "changed", Text: r.Diff, Diff: true})
	}
	if r.Cut != "" {
		part("cut", r.Cut)
	}
	if r.End != "" {
		part("end: "+string(r.End)+r.Tokens.inWords(), r.Reason)
	}
}

// inWords returns the tokens in parentheses, behind a blank; "" if there are none.
func (t *Tokens) inWords() string {
	if t == nil || *t == (Tokens{}) {
		return ""
	}
	return fmt.Sprintf(" (%s)", t)
}
