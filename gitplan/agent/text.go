package agent

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// MaxReason bounds Result.Reason, in bytes.
const MaxReason = 1000

// OneLine makes hostile text safe for a terminal: one line of at most max bytes, nothing hidden or reversed.
func OneLine(s string, max int) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(visible.Without(s), "")), " ")
	if len(s) >= max {
		s = strings.TrimRight(visible.Cut(s, max-1), " ") + "…"
	}
	return s
}

// LastLine returns a colon and the last line of an output, for the end of a message; "" without one.
func LastLine(output string) string {
	if last := visible.LastLines(strings.TrimSpace(output), 1); last != "" {
		return ": " + OneLine(last, 300)
	}
	return ""
}

// varying matches text that differs between runs of a command: durations, line numbers, addresses, temporary folders.
var varying = visible.NewPattern(`\b[0-9.]+ ?(?:[mnµ]?s|min|h)\b|\(cached\)|:[0-9]+|0x[0-9a-f]+|/tmp/[^\s:]+`)

// Fingerprint returns an output without its varying parts, so that two failures can be compared. It covers the whole
// output: the last line of many test runners says only that something failed.
func Fingerprint(output string) string { return varying().ReplaceAllString(output, "0") }

// TextIn returns the text of JSON content: a string, an object with text or content, or an array of these.
func TextIn(v json.RawMessage) string {
	var text string
	var list []json.RawMessage
	var part struct {
		Text    string
		Content json.RawMessage
	}
	switch {
	case json.Unmarshal(v, &text) == nil:
		return text
	case json.Unmarshal(v, &list) != nil:
		_ = json.Unmarshal(v, &part) // other values have no text
		list = []json.RawMessage{part.Content}[:min(1, len(part.Content))]
	}
	var b strings.Builder
	b.WriteString(part.Text)
	for _, c := range list {
		b.WriteString(TextIn(c))
	}
	return b.String()
}

// Bounds of a session's report.
const (
	maxSubject = 200  // the subject, in bytes
	MaxReport  = 4000 // the summary and the question, in bytes each
	maxHandoff = 1000 // each part of the handoff, in bytes
	maxDrift   = 100  // the number of files
)

// Tidy returns the result with its texts bounded, and without hidden characters and credentials.
func (r Result) Tidy() Result {
	for s, max := range map[*string]int{&r.Summary: MaxReport, &r.Question: MaxReport,
		&r.Assumed: MaxReport, &r.Proposal: MaxReport,
		&r.Handoff.Did: maxHandoff, &r.Handoff.Why: maxHandoff, &r.Handoff.Rejected: maxHandoff} {
		*s = visible.Cut(strings.TrimSpace(visible.Without(Mask(*s, ""))), max)
	}
	r.Subject = OneLine(Mask(r.Subject, ""), maxSubject)
	r.Tokens = r.Tokens.Believed()
	r.Questions = TidyQuestions(r.Questions)
	r.Drift = slices.Clone(r.Drift[:min(len(r.Drift), maxDrift)])
	for i := range r.Drift {
		r.Drift[i].Because = OneLine(Mask(r.Drift[i].Because, ""), maxHandoff)
	}
	return r
}

// MaxQuestions is the maximum number of questions at once, and of suggested answers to each.
const MaxQuestions = 6

// TidyQuestions returns questions within the bounds of their number and length.
func TidyQuestions(list []Question) (out []Question) {
	for _, q := range list[:min(len(list), MaxQuestions)] {
		if q.Text = OneLine(Mask(q.Text, ""), 500); q.Text == "" {
			continue
		}
		q.Suggested = slices.Clone(q.Suggested[:min(len(q.Suggested), MaxQuestions)])
		for i, s := range q.Suggested {
			q.Suggested[i] = OneLine(Mask(s, ""), 200)
		}
		out = append(out, q)
	}
	return out
}

// Each returns the result with each of the session's texts replaced by f.
func (r Result) Each(f func(string) string) Result {
	texts := []*string{&r.Reason, &r.Question, &r.Subject, &r.Summary, &r.Handoff.Did, &r.Handoff.Why, &r.Handoff.Rejected,
		&r.Proposal, &r.Assumed, &r.Answer}
	r.Questions, r.Dispositions, r.Drift = slices.Clone(r.Questions), slices.Clone(r.Dispositions), slices.Clone(r.Drift)
	for i := range r.Questions {
		q := &r.Questions[i]
		q.Suggested = slices.Clone(q.Suggested)
		texts = append(texts, &q.Text)
		for k := range q.Suggested {
			texts = append(texts, &q.Suggested[k])
		}
	}
	for i := range r.Dispositions {
		texts = append(texts, &r.Dispositions[i].Because)
	}
	for i := range r.Drift {
		texts = append(texts, &r.Drift[i].Because)
	}
	for _, s := range texts {
		*s = f(*s)
	}
	return r
}

// Short writes a duration for people: 1.2s, 45s, 10m0s.
func Short(d time.Duration) string {
	if d < 10*time.Second {
		return d.Round(10 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// Lines reports streamed text as one event for each line.
type Lines struct {
	On   func(Event)
	rest string
}

// MaxEvent bounds the text of one event, in bytes.
const MaxEvent = 400

func (l *Lines) Write(s string) {
	l.rest += s
	for {
		end := strings.IndexByte(l.rest, '\n') + 1
		if end == 0 && len(l.rest) >= MaxEvent {
			end = len(visible.Cut(l.rest, MaxEvent))
		}
		if end == 0 {
			return
		}
		l.say(l.rest[:end])
		l.rest = l.rest[end:]
	}
}

// Flush passes on an unfinished last line.
func (l *Lines) Flush() {
	l.say(l.rest)
	l.rest = ""
}

func (l *Lines) say(s string) {
	if s = OneLine(s, MaxEvent); s != "" {
		l.On(Event{Kind: SaidText, Text: s})
	}
}

// Mask replaces the key, and words with the prefix of a credential, in s. Keys of less than 8 bytes stay, since they are
// placeholders of local servers. Hidden characters inside a credential do not protect it.
func Mask(s, key string) string {
	out, clean := maskSeen(s, key), visible.Without(s)
	if clean == s {
		return out
	}
	if all := maskSeen(clean, key); visible.Without(out) != all {
		return all
	}
	return out
}

func maskSeen(s, key string) string {
	const masked = "[redacted]"
	if len(key) >= 8 {
		s = strings.ReplaceAll(s, key, masked)
	}
	return credential().ReplaceAllStringFunc(s, func(word string) string {
		if strings.ContainsAny(word, "0123456789*") {
			return masked
		}
		return word
	})
}

// credential matches words with the prefix of a service's keys; one without a digit or a star is a name.
var credential = visible.NewPattern(`\b(?:sk-|gh[pos]_|github_pat_|glpat-|xox[bp]-|AKIA|AIza)[\w*-]{8,}`)
