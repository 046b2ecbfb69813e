package transcript

import (
	"cmp"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// folder is the folder of a plan's transcripts, or of those of work
// without a plan. Only this clone has it.
func folder(c *checkout.Checkout) string {
	if c.Doc != nil {
		return c.Repo.PlanDir(c.Doc.ID, "sessions")
	}
	return c.Repo.PlanDir("sessions")
}

// session is one whose transcript exists.
type session struct {
	id    string
	ended time.Time
}

// all lists the existing transcripts, the newest first.
func all(c *checkout.Checkout) ([]session, error) {
	entries, err := os.ReadDir(folder(c))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var out []session
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), ".jsonl")
		if info, err := e.Info(); ok && err == nil && info.Mode().IsRegular() {
			out = append(out, session{id, info.ModTime()})
		}
	}
	slices.SortStableFunc(out, func(a, b session) int { return cmp.Compare(b.ended.UnixNano(), a.ended.UnixNano()) })
	return out, nil
}

// Open opens the transcript of a session. The name is the session's, or
// that of a step, which means the last session at it.
func Open(c *checkout.Checkout, name string) (io.ReadCloser, error) {
	list, err := all(c)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(list, func(s session) bool { return s.id == name })
	if i < 0 {
		i = slices.IndexFunc(list, func(s session) bool { return stepOfSession(s.id) == name })
	}
	if i >= 0 {
		return os.Open(filepath.Join(folder(c), list[i].id+".jsonl"))
	}
	var newest []string
	for _, s := range list[:min(len(list), 5)] {
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

// kept is how long transcripts are kept.
const kept = 90 * 24 * time.Hour

// Keep returns the file for a session's turns.
func Keep(c *checkout.Checkout, session string) (io.WriteCloser, error) {
	return create(filepath.Join(folder(c), session+".jsonl"))
}

// Forget removes the transcripts that are older than 90 days.
func Forget(c *checkout.Checkout) {
	list, _ := all(c)
	for _, s := range list {
		if time.Since(s.ended) > kept {
			_ = os.Remove(filepath.Join(folder(c), s.id+".jsonl"))
		}
	}
}

// Sessions returns the names of the sessions whose transcripts are kept, the newest first.
func Sessions(c *checkout.Checkout) (names []string, err error) {
	list, err := all(c)
	for _, s := range list {
		names = append(names, s.id)
	}
	return names, err
}
