package git

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// RefValues returns the refs below some prefixes, such as refs/plans/, by their full names,
// with their values: an object name, or "ref: " and the name of another ref. It reads git's
// files, and starts a process only if refs are in git's tables.
func (r *Repo) RefValues(ctx context.Context, prefixes ...string) (map[string]string, error) {
	if _, err := os.Lstat(filepath.Join(r.CommonDir, "reftable", "tables.list")); err == nil {
		return r.askRefValues(ctx, prefixes)
	}
	out := map[string]string{}
	for _, prefix := range prefixes {
		if err := r.looseRefs(prefix, out); err != nil {
			return nil, err
		}
	}
	packed, err := os.ReadFile(filepath.Join(r.CommonDir, "packed-refs")) // after the loose ones, which may be packed meanwhile
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	for _, prefix := range prefixes {
		packedRefs(packed, prefix, out)
	}
	return out, nil
}

// packedRefs adds to out the refs below a prefix that a packed-refs file has, unless out has
// them. The file may have 100,000 others.
func packedRefs(data []byte, prefix string, out map[string]string) {
	for {
		at := bytes.Index(data, []byte(" "+prefix))
		if at < 0 {
			return
		}
		oid := data[bytes.LastIndexByte(data[:at], '\n')+1 : at]
		name, rest, _ := bytes.Cut(data[at+1:], []byte("\n"))
		if _, loose := out[string(name)]; !loose && !bytes.ContainsAny(oid, "# ") {
			out[string(name)] = string(oid)
		}
		data = rest
	}
}

func (r *Repo) looseRefs(prefix string, out map[string]string) error {
	return filepath.WalkDir(filepath.Join(r.CommonDir, filepath.FromSlash(prefix)), func(path string, d fs.DirEntry, err error) error {
		if os.IsNotExist(err) {
			return nil // git removes empty folders at any time
		}
		if err != nil || !d.Type().IsRegular() || strings.HasSuffix(path, ".lock") {
			return err
		}
		data, err := os.ReadFile(path)
		if os.IsNotExist(err) {
			return nil
		}
		rel, _ := filepath.Rel(r.CommonDir, path)
		out[filepath.ToSlash(rel)] = strings.TrimSpace(string(data))
		return err
	})
}

func (r *Repo) askRefValues(ctx context.Context, prefixes []string) (map[string]string, error) {
	said, err := r.Output(ctx, append([]string{"for-each-ref", "--format=%(refname) %(objectname) %(symref)"}, prefixes...)...)
	out := map[string]string{}
	for line := range strings.Lines(said) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		oid, to, _ := strings.Cut(value, " ")
		if out[name] = oid; to != "" {
			out[name] = "ref: " + to
		}
	}
	return out, err
}
