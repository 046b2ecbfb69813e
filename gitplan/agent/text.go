package agent

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// maxReason bounds Result.Reason, in bytes.
const maxReason = 1000

// oneLine makes hostile text fit for a terminal and a log: one line, nothing that
// hides or reverses text, at most max bytes.
func oneLine(s string, max int) string {
	var b strings.Builder
	space := false
	for _, r := range visible.Without(s) {
		if unicode.IsSpace(r) {
			space = b.Len() > 0
			continue
		}
		if r == utf8.RuneError {
			continue
		}
		if b.Len()+utf8.RuneLen(r)+1 > max {
			b.WriteString("…")
			break
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Bounds of what a session reports, in bytes.
const (
	maxSubject = 200
	maxReport  = 4000 // summary and question
	maxHandoff = 1000 // each part
)

// tidy bounds and cleans what a session reports; it may have several lines. A
// credential at the cut is seen whole before it is cut.
func (r Result) tidy() Result {
	for s, max := range map[*string]int{&r.Summary: maxReport, &r.Question: maxReport, &r.Proposal: maxReport,
		&r.Handoff.Did: maxHandoff, &r.Handoff.Why: maxHandoff, &r.Handoff.Rejected: maxHandoff} {
		*s = visible.Cut(strings.TrimSpace(visible.Without(redact(*s, ""))), max)
	}
	r.Subject = oneLine(redact(r.Subject, ""), maxSubject)
	return r
}

// Each is the result with what a session says put through f.
func (r Result) Each(f func(string) string) Result {
	for _, s := range []*string{&r.Reason, &r.Question, &r.Subject, &r.Summary, &r.Handoff.Did, &r.Handoff.Why, &r.Handoff.Rejected, &r.Proposal, &r.Answer} {
		*s = f(*s)
	}
	r.Dispositions = slices.Clone(r.Dispositions)
	for i := range r.Dispositions {
		r.Dispositions[i].Because = f(r.Dispositions[i].Because)
	}
	return r
}

// short is a duration for people: 1.2s, 45s, 10m0s.
func short(d time.Duration) string {
	if d < 10*time.Second {
		return d.Round(10 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// lines turns streamed text into lines fit for an event.
type lines struct {
	to   func(string)
	rest string
}

func newLines(to func(string)) *lines { return &lines{to: to} }

// eventText bounds the text of one event, in bytes.
const eventText = 400

func (l *lines) write(s string) {
	l.rest += s
	for {
		i := strings.IndexByte(l.rest, '\n')
		if i < 0 && len(l.rest) < eventText {
			return
		}
		if i < 0 {
			i = len(visible.Cut(l.rest, eventText)) - 1
		}
		line := l.rest[:i+1]
		l.rest = l.rest[i+1:]
		l.say(line)
	}
}

func (l *lines) flush() {
	l.say(l.rest)
	l.rest = ""
}

func (l *lines) say(s string) {
	if s = oneLine(s, eventText); s != "" {
		l.to(s)
	}
}
