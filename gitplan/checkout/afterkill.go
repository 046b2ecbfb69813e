package checkout

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// AfterKill compares the set-up for each session whose git plan was killed. It puts the
// plan's ref back, and reports once what the session changed, as a git plan that lives would
// have: ErrSetupChanged, or ErrSetupUnseen if a person has to approve the plan again.
func (c *Checkout) AfterKill(ctx context.Context) error {
	if os.Getenv(proc.EnvDepth) != "" {
		return nil
	}
	for _, rec := range integrity.Records(c.Repo) {
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
			if err := settleKilled(ctx, c, rec, changed); err != nil {
				return err
			}
		}
	}
	return nil
}

// settleKilled undoes what can be undone of what a session of a killed git plan changed, and
// returns the rest as an error.
func settleKilled(ctx context.Context, c *Checkout, rec *integrity.Record, changed []string) error {
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
		if err := errors.Join(noteChanged(c.Repo, rec, changed), integrity.Revoke(c.Repo, rec.Plan), rec.Keep(ctx, c.Repo)); err != nil {
			return err
		}
	}
	text := integrity.Tampered(integrity.ChangedDuring(changed)) + " (or since: its git plan was killed)"
	return &fault.Fault{Kind: kind, Step: rec.Task, Text: strings.Join(append([]string{text}, moved...), "; ")}
}

// noteChanged adds what changed to the note of the session's task. If that is gone, or is
// another session's, it makes a new one: the session may have removed it.
func noteChanged(r *git.Repo, rec *integrity.Record, changed []string) error {
	at := TaskNote(r, rec.Plan, rec.Slot)
	var note TaskState
	data, err := at.Read()
	if err != nil || journal.DecodeNote(data, &note) != nil || note.Session != rec.Session {
		note = TaskState{Name: rec.Task, Branch: rec.Branch, Top: rec.Top, Session: rec.Session, Began: rec.Began}
	}
	note.Changed = changed
	if data, err = journal.EncodeNote(note); err != nil {
		return err
	}
	return at.Write(data)
}

// Trusted returns ErrSetupUnseen if what is configured may be a session's doing: then nothing
// of it may be run.
func (c *Checkout) Trusted(ctx context.Context) error { return integrity.Trusted(ctx, c.Repo) }
