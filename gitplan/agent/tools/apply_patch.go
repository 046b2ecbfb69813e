package tools

import (
	"context"
	_ "embed" // the descriptions of tools
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/git-plan/git-plan/gitplan/pattern"
)

//go:embed apply_patch.md
var aboutApplyPatch string

// patchers are the models that are trained on this form of patches.
var patchers = pattern.Of(`(?i)(?:^|/)gpt-(?:4\.1|[5-9]|[1-9]\d|oss)|codex`)

func applyPatch() Tool {
	return Tool{Name: "apply_patch", About: aboutApplyPatch, Run: runApplyPatch, Changes: true, Writes: true, args: []arg{
		text("patch", "the patch, from *** Begin Patch to *** End Patch", "input", "diff").must(),
	}}
}

// rewrite is what a patch makes of one file.
type rewrite struct {
	file      string
	old       fs.FileInfo // nil if it is new
	was, text string
	gone      bool
}

func runApplyPatch(_ context.Context, w *Workspace, v Values) (string, error) {
	files, err := parsePatch(v.text("patch"))
	if err != nil {
		return "", err
	}
	all := &rewrites{w: w, of: map[string]*rewrite{}}
	var said, failed []string
	for _, f := range files {
		if err := all.add(f); err != nil {
			failed = append(failed, fmt.Sprintf("%s: %v", f.path, err))
			continue
		}
		line := string(f.kind) + " " + f.path
		if f.to != "" {
			line += " -> " + f.to
		}
		said = append(said, line)
	}
	if failed != nil {
		return "", errors.New(strings.Join(failed, "\n") + "\n[nothing of the patch was made]")
	}
	if err := all.write(); err != nil {
		return "", err
	}
	return "patched\n" + strings.Join(said, "\n"), nil
}

// rewrites collects what a patch makes of files, before any of them is written.
type rewrites struct {
	w     *Workspace
	of    map[string]*rewrite
	order []*rewrite
}

// add makes the changes of a file in what the patch made of it so far.
func (r *rewrites) add(f filePatch) error {
	now, err := r.file(f.path)
	if err != nil {
		return err
	}
	there := !now.gone
	switch {
	case f.kind == 'A' && there:
		return errors.New("it exists; use *** Update File")
	case f.kind != 'A' && !there:
		return errors.New("there is no such file")
	case f.kind == 'A':
		now.text, now.gone = f.text, false
		return nil
	case f.kind == 'D':
		now.text, now.gone = "", true
		return nil
	}
	text, err := f.apply(now.text)
	if err != nil {
		if n := r.w.failedEdit(now.file); n >= failedEdits {
			err = fmt.Errorf("%w\n[%d edits of this file failed. Read it and write it whole with write_file.]", err, n)
		}
		return err
	}
	if len(text) > maxFile {
		return fmt.Errorf("it would be too large (%d bytes; at most %d)", len(text), maxFile)
	}
	if f.to == "" {
		now.text = text
		return nil
	}
	to, err := r.file(f.to)
	switch {
	case err != nil:
		return err
	case to == now || !to.gone:
		return fmt.Errorf("%s exists", f.to)
	}
	to.text, to.gone, now.text, now.gone = text, false, "", true
	return nil
}

// file returns what the patch made so far of a file that the model names.
func (r *rewrites) file(name string) (*rewrite, error) {
	file, err := r.w.locate(name)
	if err != nil {
		return nil, err
	}
	if now := r.of[file]; now != nil {
		return now, nil
	}
	now := &rewrite{file: file}
	if now.text, now.old, err = r.w.textToEdit(file); errors.Is(err, fs.ErrNotExist) {
		now.gone, err = true, nil
	}
	if err != nil {
		return nil, err
	}
	now.was = now.text
	r.of[file], r.order = now, append(r.order, now)
	return now, nil
}

// write writes all files, or puts back those that were written when one cannot be.
func (r *rewrites) write() error {
	for n, now := range r.order {
		if err := r.w.put(now.file, now.text, now.gone, now.old); err != nil {
			for _, before := range r.order[:n] {
				err = errors.Join(err, r.w.put(before.file, before.was, before.old == nil, before.old))
			}
			return fmt.Errorf("%w\n[nothing of the patch was made]", err)
		}
	}
	return nil
}

// put gives a file a text, or removes it.
func (w *Workspace) put(file, text string, gone bool, old fs.FileInfo) error {
	if !gone {
		return w.replaceFile(file, []byte(text), old)
	}
	if err := w.root.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return plainError(file, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.seen, file)
	w.edited[file] = true
	return nil
}
