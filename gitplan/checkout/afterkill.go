package checkout

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// SetupChange returns what changed in the set-up during a session, unless a person has approved the plan since.
func (c *Checkout) SetupChange() (text string, ok bool) {
	states := []TaskState{c.TaskState()}
	if c.Doc != nil && c.Slot == "" {
		for _, slot := range Slots(c.Repo, c.Doc.ID) {
			states = append(states, TaskStateIn(c.Repo, c.Doc.ID, slot))
		}
	}
	for _, s := range states {
		since := func(e journal.Event) bool {
			return e.Kind == journal.Approved && e.By == journal.ByPerson && e.Time.After(s.Began)
		}
		if len(s.Changed) > 0 && !slices.ContainsFunc(c.Doc.Events, since) {
			return strings.Join(s.Changed, ", ") + " changed during " + integrity.DuringTask(s.Name), true
		}
	}
	return "", false
}

// AfterKill compares the set-up for each session whose git plan was killed, puts the plan's ref back, and reports
// once what changed: ErrSetupChanged, or ErrSetupUnseen if a person has to approve again.
func (c *Checkout) AfterKill(ctx context.Context) error {
	if os.Getenv(proc.EnvDepth) != "" {
		return nil
	}
	recs, err := integrity.Records(c.Repo)
	if err != nil {
		return err
	}
	for _, rec := range recs {
		if rec.Live(c.Repo) {
			continue
		}
		if rec.Changed == nil {
			proc.Sweep(proc.Mark(rec.Session))
		}
		changed, err := rec.Differs(ctx, c.Repo)
		if err != nil {
			return err
		}
		if len(changed) > 0 {
			c.Repo.ForbidTransports()
		}
		if rec.Changed == nil {
			if err := revertKilled(ctx, c, rec, changed); err != nil {
				return err
			}
		}
	}
	return nil
}

// revertKilled undoes what a session of a killed git plan changed, as far as possible, and returns the rest.
func revertKilled(ctx context.Context, c *Checkout, rec *integrity.Record, changed []string) error {
	rec.Setup.RemovePlanted(c.Repo)
	moved, err := rec.PlanBack(ctx, c.Repo)
	if err != nil {
		return err
	}
	if len(changed) == 0 {
		if rec.Remove(); len(moved) > 0 {
			err = &fault.Fault{Kind: fault.ErrSetupChanged, Text: integrity.Tampered(moved...)}
		}
		return err
	}
	kind := fault.ErrSetupChanged
	if rec.Plan == "" {
		rec.Remove()
	} else {
		kind = fault.ErrSetupUnseen
		at := TaskNote(c.Repo, rec.Plan, rec.Slot)
		note := readTaskState(at)
		if note.Session != rec.Session { // the session removed it
			note = TaskState{Name: rec.Task, Branch: rec.Branch, Top: rec.Top, Session: rec.Session, Began: rec.Began}
		}
		note.Changed = changed
		if err := errors.Join(at.Save(note), integrity.Revoke(c.Repo, rec.Plan), rec.Keep(ctx, c.Repo)); err != nil {
			return err
		}
	}
	text := integrity.Tampered(integrity.ChangedDuring(changed)) + " (or since: its git plan was killed)"
	return &fault.Fault{Kind: kind, Step: rec.Task, Text: strings.Join(append([]string{text}, moved...), "; ")}
}
