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
)

// Perform does what the actions say, in their order, and stops at the first
// that fails. A file that has changed since the facts were gathered is left alone.
// Another process sees the old hook or the new one, never half of it.
func Perform(actions []Action) error {
	for _, a := range actions {
		if err := a.perform(); err != nil {
			return fmt.Errorf("%s: %w", a.Path, err)
		}
	}
	return nil
}

func (a *Action) perform() error {
	switch a.Do {
	case Create, Change, Remove:
	default:
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
	return a.write()
}

// write replaces the file by a new one in the same folder. The umask applies to the mode
// of a created hook, as to any file a person makes; a changed one keeps its mode.
func (a *Action) write() error {
	dir := filepath.Dir(a.Path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	temp := filepath.Join(dir, ".git-plan-"+rand.Text())
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, a.Mode.Perm())
	if err != nil {
		return err
	}
	defer os.Remove(temp) // gone already when all went well
	_, err = f.Write(a.Content)
	if err = cmp.Or(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if a.Do == Change {
		if err := os.Chmod(temp, a.Mode); err != nil {
			return err
		}
	}
	return os.Rename(temp, a.Path)
}
