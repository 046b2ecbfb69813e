package git

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/disk"
)

// RefChange is a change of a ref. An empty Old changes the ref itself, even a symbolic one; an empty New removes it.
type RefChange struct{ Ref, New, Old string }

// UpdateRef moves ref from old to new; if old is empty it must not exist. The error is ErrMoved if it is elsewhere. In the
// same transaction it makes other changes.
func (r *Repo) UpdateRef(ctx context.Context, ref, new, old, reason string, others ...RefChange) error {
	return r.ChangeRefs(ctx, reason, append([]RefChange{{ref, new, cmp.Or(old, r.Zero())}}, others...)...)
}

// DeleteRef removes ref, whose value must be old; else the error is ErrMoved.
func (r *Repo) DeleteRef(ctx context.Context, ref, old, reason string) error {
	return r.ChangeRefs(ctx, reason, RefChange{ref, "", old})
}

// ChangeRefs makes all of the changes or none. The error is ErrMoved, without reading git's words, if that is why.
func (r *Repo) ChangeRefs(ctx context.Context, reason string, changes ...RefChange) error {
	if len(changes) == 0 {
		return nil
	}
	var in bytes.Buffer
	c := Command{Args: []string{"update-ref", "--create-reflog", "-m", reason, "-z", "--stdin"}, Stdin: &in, Writes: true}
	for _, ref := range changes {
		if c.refs = append(c.refs, ref.Ref); ref.Old == "" {
			in.WriteString("option no-deref\x00")
		}
		if ref.New == "" {
			fmt.Fprintf(&in, "delete %s\x00%s\x00", ref.Ref, ref.Old)
		} else {
			fmt.Fprintf(&in, "update %s\x00%s\x00%s\x00", ref.Ref, ref.New, ref.Old)
		}
	}
	err := r.Run(ctx, c)
	if Code(err) < 0 {
		return err
	}
	for _, ref := range changes {
		now, _ := r.Output(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", ref.Ref)
		if ref.Old != "" && ref.Old != cmp.Or(now, r.Zero()) {
			return ErrMoved
		}
	}
	return err
}

// Symbolic reports whether a ref leads to another one, as none of ours does unless a session made it so.
func (r *Repo) Symbolic(ref string) bool {
	text, err := os.ReadFile(filepath.Join(r.CommonDir, filepath.FromSlash(ref)))
	return err == nil && bytes.HasPrefix(text, []byte("ref:"))
}

// Ref is one ref with the subject and the date of its commit or tag.
type Ref struct {
	Name, OID, Subject string
	Time               time.Time
}

// Refs returns the refs below the given prefixes or with the given full names.
func (r *Repo) Refs(ctx context.Context, patterns ...string) ([]Ref, error) {
	out, err := r.Output(ctx, append([]string{"for-each-ref",
		"--format=%(refname)%00%(objectname)%00%(contents:subject)%00%(creatordate:unix)%00"}, patterns...)...)
	if err != nil {
		return nil, err
	}
	var refs []Ref
	fields := strings.Split(out, "\x00")
	for ; len(fields) >= 4; fields = fields[4:] {
		seconds, _ := strconv.ParseInt(fields[3], 10, 64) // a blob has no parents
		refs = append(refs,
			Ref{Name: strings.TrimPrefix(fields[0], "\n"), OID: fields[1], Subject: fields[2], Time: time.Unix(seconds, 0)})
	}
	return refs, nil
}

// ValidBranch reports whether git accepts name as the name of a branch.
func (r *Repo) ValidBranch(ctx context.Context, name string) bool {
	return r.Run(ctx, Command{Args: []string{"check-ref-format", "refs/heads/" + name}}) == nil && !strings.HasPrefix(name, "-")
}

// Branch returns the short name of the branch, even an unborn one, that HEAD points to, or "" if it is detached. It asks
// git only if HEAD is a symbolic link, as in repositories of 2005, the refs are in tables, or the branch is symbolic.
func (r *Repo) Branch(ctx context.Context) (string, error) {
	text, _ := disk.ReadRegular(filepath.Join(r.GitDir, "HEAD"))
	head := strings.TrimRight(string(text), "\n")
	if _, err := hex.DecodeString(head); err == nil && len(head) == len(r.Zero()) {
		return "", nil // detached
	}
	branch, ok := strings.CutPrefix(head, "ref: refs/heads/")
	if ok && branch != ".invalid" && !r.Symbolic("refs/heads/"+branch) {
		return branch, nil
	}
	out, err := r.Output(ctx, "symbolic-ref", "--quiet", "HEAD")
	return strings.TrimPrefix(out, "refs/heads/"), Allow(1, err)
}

// RefFiles returns the files that have the refs below some prefixes, except those of some refs: if they are the same
// later, see SameFile, so are the values. It is nil if that cannot be said, as of links.
func (r *Repo) RefFiles(prefixes, except []string) map[string]fs.FileInfo {
	out, odd := map[string]fs.FileInfo{}, false
	for _, name := range slices.Concat(prefixes, []string{"packed-refs", "reftable"}) {
		top := filepath.Join(r.CommonDir, name)
		_ = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if rel, _ := filepath.Rel(r.CommonDir, path); err == nil && !d.IsDir() && !slices.Contains(except, filepath.ToSlash(rel)) {
				out[path], err = d.Info()
			}
			odd = odd || err != nil && (path != top || !os.IsNotExist(err)) || err == nil && d.Type()&fs.ModeSymlink != 0
			return err
		})
	}
	if odd {
		return nil
	}
	return out
}

// RefValues returns the refs below some prefixes, by their full names, with an object name or "ref: " and another ref.
func (r *Repo) RefValues(ctx context.Context, prefixes ...string) (map[string]string, error) {
	printed, err := r.Output(ctx, append([]string{"for-each-ref", "--format=%(refname) %(objectname) %(symref)"}, prefixes...)...)
	out := map[string]string{}
	for line := range strings.Lines(printed) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		oid, to, _ := strings.Cut(value, " ")
		if out[name] = oid; to != "" {
			out[name] = "ref: " + to
		}
	}
	return out, err
}
