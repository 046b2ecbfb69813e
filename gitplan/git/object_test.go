package git

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/testdata/repository"
)

func TestObjectsAreGitsOwn(t *testing.T) {
	for name, prepare := range map[string]func(*testing.T) *Repo{
		"sha1":   func(t *testing.T) *Repo { return opened(t) },
		"sha256": func(t *testing.T) *Repo { return opened(t, "--object-format=sha256") },
		"shared": func(t *testing.T) *Repo { return opened(t, "--shared=group") },
		"sparse": func(t *testing.T) *Repo {
			r := opened(t)
			repository.Commit(t, "one")
			repository.Ask(t, "sparse-checkout", "set", "x")
			return r
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := prepare(t)
			ctx := t.Context()
			blob, err := r.WriteBlob(ctx, []byte("some text\n"))
			if err != nil {
				t.Fatal(err)
			}
			tree, err := r.WriteTree(ctx, []Entry{{"100644", "b", blob}, {"100644", "a.txt", blob}})
			if err != nil {
				t.Fatal(err)
			}
			who := Identity("A <a@example.com> 1700000000 +0100")
			c, err := r.WriteCommit(ctx, tree, nil, who, "subject\n\nbody\n")
			if err != nil {
				t.Fatal(err)
			}
			if err := r.UpdateRef(ctx, "refs/plans/x", c, "", "made"); err != nil {
				t.Fatal(err)
			}
			if got := repository.Ask(t, "show", "refs/plans/x:a.txt"); got != "some text" {
				t.Errorf("git reads %q", got)
			}
			repository.Ask(t, "fsck", "--strict")
			if o, err := r.Read(ctx, c+":b"); err != nil || string(o.Data) != "some text\n" || o.OID != blob {
				t.Errorf("read back %+v, %v", o, err)
			}
			if _, err := r.Read(ctx, "no such thing"); err != ErrMissing {
				t.Errorf("a missing object: %v", err)
			}
		})
	}
}

// Resolving a name, or reading a tag, does not load the file that it names.
func TestResolvingDoesNotLoadFiles(t *testing.T) {
	r := opened(t)
	const size = 32 << 20
	repository.Write(t, "big", "")
	if err := os.Truncate("big", size); err != nil {
		t.Fatal(err)
	}
	oid := repository.Ask(t, "hash-object", "-w", "big")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	found, err := r.Resolve(t.Context(), oid)
	o, e := r.ReadIf(t.Context(), "tag", oid)
	runtime.ReadMemStats(&after)
	if err != nil || e != nil || found != oid || o.Type != "blob" || o.Data != nil {
		t.Error(found, err, o, e)
	}
	if held := after.TotalAlloc - before.TotalAlloc; held > size/8 {
		t.Errorf("%d KB for a file of %d", held>>10, size>>10)
	}
}

// Objects can still be read from a repository that is not trusted any more.
func TestUntrustedObjectsAreReadable(t *testing.T) {
	r := opened(t)
	one := repository.Commit(t, "one")
	if oid, err := r.Resolve(t.Context(), "HEAD"); oid != one || err != nil {
		t.Fatal(oid, err)
	}
	r.ForbidTransports()
	if oid, err := r.Resolve(t.Context(), "HEAD"); oid != one || err != nil {
		t.Error(oid, err)
	}
}

// Any path can be read, also one with a newline; files that are not needed, or too large, are not loaded.
func TestAnyPathCanBeRead(t *testing.T) {
	r, ctx := opened(t), t.Context()
	repository.Write(t, "odd\nname/a", "text")
	repository.Write(t, "b", "b")
	head := repository.Commit(t, "one")
	o, err := r.Read(ctx, "HEAD:odd\nname/a")
	if err != nil || string(o.Data) != "text" {
		t.Errorf("it contains %q, %v", o.Data, err)
	}
	if o, err := r.ReadIf(ctx, "blob", "HEAD:odd\nname/a"); err != nil || o.Type != "blob" {
		t.Errorf("it is %q, %v", o.Type, err)
	}
	if _, err := r.Read(ctx, "HEAD\n"); !errors.Is(err, ErrMissing) {
		t.Errorf("a ref with a newline: %v", err)
	}
	if _, err := r.Read(ctx, "HEAD:no\nname"); !errors.Is(err, ErrMissing) {
		t.Errorf("of a path that is not there: %v", err)
	}
	if o, err := r.ReadIf(ctx, "blob", "HEAD:b"); err != nil || string(o.Data) != "b" {
		t.Errorf("b contains %q, %v", o.Data, err)
	}
	if o, err := r.ReadIf(ctx, "blob", "HEAD"); err != nil || o.Type != "commit" || o.Data != nil {
		t.Errorf("HEAD is %q, of %d bytes, %v", o.Type, len(o.Data), err)
	}
	if c, err := r.ReadCommit(ctx, "HEAD"); err != nil || c.OID != head || c.Subject() != "one" {
		t.Errorf("the commit is %v, %v", c, err)
	}
	if _, err := r.ReadCommit(ctx, "HEAD:b"); err == nil {
		t.Error("a file was read as a commit")
	}
	if paths, err := r.Paths(ctx, r.EmptyTree()); err != nil || len(paths) != 0 {
		t.Errorf("of the empty tree: %q, %v", paths, err)
	}
	if paths, err := r.Paths(ctx, "HEAD"); err != nil || !slices.Equal(paths, []string{"b", "odd\nname/a"}) {
		t.Errorf("the paths are %q, %v", paths, err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := r.Read(ended, "HEAD"); !errors.Is(err, context.Canceled) {
		t.Errorf("after its end: %v", err)
	}
}

// Reading a large file may stop in the middle; the next read is still in sync.
func TestStreamMayStopEarly(t *testing.T) {
	r, ctx := opened(t), t.Context()
	const size = 17 << 20
	repository.Write(t, "big", "")
	if err := os.Truncate("big", size); err != nil {
		t.Fatal(err)
	}
	oid := repository.Ask(t, "hash-object", "-w", "big")
	enough := errors.New("enough")
	read := int64(0)
	err := Streams(ctx, r)(oid, func(in io.Reader) error {
		read, _ = io.CopyN(io.Discard, in, 1<<20)
		return enough
	})
	if !errors.Is(err, enough) || read != 1<<20 {
		t.Errorf("%d bytes were read, %v", read, err)
	}
	ended, cancel := context.WithCancel(ctx)
	err = Streams(ended, r)(oid, func(in io.Reader) error {
		cancel()
		_, err := io.Copy(io.Discard, in)
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("after its end: %v", err)
	}
	if err := Streams(ctx, r)("no-such", nil); !errors.Is(err, ErrMissing) {
		t.Errorf("of nothing: %v", err)
	}
	if _, err := Contents(ctx, r)(oid); err == nil {
		t.Error("a file that is too large was held")
	}
	if o, err := r.ReadIf(ctx, "blob", oid); err != nil || o.Data != nil {
		t.Errorf("%d bytes are held, %v", len(o.Data), err)
	}
	if found, err := r.Resolve(ctx, oid); found != oid || err != nil {
		t.Errorf("the next read found %q, %v", found, err)
	}
}

// A written tree is read back, in git's order; an invalid one is refused.
func TestTreesAreParsed(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		r, ctx := opened(t, "--object-format="+format), t.Context()
		blob, err := r.WriteBlob(ctx, []byte("x"))
		if err != nil {
			t.Fatal(err)
		}
		tree, err := r.WriteTree(ctx, []Entry{{"100644", "a.b", blob}, {"40000", "a", r.EmptyTree()}, {"100644", "a-b", blob}})
		if err != nil {
			t.Fatal(err)
		}
		o, err := r.Read(ctx, tree)
		if err != nil {
			t.Fatal(err)
		}
		entries, err := ParseTree(o.Data, r.Format)
		want := []Entry{{"100644", "a-b", blob}, {"100644", "a.b", blob}, {"40000", "a", r.EmptyTree()}}
		if err != nil || !slices.Equal(entries, want) {
			t.Errorf("the entries are %v, %v; want %v", entries, err, want)
		}
		if _, err := ParseTree(o.Data[:len(o.Data)-1], r.Format); err == nil {
			t.Error("half a tree was read")
		}
		if _, err := r.WriteTree(ctx, []Entry{{"100644", "a", "no name"}}); err == nil {
			t.Error("a tree of no object was written")
		}
	}
}

// File names are bytes: each object is read by its exact name, whatever bytes that contains, and not by what
// a line-based pipe to git would make of it.
func TestEveryByteOfANameIsRead(t *testing.T) {
	r := opened(t)
	ctx := t.Context()
	name := func(b int) string { return "notes" + string([]byte{byte(b)}) }
	entries := []Entry{{"100644", "notes", mustWrite(t, r, "another file")}}
	for b := 1; b < 256; b++ {
		if b != '/' {
			entries = append(entries, Entry{"100644", name(b), mustWrite(t, r, name(b))})
		}
	}
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	tree, err := r.WriteTree(ctx, entries)
	if err != nil {
		t.Fatal(err)
	}
	for b := 1; b < 256; b++ {
		if b == '/' {
			continue
		}
		if o, err := r.Read(ctx, tree+":"+name(b)); err != nil || string(o.Data) != name(b) {
			t.Errorf("byte %#x: %q, %v", b, o.Data, err)
		}
		if o, err := r.ReadIf(ctx, "blob", tree+":"+name(b)); err != nil || string(o.Data) != name(b) {
			t.Errorf("byte %#x, bounded: %q, %v", b, o.Data, err)
		}
	}
}

func mustWrite(t *testing.T, r *Repo, text string) string {
	t.Helper()
	oid, err := r.WriteBlob(t.Context(), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return oid
}
