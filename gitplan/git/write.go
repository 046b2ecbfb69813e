package git

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"sort"
	"strings"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// Entry is one entry of a tree.
type Entry struct {
	Mode string // "100644", "40000", ...
	Name string
	OID  string
}

// WriteBlob stores data and returns its object name.
func (r *Repo) WriteBlob(ctx context.Context, data []byte) (string, error) {
	return r.writeObject(ctx, "blob", data)
}

// WriteTree stores a tree with the given entries, in any order, and returns its name.
func (r *Repo) WriteTree(ctx context.Context, entries []Entry) (string, error) {
	entries = append([]Entry{}, entries...)
	sort.Slice(entries, func(i, j int) bool { return treeKey(entries[i]) < treeKey(entries[j]) })
	var b bytes.Buffer
	for _, e := range entries {
		raw, err := hex.DecodeString(e.OID)
		if err != nil {
			return "", fmt.Errorf("%q is not an object name", e.OID)
		}
		fmt.Fprintf(&b, "%s %s\x00%s", e.Mode, e.Name, raw)
	}
	return r.writeObject(ctx, "tree", b.Bytes())
}

// treeKey returns what git sorts entries by: a folder sorts as if its name ended in a slash.
func treeKey(e Entry) string {
	if strings.TrimLeft(e.Mode, "0") == "40000" {
		return e.Name + "/"
	}
	return e.Name
}

// ParseTree returns the entries of a tree object, whose names are in an object format.
func ParseTree(data []byte, format string) ([]Entry, error) {
	size := 20
	if format == "sha256" {
		size = 32
	}
	var out []Entry
	for len(data) > 0 {
		head, rest, ok := bytes.Cut(data, []byte{0})
		mode, name, ok2 := strings.Cut(string(head), " ")
		if !ok || !ok2 || len(rest) < size {
			return nil, fmt.Errorf("malformed tree")
		}
		out = append(out, Entry{Mode: mode, Name: name, OID: fmt.Sprintf("%x", rest[:size])})
		data = rest[size:]
	}
	return out, nil
}

// Identity is "Name <mail> 1700000000 +0100", as in a commit object.
type Identity string

// WriteCommit stores a commit of a plan or of a kept attempt, never of the person's branch, and returns its name.
func (r *Repo) WriteCommit(ctx context.Context, tree string, parents []string, who Identity, message string) (string, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "tree %s\n", tree)
	for _, p := range parents {
		fmt.Fprintf(&b, "parent %s\n", p)
	}
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\n%s", who, who, message)
	return r.writeObject(ctx, "commit", b.Bytes())
}

// writeObject stores an object, by git if this process cannot encode it: go-git may write only SHA-1, in the usual
// folder, with the usual modes.
func (r *Repo) writeObject(ctx context.Context, kind string, data []byte) (string, error) {
	if _, moved := os.LookupEnv("GIT_OBJECT_DIRECTORY"); r.Format == "sha1" && !moved && !shared(r) {
		if oid, err := r.encode(kind, data); err == nil {
			return oid, nil
		}
	}
	var out bytes.Buffer
	err := r.Run(ctx, Command{Args: []string{"hash-object", "-w", "-t", kind, "--stdin"}, Stdin: bytes.NewReader(data), Stdout: &out})
	return strings.TrimSpace(out.String()), err
}

// shared reports whether core.sharedRepository may be set, by which objects have other modes.
func shared(r *Repo) bool {
	data, err := os.ReadFile(r.CommonDir + "/config")
	return err != nil || bytes.Contains(bytes.ToLower(data), []byte("sharedrepository"))
}

// encode stores an object through go-git, in this process, and returns its name.
func (r *Repo) encode(kind string, data []byte) (string, error) {
	if r.store == nil {
		r.store = filesystem.NewStorage(osfs.New(r.CommonDir), cache.NewObjectLRU(cache.KiByte))
	}
	t, err := plumbing.ParseObjectType(kind)
	if err != nil {
		return "", err
	}
	o := &plumbing.MemoryObject{}
	o.SetType(t)
	_, _ = o.Write(data) // into memory
	hash, err := r.store.SetEncodedObject(o)
	return hash.String(), err
}
