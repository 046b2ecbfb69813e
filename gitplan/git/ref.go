package git

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// UpdateRef moves ref from old to new; if old is empty it must not exist. The error is ErrMoved if it is elsewhere.
func (r *Repo) UpdateRef(ctx context.Context, ref, new, old, reason string) error {
	old = cmp.Or(old, r.Zero())
	err := r.Run(ctx, Command{Args: []string{"update-ref", "--create-reflog", "-m", reason, ref, new, old}, Writes: true})
	return orMoved(ctx, r, err, ref, old)
}

// DeleteRef removes ref, whose value must be old; else the error is ErrMoved.
func (r *Repo) DeleteRef(ctx context.Context, ref, old, reason string) error {
	err := r.Run(ctx, Command{Args: []string{"update-ref", "-m", reason, "-d", ref, old}, Writes: true})
	return orMoved(ctx, r, err, ref, old)
}

// ResetRef sets a ref, even a symbolic one, to a value, whatever it holds. An empty value removes it.
func (r *Repo) ResetRef(ctx context.Context, ref, value, reason string) error {
	args := []string{"update-ref", "--no-deref", "--create-reflog", "-m", reason, ref, value}
	if value == "" {
		args = []string{"update-ref", "--no-deref", "-m", reason, "-d", ref}
	}
	return r.Run(ctx, Command{Args: args, Writes: true})
}

// Symbolic reports whether a ref leads to another one, as none of ours does unless a session made it so.
func (r *Repo) Symbolic(ref string) bool {
	text, err := os.ReadFile(filepath.Join(r.CommonDir, filepath.FromSlash(ref)))
	return err == nil && bytes.HasPrefix(text, []byte("ref:"))
}

// orMoved returns ErrMoved if that is why git failed, else err, without reading git's words.
func orMoved(ctx context.Context, r *Repo, err error, ref, old string) error {
	if Code(err) < 0 {
		return err
	}
	now, rerr := r.Output(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", ref)
	if rerr != nil {
		now = r.Zero()
	}
	if now != old {
		return ErrMoved
	}
	return err
}

// Ref is one ref with the subject and the date of its commit or tag.
type Ref struct {
	Name, OID, Subject string
	Time               time.Time
}

// Refs returns the refs below the given prefixes or with the given full names.
func (r *Repo) Refs(ctx context.Context, patterns ...string) ([]Ref, error) {
	out, err := r.Bytes(ctx, append([]string{"for-each-ref", "--format=%(refname)%00%(objectname)%00%(contents:subject)%00%(creatordate:unix)%00"}, patterns...)...)
	if err != nil {
		return nil, err
	}
	var refs []Ref
	fields := strings.Split(string(out), "\x00")
	for ; len(fields) >= 4; fields = fields[4:] {
		seconds, _ := strconv.ParseInt(fields[3], 10, 64) // a blob has no parents
		refs = append(refs, Ref{Name: strings.TrimPrefix(fields[0], "\n"), OID: fields[1], Subject: fields[2], Time: time.Unix(seconds, 0)})
	}
	return refs, nil
}

// ValidBranch reports whether git accepts name as the name of a branch.
func (r *Repo) ValidBranch(ctx context.Context, name string) bool {
	return r.Run(ctx, Command{Args: []string{"check-ref-format", "refs/heads/" + name}}) == nil && !strings.HasPrefix(name, "-")
}

// Branch returns the short name of the branch, even an unborn one, that HEAD points to, or "" if it is detached.
func (r *Repo) Branch(ctx context.Context) (string, error) {
	if branch, ok := headFile(r); ok {
		return branch, nil
	}
	out, err := r.Output(ctx, "symbolic-ref", "--quiet", "HEAD")
	if Code(err) == 1 {
		return "", nil
	}
	return strings.TrimPrefix(out, "refs/heads/"), err
}

// headFile is Branch without a process. ok is false if git has to say: if HEAD is a symbolic link, as in
// repositories of 2005, if the refs are in tables, or if the branch is a symbolic ref.
func headFile(r *Repo) (branch string, ok bool) {
	name := filepath.Join(r.GitDir, "HEAD")
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return "", false
	}
	head := strings.TrimRight(string(text), "\n")
	if _, err := hex.DecodeString(head); err == nil && len(head) == len(r.Zero()) {
		return "", true // detached
	}
	branch, ok = strings.CutPrefix(head, "ref: refs/heads/")
	if !ok || branch == ".invalid" {
		return "", false
	}
	at, _ := os.ReadFile(filepath.Join(r.CommonDir, "refs/heads", branch)) // none if it is unborn or packed
	return branch, !bytes.HasPrefix(at, []byte("ref:"))
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
