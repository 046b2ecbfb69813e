package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/checkout"
)

// typed lets the person edit text in the editor that git would use, and gives what was typed to
// accept. If accept refuses it, what was typed is kept in the file, and the next edit begins with
// it. Text from such a file may be anybody's, and accept is given that: typing approves only what
// was typed just now.
func typed(ctx context.Context, co *checkout.Checkout, path string, text []byte, accept func(text []byte, kept bool) error) error {
	path, release, err := checkout.TakeFile(path, true)
	if err != nil {
		return err
	}
	defer release()
	kept, err := os.ReadFile(path)
	goesOn := err == nil
	if goesOn {
		fmt.Fprintf(os.Stderr, "going on with what was typed before: %s%s\n", path, orAnew)
		text = kept
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return err
	}
	now, err := edited(ctx, co, path)
	if _, gone := os.Lstat(path); errors.Is(gone, fs.ErrNotExist) {
		return cmp.Or(err, terminal.ErrUnchanged)
	}
	if err != nil && !goesOn && unchanged(now, text) {
		return errors.Join(err, os.Remove(path))
	}
	if err != nil {
		return fmt.Errorf("%w\nwhat was typed is kept in %s; the same command goes on with it%s", err, path, orAnew)
	}
	if err := accept(now, goesOn); errors.Is(err, terminal.ErrUnchanged) || errors.Is(err, errDoNow) {
		return errors.Join(err, os.Remove(path))
	} else if err != nil {
		return fmt.Errorf("%w\nwhat was typed is kept in %s; the same command goes on with it%s", err, path, orAnew)
	}
	return os.Remove(path)
}

// orAnew is how a text is discarded that every later edit would begin with.
const orAnew = " (remove this file to start over)"

// edited has the person edit a file in the editor that git would use, and returns its text
// afterwards.
func edited(ctx context.Context, co *checkout.Checkout, path string) ([]byte, error) {
	editor, err := co.Repo.Output(ctx, "var", "GIT_EDITOR")
	if err != nil {
		return nil, err
	}
	return terminal.Edit(ctx, editor, path)
}

func unchanged(a, b []byte) bool { return bytes.Equal(bytes.TrimSpace(a), bytes.TrimSpace(b)) }

// keepText keeps what a planner wrote for the editor, if an error keeps it from becoming the
// plan.
func keepText(co *checkout.Checkout, text []byte, err error) error {
	if len(text) == 0 {
		return err
	}
	path, release, werr := checkout.TakeFile(co.Repo.PlanDir("NEW_PLAN.md"), false)
	if werr != nil {
		return errors.Join(err, werr)
	}
	defer release()
	if werr := os.WriteFile(path, text, 0o600); werr != nil {
		return errors.Join(err, werr)
	}
	return fmt.Errorf("%w\nits text is kept in %s; go on with it: git plan new%s", err, path, orAnew)
}
