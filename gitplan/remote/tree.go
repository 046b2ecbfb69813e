package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Bounds of trees that are sent; all but the first are sizes in bytes.
const (
	maxChanges = 100_000   // the number of files that a returned tree changes
	maxListed  = 32 << 20  // the list of its changes
	maxPack    = 256 << 20 // the sent objects
	maxFiles   = 1 << 30   // all changed files together
	maxObject  = 64 << 20  // an object, which git holds in memory
	maxSent    = 64 << 30  // all data that a worker gets
)

// SendTree sends a tree as a pack, without the objects of the tree base; "" sends all of it.
func (c *Conn) SendTree(ctx context.Context, r *git.Repo, base, tree string) error {
	list, args := tree+"\n", []string{"pack-objects", "--revs", "--stdout", "--quiet"}
	if base != "" { // objects that are whole: Receive takes no others
		list, args = list+"^"+base+"\n", append(args, "--window=0", "--no-reuse-delta")
	}
	return c.SendStream(FrameTree, tree, func(w io.Writer) error {
		return r.Run(ctx, git.Command{Args: args, Stdin: strings.NewReader(list), Stdout: w})
	})
}

// TakeTree puts a tree that SendTree sent into a repository of one's own.
func (c *Conn) TakeTree(ctx context.Context, r *git.Repo) (tree string, err error) {
	s := &stream{c: c, left: maxSent}
	err = r.Run(ctx, git.Command{Args: []string{"index-pack", "--stdin", "--strict"}, Stdin: s, Stdout: io.Discard,
		Writes: true})
	if err != nil {
		return "", err
	}
	return s.name()
}

// name reads the rest of a stream, and the name of the tree at its end.
func (s *stream) name() (string, error) {
	if _, err := io.Copy(io.Discard, s); err != nil {
		return "", err
	}
	tree, err := decode[string](s.end)
	if err == nil && !journal.IsOID(tree) {
		err = errors.New("the tree has no name")
	}
	return tree, err
}

// Quarantine is a repository with the objects of a pack that a worker sent. They are removed with it.
type Quarantine struct {
	Repo   *git.Repo // reads them, and what the real repository has
	Tree   string
	remove func()
}

// Receive puts a tree that SendTree sent into quarantine, and checks it. first is its first frame.
func (c *Conn) Receive(ctx context.Context, r *git.Repo, base string, first Frame) (*Quarantine, error) {
	folder, remove, err := disk.TempFolderIn(filepath.Join(r.GitDir, "plan", "parcels"), "back")
	if err != nil {
		return nil, err
	}
	q := &Quarantine{Repo: r.WithObjectDir(folder), remove: remove}
	s := &stream{c: c, left: maxPack}
	if err = s.take(first); err == nil {
		// With little memory: a delta can grow.
		err = q.Repo.Run(ctx,
			git.Command{Stdin: s, Stdout: io.Discard, Writes: true, Env: []string{"GIT_ALLOC_LIMIT=" + strconv.Itoa(maxObject)},
				Args: []string{"-c", "core.bigFileThreshold=1m", "-c", "pack.threads=1", "index-pack", "--stdin", "--strict",
					"--max-input-size=" + strconv.Itoa(maxPack)}})
	}
	if err == nil {
		q.Tree, err = s.name()
	}
	if err == nil {
		err = q.check(ctx, base)
	}
	if err != nil {
		q.Close()
		return nil, fmt.Errorf("what came back cannot be used: %w", err)
	}
	return q, nil
}

func (q *Quarantine) Close() {
	q.Repo.Close()
	q.remove()
}

// check refuses a tree with too many changes, with other entries than files and links, or with files too large or gone.
func (q *Quarantine) check(ctx context.Context, base string) error {
	list := &proc.Head{Max: maxListed}
	err := q.Repo.Run(ctx, git.Command{Args: []string{"diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev",
		base, q.Tree, "--"}, Stdout: list})
	if list.Over {
		return errors.New("it changes too many files")
	}
	if err != nil {
		return fmt.Errorf("it is not a tree: %w", err)
	}
	fields := strings.Split(string(list.Text), "\x00")
	var names strings.Builder
	for n := 0; len(fields) >= 2; n, fields = n+1, fields[2:] {
		words, path := strings.Fields(fields[0]), fields[1]
		if len(words) != 5 || n == maxChanges {
			return errors.New("it changes too many files")
		}
		switch words[1] {
		case "000000":
		case "100644", "100755", "120000":
			names.WriteString(words[3] + "\n")
		default:
			return fmt.Errorf("%s is neither a file nor a link (mode %s)", visible.OneLine(path, 200), words[1])
		}
	}
	if names.Len() == 0 {
		return nil
	}
	out, err := q.Repo.Capture(ctx, git.Command{Args: []string{"cat-file", "--batch-check=%(objecttype) %(objectsize)"},
		Stdin: strings.NewReader(names.String())})
	if err != nil {
		return err
	}
	left := int64(maxFiles)
	for line := range strings.Lines(out) {
		size, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimPrefix(line, "blob "), "\n"), 10, 64)
		if left -= size; err != nil || left < 0 {
			return errors.New("its files are too large, or not all there")
		}
	}
	return nil
}
