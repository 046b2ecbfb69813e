package progress

import (
	"bytes"
	"context"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/diffs"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// trees reads the trees of commits for Derive, to find whether the work of a step is in what
// a merge left. It reads only folders on the way to files of steps, and only if two trees
// differ, so neither a large repository nor a large merge makes it slow. A tree that cannot
// be read, or is one too many, proves nothing.
type trees struct {
	read    func(oid string) ([]git.Entry, bool)
	renames func(from, to string) map[string]string
	text    func(oid string) ([]byte, bool)
	kept    map[string]map[string]git.Entry
	left    int // how many may still be read
}

const (
	maxTrees   = 20_000
	maxEntries = 50_000 // of one folder
	maxWork    = 256    // files of one commit, which stand for the others
	maxDeep    = 200
	maxText    = 1 << 20
)

// treesOf returns the trees of the store's repository. What was read is kept with the store,
// since Derive is called again after each event.
func treesOf(ctx context.Context, s *journal.Store) *trees {
	if s.Folders == nil || len(s.Folders) > maxTrees {
		s.Folders = map[string]map[string]git.Entry{}
	}
	return &trees{kept: s.Folders, left: maxTrees,
		read: func(oid string) ([]git.Entry, bool) {
			o, err := s.Repo.Read(ctx, oid)
			if err != nil || o.Type != "tree" {
				return nil, false
			}
			entries, err := git.ParseTree(o.Data, s.Repo.Format)
			return entries, err == nil
		},
		text: func(oid string) (data []byte, ok bool) {
			err := s.Repo.Stream(ctx, oid, func(in io.Reader) (err error) {
				data, err = io.ReadAll(io.LimitReader(in, maxText+1))
				return err
			})
			return data, err == nil && len(data) <= maxText
		},
		renames: func(from, to string) map[string]string {
			found, _ := diffs.Renames(ctx, s.Repo, from, to)
			return found
		},
	}
}

// folder returns the entries of a tree by name; none for "".
func (t *trees) folder(oid string) (map[string]git.Entry, bool) {
	if oid == "" {
		return nil, true
	}
	if f, ok := t.kept[oid]; ok {
		return f, f != nil
	}
	if t.left--; t.left < 0 {
		return nil, false
	}
	t.kept[oid] = nil
	entries, ok := t.read(oid)
	if !ok || len(entries) > maxEntries {
		return nil, false
	}
	f := make(map[string]git.Entry, len(entries))
	for _, e := range entries {
		f[e.Name] = e
	}
	t.kept[oid] = f
	return f, true
}

// content is what a tree has at a path: a file's mode and object; empty if it has no file.
type content string

func contentOf(e git.Entry) content {
	if e.OID == "" || e.Mode == treeMode {
		return ""
	}
	return content(e.Mode + " " + e.OID)
}

func below(e git.Entry) string {
	if e.Mode == treeMode {
		return e.OID
	}
	return ""
}

func (t *trees) at(tree, path string) (content, bool) {
	for {
		folder, ok := t.folder(tree)
		if !ok {
			return "", false
		}
		name, rest, deeper := strings.Cut(path, "/")
		e := folder[name]
		if !deeper {
			return contentOf(e), true
		}
		if tree, path = below(e), rest; tree == "" {
			return "", true
		}
	}
}

// change is what a commit did to a file.
type change struct {
	path          string
	before, after content
}

// changes appends the differences between two trees to out, in order, up to maxWork.
func (t *trees) changes(from, to, prefix string, out *[]change) (ok bool) {
	if from == to || len(*out) >= maxWork || strings.Count(prefix, "/") > maxDeep {
		return true
	}
	a, ok := t.folder(from)
	b, ok2 := t.folder(to)
	if !ok || !ok2 {
		return false
	}
	names := maps.Clone(a)
	if names == nil {
		names = map[string]git.Entry{}
	}
	maps.Copy(names, b)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		was, is := a[name], b[name]
		if was == is {
			continue
		}
		if !t.changes(below(was), below(is), prefix+name+"/", out) {
			return false
		}
		if before, after := contentOf(was), contentOf(is); before != after && len(*out) < maxWork {
			*out = append(*out, change{prefix + name, before, after})
		}
	}
	return true
}

// differing calls each for those of some sorted paths at which two trees differ.
func (t *trees) differing(a, b string, paths []string, from int, each func(path string)) (ok bool) {
	if a == b {
		return true
	}
	inA, ok := t.folder(a)
	inB, ok2 := t.folder(b)
	if !ok || !ok2 {
		return false
	}
	for len(paths) > 0 {
		name, _, deeper := strings.Cut(paths[0][from:], "/")
		n, next := 1, paths[0][:from+len(name)]+"/"
		if deeper {
			for n < len(paths) && strings.HasPrefix(paths[n], next) {
				n++
			}
		}
		was, is := inA[name], inB[name]
		switch {
		case was == is:
		case deeper:
			if !t.differing(below(was), below(is), paths[:n], len(next), each) {
				return false
			}
		case contentOf(was) != contentOf(is):
			each(paths[0])
		}
		paths = paths[n:]
	}
	return true
}

// lines returns the lines of a file, without blank ones; nil if it is not read as text.
func (t *trees) lines(c content) map[string]bool {
	out := map[string]bool{}
	if c == "" {
		return out
	}
	mode, oid, _ := strings.Cut(string(c), " ")
	if mode == submodule {
		return nil
	}
	if t.left--; t.left < 0 {
		return nil
	}
	text, ok := t.text(oid)
	if !ok || bytes.IndexByte(text, 0) >= 0 {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" {
			out[line] = true
		}
	}
	return out
}

// The modes of what is not a file in a tree.
const (
	treeMode  = "40000"
	submodule = "160000"
)
