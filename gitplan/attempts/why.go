package attempts

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// NoteWhy ends the transcript of an attempt's session with all of why the attempt failed.
func NoteWhy(c *checkout.Checkout, session string, status agent.Status, why string) {
	if session == "" || !strings.Contains(why, "\n") { // a reason of one line is in the event
		return
	}
	f, err := KeepTranscript(c, session)
	if err != nil {
		return
	}
	defer f.Close()
	_ = json.NewEncoder(f).Encode(map[string]any{"time": time.Now().UTC().Format(time.RFC3339Nano), "end": status, "reason": why})
}

// SaidBy returns the end of what was printed by the check, say, that failed an attempt, and the
// command that shows all of it; nothing if this clone has no transcript of it.
func SaidBy(c *checkout.Checkout, failed journal.Event) (said, see string) {
	f, err := OpenTranscript(c, failed.Session)
	if err != nil {
		return "", ""
	}
	defer f.Close()
	_ = agent.ReadTranscript(f, func(p agent.TranscriptPart) {
		first, rest, _ := strings.Cut(p.Text, "\n")
		switch first = visible.FirstLine(first); {
		case first != "" && strings.HasPrefix(failed.Reason, first):
			said = rest
		case p.Exit != 0 && strings.HasPrefix(failed.Reason, "`"+visible.Cut(p.Check, 300)):
			said = p.Text
		}
	})
	switch {
	case said == "":
		return "", ""
	case failed.Kept != "":
		see = HowToSee(c, failed.Kept)
	default:
		see = "git plan log --session " + failed.Session
	}
	return visible.LastLines(said, 20), see
}
