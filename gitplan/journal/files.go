package journal

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-plan/git-plan/gitplan/settings"
)

// WriteFile replaces a private file whole: another process sees the old or the
// new one.
func WriteFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".tmp-")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
	}
	return err
}

// ReadRegular reads a regular file. It follows no link, and never opens a pipe, which would
// not end.
func ReadRegular(path string) ([]byte, error) {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return nil, fs.ErrNotExist
	}
	return os.ReadFile(path)
}

// StateFolder returns the folder for what programs keep across restarts: XDG_STATE_HOME, or
// ~/.local/state.
func StateFolder() (string, error) {
	if state := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return state, nil
	}
	home, err := settings.HomeFolder()
	return filepath.Join(home, ".local", "state"), err
}
