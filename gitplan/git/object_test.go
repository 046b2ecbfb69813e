package git

import (
	"os"
	"runtime"
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
			c, err := r.WriteCommit(ctx, tree, nil, who, who, "subject\n\nbody\n")
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

// Whoever only asks what a name means, or for a tag, holds no file that is found there.
func TestAFileIsNotHeldForItsName(t *testing.T) {
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
	o, e := r.ReadOnly(t.Context(), "tag", oid)
	runtime.ReadMemStats(&after)
	if err != nil || e != nil || found != oid || o.Type != "blob" || o.Data != nil {
		t.Error(found, err, o, e)
	}
	if held := after.TotalAlloc - before.TotalAlloc; held > size/8 {
		t.Errorf("%d KB for a file of %d", held>>10, size>>10)
	}
}

// Whoever trusts what is configured no more still reads what is there.
func TestObjectsAreReadInDistrust(t *testing.T) {
	r := opened(t)
	one := repository.Commit(t, "one")
	if oid, err := r.Resolve(t.Context(), "HEAD"); oid != one || err != nil {
		t.Fatal(oid, err)
	}
	r.Distrust()
	if oid, err := r.Resolve(t.Context(), "HEAD"); oid != one || err != nil {
		t.Error(oid, err)
	}
}
