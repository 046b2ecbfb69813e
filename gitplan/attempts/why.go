package attempts

import (
	"context"
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
	if err != nil || f == nil {
		return
	}
	defer f.Close()
	_ = json.NewEncoder(f).Encode(map[string]any{"time": time.Now().UTC().Format(time.RFC3339Nano), "end": status, "reason": why})
}

// saidLast returns what NoteWhy wrote about the last session at a step.
func saidLast(c *checkout.Checkout, step string) (why string) {
	f, err := OpenTranscript(c, step)
	if err != nil {
		return ""
	}
	defer f.Close()
	_ = agent.ReadTranscript(f, func(p agent.TranscriptPart) { why = p.Text })
	return why
}

// SaidBy returns the end of what was printed by the check, say, that failed an attempt, and the
// command that shows all of it; nothing if this clone keeps none.
func SaidBy(ctx context.Context, c *checkout.Checkout, failed journal.Event) (said, see string) {
	why := ""
	if failed.Kept == "" {
		why = saidLast(c, failed.Step())
		see = "git plan log --session " + failed.Step()
	} else if strings.HasPrefix(failed.Kept, journal.AttemptPrefix+c.Doc.ID+"/") {
		kept, _ := c.Repo.ReadCommit(ctx, failed.Kept)
		if subject, body, _ := strings.Cut(kept.Message, "\n\n"); strings.HasPrefix(subject, Subject) {
			why = body
		}
		see = HowToSee(c, failed.Kept)
	}
	first, said, _ := strings.Cut(why, "\n")
	if visible.FirstLine(first) != failed.Reason {
		return saidByCheck(c, failed)
	}
	return visible.LastLines(said, 20), see
}

// saidByCheck is SaidBy of an attempt after which others were made: the transcript of its session has the checks.
func saidByCheck(c *checkout.Checkout, failed journal.Event) (said, see string) {
	if failed.Session == "" {
		return "", ""
	}
	f, err := OpenTranscript(c, failed.Session)
	if err != nil {
		return "", "" // perhaps another clone's attempt
	}
	defer f.Close()
	_ = agent.ReadTranscript(f, func(p agent.TranscriptPart) {
		if p.Exit != 0 && strings.HasPrefix(failed.Reason, "`"+visible.Cut(p.Check, 300)) {
			said, see = visible.LastLines(p.Text, 20), "git plan log --session "+failed.Session
		}
	})
	return said, see
}
