package parcel

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// What a tree that comes back may change.
const (
	maxChanges = 100_000
	maxListed  = 32 << 20 // bytes of the list of its changes
	MaxPack    = 256 << 20
)

// Quarantine is a repository with the objects of a pack that a stranger sent. They go with it.
type Quarantine struct {
	Repo   *git.Repo // reads them, and what the real repository has
	remove func()
}

// Receive puts a pack that Return made into quarantine, and checks what is in it.
func Receive(ctx context.Context, r *git.Repo, in io.Reader) (*Quarantine, error) {
	folder, remove, err := disk.TempFolderIn(filepath.Join(r.GitDir, "plan", "parcels"), "back")
	if err != nil {
		return nil, err
	}
	q := &Quarantine{Repo: r.Beyond(folder), remove: remove}
	pack, fed := io.Pipe()
	checked := make(chan error, 1)
	go func() {
		err := whole(r.Format, in, fed)
		fed.CloseWithError(err)
		checked <- err
	}()
	err = q.Repo.Run(ctx, git.Command{Stdin: pack, Stdout: io.Discard, Writes: true,
		Args: []string{"-c", "core.bigFileThreshold=1m", "-c", "pack.threads=1", "index-pack", "--stdin", "--strict", "--max-input-size=" + strconv.Itoa(MaxPack)}})
	pack.CloseWithError(errors.New("git refuses it"))
	if why := <-checked; why != nil {
		err = why
	}
	if err != nil {
		q.Close()
		return nil, fmt.Errorf("what came back cannot be used: %w", err)
	}
	return q, nil
}

// Close removes what is in quarantine.
func (q *Quarantine) Close() {
	q.Repo.Close()
	q.remove()
}

// Changes returns the paths that differ between a tree of ours and one in quarantine. The error
// says what is wrong with that: it is no tree, too much changed, or something that is no file.
func (q *Quarantine) Changes(ctx context.Context, base, tree string) ([]string, error) {
	list := &limited{left: maxListed}
	err := q.Repo.Run(ctx, git.Command{Args: []string{"diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", base, tree, "--"}, Stdout: list})
	if list.left < 0 {
		return nil, errors.New("what came back changes too many files")
	}
	if err != nil {
		return nil, fmt.Errorf("what came back is no tree: %w", err)
	}
	fields := strings.Split(list.String(), "\x00")
	var paths []string
	var names strings.Builder
	for ; len(fields) >= 2; fields = fields[2:] {
		words, path := strings.Fields(fields[0]), fields[1]
		if len(words) != 5 || len(paths) == maxChanges {
			return nil, errors.New("what came back changes too many files")
		}
		switch words[1] {
		case "000000", "100644", "100755", "120000":
		default:
			return nil, fmt.Errorf("what came back has something at %s that is no file (mode %s)", visible.OneLine(path, 200), words[1])
		}
		if words[1] != "000000" {
			names.WriteString(words[3] + "\n")
		}
		paths = append(paths, path)
	}
	return paths, q.fits(ctx, names.String())
}

// fits reports whether files of these contents are not too large together.
func (q *Quarantine) fits(ctx context.Context, names string) error {
	if names == "" {
		return nil
	}
	var out bytes.Buffer
	if err := q.Repo.Run(ctx, git.Command{Args: []string{"cat-file", "--batch-check=%(objecttype) %(objectsize)"}, Stdin: strings.NewReader(names), Stdout: &out}); err != nil {
		return err
	}
	left := int64(maxWhole)
	for line := range strings.Lines(out.String()) {
		size, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimPrefix(line, "blob "), "\n"), 10, 64)
		if left -= size; err != nil || left < 0 {
			return errors.Join(errors.New("the files that came back are too large, or not all there"), err)
		}
	}
	return nil
}

// limited keeps what is written to it, up to a limit.
type limited struct {
	bytes.Buffer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, errors.New("too much")
	}
	return l.Buffer.Write(p)
}
