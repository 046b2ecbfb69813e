package work

import (
	"fmt"
	"io"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// keepTranscript returns the file for a session's turns, nil if none are kept, and removes old ones once.
func (w *Worker) keepTranscript(session string) (io.WriteCloser, error) {
	w.shared.forgetting.Do(func() { checkout.ForgetTranscripts(w.Checkout) })
	return checkout.KeepTranscript(w.Checkout, session)
}

// addTo adds a record to the transcript of a session that has ended. If that fails, the work goes on without it.
func (w *Worker) addTo(session string, r agent.Record) {
	if session == "" {
		return
	}
	if f, err := w.keepTranscript(session); err == nil && f != nil {
		defer f.Close()
		t := agent.Transcript{W: f}
		t.Write(r)
	}
}

// Proof shows how an attempt went: a check with the end of its output, or the changes of a failed attempt.
type Proof struct {
	Heading string // one line
	Text    string // may be empty
}

// Lines of a proof that a log has room for.
const (
	proofLines = 5  // of what a check printed: its last
	diffLines  = 60 // of a diff: its first
)

// ProofOf returns what this clone keeps of checks that passed in a session, and of what a failed one changed.
func ProofOf(c *checkout.Checkout, session string) (out []Proof) {
	if session == "" {
		return nil
	}
	f, err := checkout.OpenTranscript(c, session)
	if err != nil {
		return nil
	}
	defer f.Close()
	_ = agent.ReadTranscript(f, func(p agent.TranscriptPart) {
		switch {
		case p.Diff:
			out = append(out, Proof{"what it had changed:", firstLines(p.Text, session)})
		case p.Check != "" && p.Exit == 0: // why it failed is in the event
			out = append(out, Proof{p.Heading, visible.LastLines(p.Text, proofLines)})
		}
	})
	return out
}

func firstLines(text, session string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if more := len(lines) - diffLines; more > 0 {
		lines = append(lines[:diffLines:diffLines], fmt.Sprintf("... and %d more lines: git plan log --session %s", more, session))
	}
	return strings.Join(lines, "\n")
}
