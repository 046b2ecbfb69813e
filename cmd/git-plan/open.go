package main

import (
	"context"
	"errors"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/proc"
)

func (c *command) inRepo(most int, f func(*checkout.Checkout) error) cli.ActionFunc {
	return c.do(most, func() error { return withCheckout(c.Context, f) })
}

// inPager is inRepo for what a person reads in the pager.
func (c *command) inPager(most int, f func(*checkout.Checkout) error) cli.ActionFunc {
	return c.inRepo(most, func(co *checkout.Checkout) error { return paged(c, co, func() error { return f(co) }) })
}

// onOwn is inRepo for what a session of a plan may not do.
func (c *command) onOwn(most int, f func(*checkout.Checkout) error) cli.ActionFunc {
	return c.do(most, func() error {
		if err := notNested(); err != nil {
			return err
		}
		return withCheckout(c.Context, f)
	})
}

// onPlan is do with the plan of the branch.
func (c *command) onPlan(most int, f func(*checkout.Checkout) error) cli.ActionFunc {
	return c.do(most, func() error { return withPlan(c.Context, f) })
}

// onLocked is do with the lock of the plan of the branch.
func (c *command) onLocked(most int, f func(*checkout.Checkout, *journal.Lock) error) cli.ActionFunc {
	return c.do(most, func() error { return withLock(c, f) })
}

// withCheckout opens the repository for one command, after recovering from a killed session.
func withCheckout(ctx context.Context, do func(*checkout.Checkout) error) error {
	return withRepository(ctx, func(co *checkout.Checkout) error {
		if err := co.AfterKill(ctx); err != nil {
			return err
		}
		return do(co)
	})
}

// withRepository opens the repository without recovering, for git or a shell, whose output a person may never see.
func withRepository(ctx context.Context, do func(*checkout.Checkout) error) error {
	c, err := checkout.Open(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	return do(c)
}

// withPlan opens the repository and the branch's plan.
func withPlan(ctx context.Context, do func(*checkout.Checkout) error) error {
	return withCheckout(ctx, func(c *checkout.Checkout) error {
		if err := c.Load(ctx); err != nil {
			return err
		}
		return do(c)
	})
}

func withLock(c *command, do func(*checkout.Checkout, *journal.Lock) error) error {
	return withCheckout(c.Context, func(co *checkout.Checkout) error {
		return locked(c, co, func(lock *journal.Lock) error { return do(co, lock) })
	})
}

// notNested refuses to write to a plan from inside one of its sessions.
func notNested() error {
	if os.Getenv(proc.EnvDepth) != "" {
		return &fault.Fault{Kind: fault.ErrNested, Text: "this is already a session of a plan (" + proc.EnvDepth + " is set)"}
	}
	return nil
}

func locked(c *command, co *checkout.Checkout, do func(*journal.Lock) error) error {
	lock, err := lockPlan(c, co, false)
	if err != nil {
		return err
	}
	defer lock.Release()
	return do(lock)
}

// betweenSessions changes the plan under its lock, or once the session at work has ended; tip is about that wait.
func betweenSessions(c *command, co *checkout.Checkout, tip string, store func() error) error {
	at, busy := journal.Working(co.Repo, co.Doc.ID)
	if !busy {
		return locked(c, co, func(*journal.Lock) error { return store() })
	}
	release, err := co.LockText(c.Context, func() { say(c.Err, "waiting for the session of %s to end%s", at.Name(), tip) })
	if err != nil {
		return err
	}
	defer release()
	return store()
}

// lockPlan takes the plan's lock, as every command that writes to a plan does, and reads the plan and the proposals of its
// base under it. A review without a plan gets the lock of the work tree. The caller releases it.
func lockPlan(c *command, co *checkout.Checkout, review bool) (*journal.Lock, error) {
	if err := notNested(); err != nil {
		return nil, err
	}
	id, planned := co.PlanID(c.Context)
	if !planned {
		err := co.Load(c.Context)
		if err != nil && (!review || !errors.Is(err, fault.ErrNoPlan)) {
			return nil, err
		}
		if id, planned = integrity.ReviewLock(co.Repo.GitDir), err == nil; planned {
			id = co.Doc.ID // adopted just now
		}
	}
	lock, err := journal.Acquire(co.Repo, id, c.name)
	if err != nil {
		return nil, err
	}
	if planned {
		err = co.Load(c.Context)
	}
	if err == nil {
		err = proposals(c, co, co.PlanBase(c.Context))
	}
	if err != nil {
		lock.Release()
		return nil, err
	}
	return lock, nil
}

// proposals reads the repository's settings and prompts; a broken prompt stops only commands that use one.
func proposals(c *command, co *checkout.Checkout, base string) error {
	warnings, err := co.ReadProposals(c.Context, base)
	for _, w := range warnings {
		say(c.Err, "warning: %s", w)
	}
	if errors.Is(err, fault.ErrTemplate) && !c.prompts {
		say(c.Err, "warning: no session can run: %s", err)
		return nil
	}
	return err
}

func stepOf(co *checkout.Checkout, name string) (*plan.Step, error) {
	if name == "" {
		if s, ok := co.Progress.Next(co.Doc.Plan); ok {
			return s, nil
		}
		return nil, &fault.Fault{Kind: fault.ErrNothingLeft, Text: "no step is open that could be next"}
	}
	if s, ok := co.Doc.Plan.Step(name); ok {
		return s, nil
	}
	return nil, co.Doc.Plan.NoStep(name)
}

// nothingToDo reports an error of nothing to do as success: everywhere except in step and next, which end loops.
func nothingToDo(c *command, err error) error {
	if errors.Is(err, fault.ErrNothingLeft) {
		say(c.Err, "%s", err)
		return nil
	}
	return err
}
