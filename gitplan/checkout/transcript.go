package checkout

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// transcript returns the file of a session's transcript, of a plan or of work without one; it is local to this clone.
func transcript(c *Checkout, session string) string {
	return c.Repo.PlanDir(c.Loaded(), "sessions", session+".jsonl")
}

// allTranscripts returns the names of the sessions whose transcripts exist, the newest first.
func allTranscripts(c *Checkout) (ids []string, err error) {
	entries, err := os.ReadDir(filepath.Dir(transcript(c, "")))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	ended := map[string]time.Time{}
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), ".jsonl")
		if info, err := e.Info(); ok && err == nil && info.Mode().IsRegular() {
			ids, ended[id] = append(ids, id), info.ModTime()
		}
	}
	slices.SortStableFunc(ids, func(a, b string) int { return ended[b].Compare(ended[a]) })
	return ids, nil
}

// OpenTranscript opens the transcript of a session, or of the last session at a step.
func OpenTranscript(c *Checkout, name string) (io.ReadCloser, error) {
	ids, err := allTranscripts(c)
	if err != nil {
		return nil, err
	}
	is := func(id string) bool {
		parts := strings.Split(id, "-") // <step>-<attempt>-<random>, or _review-<round>-<attempt>-<random>
		return id == name || strings.Join(parts[:max(0, len(parts)-2)], "-") == name || name == "fixer" && parts[0] == "_review"
	}
	if i := slices.IndexFunc(ids, is); i >= 0 {
		return disk.OpenRegular(transcript(c, ids[i]))
	}
	if c.Doc != nil { // the sessions that planned it had no plan yet
		before := &Checkout{Repo: c.Repo}
		all, _ := allTranscripts(before)
		for _, id := range all {
			info, err := os.Stat(transcript(before, id))
			if err == nil && is(id) && strings.HasPrefix(id, "plan-") && info.ModTime().Before(c.Doc.Events[0].Time.Add(time.Second)) {
				return disk.OpenRegular(transcript(before, id))
			}
		}
	}
	if len(ids) == 0 {
		return nil, &fault.Fault{Kind: fault.ErrUnknownSession, Text: "no transcript of a session is kept in this clone",
			Next: "see what happened: git plan log"}
	}
	return nil, &fault.Fault{Kind: fault.ErrUnknownSession, Text: "no session " + visible.Line(name) + " is kept here; the newest are: " + strings.Join(ids[:min(len(ids), 5)], ", "), Next: "name one of them, or a step: git plan log --session STEP"}
}

// ForgetTranscripts removes the transcripts that are older than 90 days.
func ForgetTranscripts(c *Checkout) {
	const transcriptAge = 90 * 24 * time.Hour
	ids, _ := allTranscripts(c)
	for _, id := range ids {
		if info, err := os.Stat(transcript(c, id)); err == nil && time.Since(info.ModTime()) > transcriptAge {
			_ = os.Remove(transcript(c, id))
		}
	}
}

// maxSize bounds a transcript, in bytes: 150 turns with answers of 96 KiB.
const maxSize = 16 << 20

// bounded is the file of a session's turns, one JSON object a line. What exceeds maxSize is left out.
type bounded struct {
	*os.File
	size int
}

// KeepTranscript returns the file for a session's turns.
func KeepTranscript(c *Checkout, session string) (io.WriteCloser, error) {
	path := transcript(c, session)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	return &bounded{File: f}, err
}

// Write takes one whole line.
func (t *bounded) Write(line []byte) (int, error) {
	if t.size += len(line); t.size > maxSize {
		return len(line), nil
	}
	return t.File.Write(line)
}

// FailureOutput returns the end of what a failed check printed, and the command that shows all of it, if known.
func FailureOutput(c *Checkout, failed journal.Event) (said, see string) {
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
		case p.Exit != 0 && strings.HasPrefix(failed.Reason, "`"+visible.Cut(plan.Unlimited(p.Check), 300)):
			said = p.Text
		}
	})
	if said == "" {
		return "", ""
	}
	if see = "git plan log --session " + failed.Session; failed.Kept != "" {
		see = c.Attempts().ShowCommand(failed.Kept)
	}
	return visible.LastLines(said, 20), see
}
