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
// could see in a worker's cache what was sent of this one.
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
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) { // another step was first
		return cloneID(r)
	}
	if err != nil {
		return "", err
	}
	id := hex.EncodeToString(raw)
	_, err = f.WriteString(id + "\n")
	return id, errors.Join(err, f.Close())
}
