package install

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-plan/git-plan/gitplan/visible"
)

const shebang = "#!/bin/sh\n"

// Do is the kind of an Action.
type Do string

// The kinds of actions. Only the first three change a file.
const (
	Create Do = "create" // write a new hook, with Mode less the umask
	Change Do = "change" // replace an existing hook; its mode stays
	Remove Do = "remove" // remove a hook that this program created
	Keep   Do = "keep"   // nothing to do
	Refuse Do = "refuse" // this program must not touch the file; Text says why
	Manual Do = "manual" // a person must add Lines to the file
)

// Action is a decision about one hook.
type Action struct {
	Do      Do
	Hook    string
	Path    string      // the file; for Manual the one to add Lines to
	Content []byte      // Create, Change: the new content
	Mode    fs.FileMode // Create, Change: the file's mode
	Text    string      // one short line for people: what or why
	Lines   string      // Manual: the lines to add, with a final newline

	before []byte // the file's content at the time of the decision
}

func (f *File) action(do Do, format string, a ...any) Action {
	return Action{Do: do, Hook: f.Hook.Name, Path: f.Real, Mode: f.Mode,
		Text: visible.Line(fmt.Sprintf(format, a...)), before: f.Content}
}

// Plan returns the actions of Install or Uninstall for all hooks, without performing them.
func Plan(f Facts, decide func(*Facts, *File) Action) []Action {
	out := make([]Action, len(f.Files))
	for i := range f.Files {
		out[i] = decide(&f, &f.Files[i])
	}
	return out
}

// Install decides how to add git-plan's lines to a hook.
func Install(facts *Facts, f *File) Action {
	if facts.NoDir {
		return f.action(Refuse, "hooks are switched off: core.hooksPath names %s, which is not a folder", facts.Folder)
	}
	if a, foreign := f.manual(); foreign {
		return a
	}
	at, problem := find(f.Content)
	if why := cmp.Or(f.untouchable(), problem); why != "" {
		return f.action(Refuse, "%s", why)
	}
	if !f.Exists {
		a := f.action(Create, "a new hook")
		a.Content, a.Mode = append([]byte(shebang), block(f.Hook, facts.Program, true)...), 0o755
		return a
	}
	a := f.action(Change, "git-plan's lines are in it, and are brought up to date")
	if at == nil {
		at, a.Text = place(f.Content), "git-plan's lines go in front; the hook that is there runs after them as before"
	}
	a.Content = at.put(f.Content, block(f.Hook, facts.Program, at.created))
	if bytes.Equal(a.Content, f.Content) {
		a.Do, a.Text = Keep, "git-plan's lines are in it already"
	}
	return a
}

// manual decides about a hook that this program must not write; foreign is false for any other.
func (f *File) manual() (a Action, foreign bool) {
	why := ""
	switch {
	case f.Manager != NoManager:
		why = fmt.Sprintf("the hook belongs to %s", f.Manager)
	case f.Tracked:
		why = "git tracks the hooks folder"
	case f.Outside:
		why = "the hook is outside of this repository"
	default:
		return a, false
	}
	switch {
	case f.byHand() && !runs(*f):
		return f.action(Refuse, "%s, and git-plan's lines are in %s, but git finds no hook that it can run: install %s", why,
			f.ManualPath, f.Path), true
	case f.byHand():
		return f.action(Keep, "%s, and git-plan's lines are in %s already", why, f.ManualPath), true
	case f.lines() == "":
		return f.action(Refuse, "%s, which does not pass on what git gives this hook", why), true
	}
	where := "as " + f.ManualPath + ", and make it executable"
	switch {
	case f.Manager == Lefthook, f.Manager == PreCommit:
		where = "to " + f.ManualPath
	case f.Exists, len(f.Manual) > 0:
		where = "at the top of " + f.ManualPath + ", behind its first line"
	}
	a = f.action(Manual, "%s, so nothing is written: add this %s", why, where)
	a.Path, a.Lines = f.ManualPath, f.lines()
	return a, true
}

// byHand reports whether a person added git-plan's lines, other than as a comment.
func (f *File) byHand() bool {
	for l := range bytes.Lines(f.Manual) {
		for _, words := range []string{"hook " + f.Hook.Name, "hooks lines " + f.Hook.Name} {
			if bytes.Contains(l, []byte("git-plan "+words)) && !bytes.HasPrefix(bytes.TrimSpace(l), []byte("#")) {
				return true
			}
		}
	}
	return beginMark().Match(f.Manual)
}

// untouchable returns why this program must not change the hook; "" if it may.
func (f *File) untouchable() string {
	switch {
	case f.Trouble != "":
		return f.Trouble
	case !f.Exists:
		return ""
	case bytes.IndexByte(f.Content, 0) >= 0:
		return "it is a program, not a script"
	case bytes.Contains(f.Content, []byte("\r\n")):
		return "it has CRLF line ends, with which hooks fail or hang: give it LF line ends first"
	case interpreter(f.Content) != "":
		return fmt.Sprintf("%s runs it, which is not a shell: have it run \"git-plan hook %s\" with the arguments and the input it gets", visible.Cut(visible.Line(interpreter(f.Content)), 200), f.Hook.Name)
	case !runs(*f):
		return "it is not executable, so git does not run it: make it executable or remove it first"
	}
	return ""
}

// Uninstall decides how to remove git-plan's lines, so that the rest is the same to the byte.
func Uninstall(facts *Facts, f *File) Action {
	if f.Manager != NoManager || f.Tracked || f.Outside {
		if !f.byHand() {
			return f.action(Keep, "git-plan's lines are not in %s", f.ManualPath)
		}
		a := f.action(Manual, "git-plan's lines were added by hand: take them out of %s", f.ManualPath)
		a.Path = f.ManualPath
		return a
	}
	at, problem := find(f.Content)
	if problem = cmp.Or(f.Trouble, problem); problem != "" {
		return f.action(Refuse, "%s", problem)
	}
	if at == nil {
		return f.action(Keep, "git-plan's lines are not in it")
	}
	a := f.action(Change, "git-plan's lines are removed, the rest stays")
	if a.Content = at.put(f.Content, nil); at.created && string(a.Content) == shebang {
		a.Do, a.Text, a.Content = Remove, "is removed, since git-plan made it", nil
	}
	return a
}

// State is the status of one hook.
type State struct {
	Hook, Path string
	Installed  bool   // the hook has git-plan's lines, unchanged
	Text       string // the status in words, with the next command
}

// Status returns the state of each hook.
func Status(f Facts) []State {
	var out []State
	for _, a := range Plan(f, Install) {
		s := State{Hook: a.Hook, Path: a.Path, Text: a.Text}
		at, _ := find(a.before)
		switch {
		case a.Do == Keep:
			s.Installed, s.Text = true, "installed"
		case a.Do == Change && at != nil:
			s.Installed, s.Text = true, "installed, but not up to date: git plan hooks install"
		case a.Do == Create, a.Do == Change:
			s.Text = "not installed: git plan hooks install"
		case a.Do == Manual && f.Shared():
			s.Text = "not installed"
		}
		out = append(out, s)
	}
	return out
}

// Perform performs actions, and stops at the first error. It refuses to replace a file that has changed since Look.
// Files are replaced atomically.
func Perform(actions []Action) error {
	for _, a := range actions {
		if err := a.perform(); err != nil {
			return fmt.Errorf("%s: %w", a.Path, err)
		}
	}
	return nil
}

// perform performs one action. A created hook's mode is subject to the umask; a changed one keeps its mode.
func (a *Action) perform() error {
	if a.Do == Keep || a.Do == Refuse || a.Do == Manual {
		return nil
	}
	now, err := os.ReadFile(a.Path)
	if missing := errors.Is(err, fs.ErrNotExist); err != nil && !missing {
		return err
	} else if missing != (a.Do == Create) || !bytes.Equal(now, a.before) {
		return errors.New("the hook was changed meanwhile: try again")
	}
	if a.Do == Remove {
		return os.Remove(a.Path)
	}
	dir := filepath.Dir(a.Path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	temp := filepath.Join(dir, ".git-plan-"+rand.Text())
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, a.Mode.Perm())
	if err != nil {
		return err
	}
	defer os.Remove(temp) // after a rename it is gone already
	_, err = f.Write(a.Content)
	if a.Do == Change {
		err = errors.Join(err, f.Chmod(a.Mode))
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(temp, a.Path)
}
