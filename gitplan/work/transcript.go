package work

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/attempts"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Bounds of a transcript, in bytes. The first has room for 150 turns whose answers to calls are
// as large as those of a turn may be, 96 KiB.
const (
	transcriptSize = 16 << 20
	transcriptEnd  = 8 << 10 // kept free for the last two lines
)

// transcript is the file of a session's turns, one JSON object a line, of at most transcriptSize
// bytes. When it is full, further lines are left out, except the last, which says how the session
// ended; after it a line {"cut": ...} says how much is missing.
type transcript struct {
	file    *os.File
	written int
	missing int
	last    []byte // of the lines left out
}

func openTranscript(path string) (*transcript, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	return &transcript{file: f}, err
}

// Write takes one whole line.
func (t *transcript) Write(line []byte) (int, error) {
	if t.missing == 0 && t.written+len(line) <= transcriptSize-transcriptEnd {
		n, err := t.file.Write(line)
		t.written += n
		return n, err
	}
	t.missing += len(line)
	if t.last = nil; len(line) < transcriptEnd/2 {
		t.last = slices.Clone(line)
	}
	return len(line), nil
}

// Close ends the transcript.
func (t *transcript) Close() error {
	if t.missing > 0 {
		const note = `{"time":%q,"cut":"%d bytes are left out: a transcript holds at most %d"}` + "\n"
		_, _ = t.file.Write(t.last)
		t.missing -= len(t.last)
		_, _ = fmt.Fprintf(t.file, note, time.Now().UTC().Format(time.RFC3339Nano), t.missing, transcriptSize)
	}
	return t.file.Close()
}

// transcriptsOf is the folder of a plan's transcripts, or of those of work
// without a plan. Only this clone has it.
func transcriptsOf(c *checkout.Checkout) string {
	if c.Doc != nil {
		return c.Repo.PlanDir(c.Doc.ID, "sessions")
	}
	return c.Repo.PlanDir("sessions")
}

// keptSession is a transcript that exists.
type keptSession struct {
	id    string
	ended time.Time
}

// sessionsKept lists the existing transcripts, the newest first.
func sessionsKept(c *checkout.Checkout) ([]keptSession, error) {
	entries, err := os.ReadDir(transcriptsOf(c))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var out []keptSession
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), ".jsonl")
		if info, err := e.Info(); ok && err == nil && info.Mode().IsRegular() {
			out = append(out, keptSession{id, info.ModTime()})
		}
	}
	slices.SortStableFunc(out, func(a, b keptSession) int { return cmp.Compare(b.ended.UnixNano(), a.ended.UnixNano()) })
	return out, nil
}

// Transcript opens the transcript of a session. The name is the session's, or
// that of a step, which means the last session at it.
func Transcript(c *checkout.Checkout, name string) (io.ReadCloser, error) {
	all, err := sessionsKept(c)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(s keptSession) bool { return s.id == name })
	if i < 0 {
		i = slices.IndexFunc(all, func(s keptSession) bool { return stepOfSession(s.id) == name })
	}
	if i >= 0 {
		return os.Open(filepath.Join(transcriptsOf(c), all[i].id+".jsonl"))
	}
	var newest []string
	for _, s := range all[:min(len(all), 5)] {
		newest = append(newest, s.id)
	}
	if newest == nil {
		newest = []string{"none yet"}
	}
	return nil, fault.New(fault.ErrUnknownSession, "%s; the newest are: %s", withoutSession(c, name), strings.Join(newest, ", "))
}

// withoutSession says that a name has no transcript; if it is a step that a person did, that it
// needs none.
func withoutSession(c *checkout.Checkout, name string) string {
	if c.Doc != nil {
		if e := progress.LastOf(c.Doc.Events, name); e.Kind == journal.Done && e.By == journal.ByPerson {
			return "step " + name + " was done by hand, without a session"
		}
		if _, ok := c.Doc.Plan.Step(name); ok {
			return "no session of step " + name + " is kept here"
		}
	}
	return "no session " + visible.OneLine(name, 80) + " is kept here"
}

// stepOfSession matches a session's name, <step>-<attempt>-<random>, up to the step.
func stepOfSession(id string) string {
	parts := strings.Split(id, "-")
	return strings.Join(parts[:max(0, len(parts)-2)], "-")
}

// keepTranscript returns the file for a session's turns; nil if none are kept. The first one
// removes those that are too old.
func (w *Worker) keepTranscript(session string) (io.WriteCloser, error) {
	days, err := w.Config.Int("plan.keepTranscripts")
	if err != nil {
		return nil, err
	}
	w.common().forgetting.Do(func() { w.forgetTranscripts(days) })
	if days == 0 {
		return nil, nil
	}
	return openTranscript(filepath.Join(transcriptsOf(w.Checkout), session+".jsonl"))
}

// noteWhy ends the transcript of an attempt's session with all of why the attempt failed,
// if no kept attempt says so.
func (w *Worker) noteWhy(session string, out Outcome) {
	if session == "" || !strings.Contains(out.Reason, "\n") { // a reason of one line is in the event
		return
	}
	f, err := w.keepTranscript(session)
	if err != nil || f == nil {
		return
	}
	defer f.Close()
	_ = json.NewEncoder(f).Encode(map[string]any{"time": time.Now().UTC().Format(time.RFC3339Nano), "end": out.Status, "reason": out.Reason})
}

// saidLast returns what noteWhy wrote about the last session at a step.
func saidLast(c *checkout.Checkout, step string) (why string) {
	f, err := Transcript(c, step)
	if err != nil {
		return ""
	}
	defer f.Close()
	_ = agent.ReadTranscript(f, func(_, text string) { why = text })
	return why
}

func (w *Worker) forgetTranscripts(days int) {
	all, _ := sessionsKept(w.Checkout)
	for _, s := range all {
		if time.Since(s.ended) > time.Duration(days)*24*time.Hour {
			_ = os.Remove(filepath.Join(transcriptsOf(w.Checkout), s.id+".jsonl"))
		}
	}
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
		if subject, body, _ := strings.Cut(kept.Message, "\n\n"); strings.HasPrefix(subject, attempts.Subject) {
			why = body
		}
		see = attempts.HowToSee(c, failed.Kept)
	}
	first, said, _ := strings.Cut(why, "\n")
	if visible.FirstLine(first) != failed.Reason {
		return "", "" // perhaps another clone's attempt
	}
	return visible.LastLines(said, 20), see
}
