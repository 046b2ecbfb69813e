package parcel

import (
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
)

// nobody is who makes carriers, at the beginning of time: both ends make the same.
const nobody = "git-plan <git-plan@localhost> 0 +0000"

// carrier returns the commit that brings a tree, and its name.
func carrier(format, tree string, parents []string) (name string, data []byte) {
	text := "tree " + tree + "\n"
	for _, p := range parents {
		text += "parent " + p + "\n"
	}
	text += "author " + nobody + "\ncommitter " + nobody + "\n\nWhat the session begins with\n"
	data = fmt.Appendf(nil, "commit %d\x00%s", len(text), text)
	if format == "sha256" {
		return fmt.Sprintf("%x", sha256.Sum256(data)), data
	}
	return fmt.Sprintf("%x", sha1.Sum(data)), data
}

// against is how many of the trees that a worker has a pack is made thin against.
const against = 16

// Send writes a pack of a tree, without what is in some of the trees that the worker says it has.
func Send(ctx context.Context, r *git.Repo, tree string, has []string, w io.Writer) error {
	folder, remove, err := disk.TempFolderIn(filepath.Join(r.GitDir, "plan", "parcels"), "send")
	if err != nil {
		return err
	}
	defer remove()
	known, err := trees(ctx, r, has)
	if err != nil {
		return err
	}
	if len(known) > against {
		known = known[:against]
	}
	// git makes deltas against what the parents of what it sends have, so that these are the parents.
	var parents []string
	for _, t := range known {
		c, err := carry(folder, r.Format, t, nil)
		if err != nil {
			return err
		}
		parents = append(parents, c)
	}
	wanted, err := carry(folder, r.Format, tree, parents)
	if err != nil {
		return err
	}
	list := strings.Join(append([]string{wanted}, parents...), "\n^") + "\n"
	out := r.Beyond(folder)
	defer out.Close()
	return out.Run(ctx, git.Command{Args: []string{"pack-objects", "--revs", "--thin", "--delta-base-offset", "--stdout", "--quiet"}, Stdin: strings.NewReader(list), Stdout: w})
}

// trees returns which of some names are those of trees here.
func trees(ctx context.Context, r *git.Repo, names []string) (known []string, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	var out bytes.Buffer
	err = r.Run(ctx, git.Command{Args: []string{"cat-file", "--batch-check=%(objectname) %(objecttype)"}, Stdin: strings.NewReader(strings.Join(names, "\n") + "\n"), Stdout: &out})
	for line := range strings.Lines(out.String()) {
		if name, ok := strings.CutSuffix(line, " tree\n"); ok {
			known = append(known, name)
		}
	}
	return known, err
}

// carry writes a carrier as a loose object.
func carry(objects, format, tree string, parents []string) (name string, err error) {
	name, data := carrier(format, tree, parents)
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, _ = z.Write(data)
	_ = z.Close()
	dir := filepath.Join(objects, name[:2])
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, "tmp_obj_") // git prunes those of processes that died
	if err != nil {
		return "", err
	}
	_, err = f.Write(packed.Bytes())
	return name, errors.Join(err, f.Close(), os.Rename(f.Name(), filepath.Join(dir, name[2:])))
}

// kept are the refs of the trees that a worker has, by their carriers.
const kept = "refs/trees/"

// Has lists the trees that Take was given, the newest first, at most so many.
func Has(ctx context.Context, r *git.Repo, most int) ([]string, error) {
	out, err := r.Output(ctx, "for-each-ref", fmt.Sprintf("--count=%d", most), "--sort=-refname", "--format=%(tree)", kept)
	return strings.Fields(out), err
}

// Take puts a pack that Send made into a repository.
func Take(ctx context.Context, r *git.Repo, in io.Reader) error {
	return r.Run(ctx, git.Command{Args: []string{"index-pack", "--stdin", "--fix-thin", "--strict"}, Stdin: in, Stdout: io.Discard, Writes: true})
}

// Keep keeps a tree that came by Take for the next one, and returns its carrier, which has no
// parents.
func Keep(ctx context.Context, r *git.Repo, tree string, known []string) (name string, err error) {
	if name, err = carry(filepath.Join(r.CommonDir, "objects"), r.Format, tree, nil); err != nil || slices.Contains(known, tree) {
		return name, err
	}
	return name, r.UpdateRef(ctx, fmt.Sprintf("%s%015d-%.12s", kept, time.Now().UnixMilli(), name), name, "", "taken")
}
