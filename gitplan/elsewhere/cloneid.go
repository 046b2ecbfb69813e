package elsewhere

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
)

// cloneID returns the name by which workers know this clone, which nobody can guess: whoever knew it
// could see in a worker's cache what was sent of this one. It is written whole, or not at all: of
// several that write one at once, the first keeps it.
func cloneID(r *git.Repo) (string, error) {
	path := r.PlanDir("clone-id")
	data, err := os.ReadFile(path)
	if err == nil {
		return strings.TrimSpace(string(data)), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	raw := make([]byte, 16)
	_, _ = rand.Read(raw)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	mine := path + "." + hex.EncodeToString(raw[:4])
	defer os.Remove(mine)
	if err := os.WriteFile(mine, []byte(hex.EncodeToString(raw)+"\n"), 0o600); err != nil {
		return "", err
	}
	if err := os.Link(mine, path); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	data, err = os.ReadFile(path)
	return strings.TrimSpace(string(data)), err
}
