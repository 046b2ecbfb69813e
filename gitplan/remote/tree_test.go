package remote

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/testdata/repository"
)

// world is a repository, and a worker's copy of it.
func world(t *testing.T) (near, far *git.Repo) {
	t.Helper()
	repository.Here(t)
	near, err := git.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(near.Close)
	dir := filepath.Join(t.TempDir(), "far")
	repository.Ask(t, "init", "-q", "--bare", dir)
	if far, err = git.Open(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(far.Close)
	return near, far
}

// noise is text that does not compress well.
func noise(n int) string {
	r, out := rand.New(rand.NewPCG(1, 2)), make([]byte, n)
	for i := range out {
		out[i] = "abcdefghijklmnopqrstuvwxyz012345 6789\n"[r.IntN(38)]
	}
	return string(out)
}

func tree(t *testing.T) string {
	t.Helper()
	repository.Ask(t, "add", "-A")
	return repository.Ask(t, "write-tree")
}

// sent sends a tree to the worker.
func sent(t *testing.T, near, far *git.Repo, tree string) {
	t.Helper()
	a, b := connected()
	go func() {
		if err := a.SendTree(t.Context(), near, "", tree); err != nil {
			t.Error(err)
		}
	}()
	if got, err := b.TakeTree(t.Context(), far); err != nil || got != tree {
		t.Fatalf("%s came, %v", got, err)
	}
}

// back has near receive what send sends for a tree that was base.
func back(t *testing.T, near *git.Repo, base string, send func(*Conn) error) (*Quarantine, error) {
	t.Helper()
	a, b := connected()
	go func() {
		_ = send(b)
		_ = b.w.(io.Closer).Close()
	}()
	first, err := a.Next(FrameBytes, FrameTree)
	if err != nil {
		t.Fatal(err)
	}
	q, err := a.Receive(t.Context(), near, base, first)
	_, _ = io.Copy(io.Discard, a.r)
	return q, err
}

// Received objects are visible only in quarantine.
func TestReceivedObjectsAreInQuarantine(t *testing.T) {
	near, far := world(t)
	repository.Write(t, "a", "1")
	base := tree(t)
	sent(t, near, far, base)
	made := repository.Ask(t, "--git-dir="+far.GitDir, "hash-object", "-w", "--stdin")
	tree := mktree(t, far, "100644 blob "+made+"\ta", "120000 blob "+made+"\tb c")
	q, err := back(t, near, base, func(c *Conn) error { return c.SendTree(t.Context(), far, base, tree) })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := q.Repo.Read(t.Context(), tree); err != nil || q.Tree != tree {
		t.Errorf("in quarantine is %s, %v", q.Tree, err)
	}
	q.Close()
	if _, err := near.Read(t.Context(), tree); err == nil {
		t.Error("it is in the repository")
	}
	if left, _ := os.ReadDir(filepath.Join(near.GitDir, "plan", "parcels")); len(left) != 0 {
		t.Errorf("left are %v", left)
	}
}

func mktree(t *testing.T, r *git.Repo, lines ...string) string {
	t.Helper()
	var out bytes.Buffer
	if err := r.Run(t.Context(), git.Command{Args: []string{"mktree", "--missing"}, Stdin: strings.NewReader(strings.Join(lines, "\n") + "\n"), Stdout: &out}); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out.String())
}

// Whatever a worker sends is refused if invalid, and nothing of it is kept.
func TestHostilePacksAreRefused(t *testing.T) {
	near, far := world(t)
	repository.Write(t, "a", noise(5000))
	base := tree(t)
	sent(t, near, far, base)
	blob := repository.Ask(t, "--git-dir="+far.GitDir, "hash-object", "-w", "--stdin")
	pack := func(args []string, objects ...string) []byte {
		var out bytes.Buffer
		if err := far.Run(t.Context(), git.Command{Args: append([]string{"pack-objects", "--stdout", "-q"}, args...), Stdin: strings.NewReader(strings.Join(objects, "\n") + "\n"), Stdout: &out}); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	git := mktree(t, far, "100644 blob "+blob+"\t.git")
	link := mktree(t, far, "160000 commit "+strings.Repeat("1", 40)+"\tsub")
	lacks := mktree(t, far, "100644 blob "+strings.Repeat("2", 40)+"\ta")
	fine := mktree(t, far, "100644 blob "+blob+"\ta")
	many := mktree(t, far, entries(blob, maxChanges+1)...)
	repository.Write(t, "large", strings.Repeat("x", 2<<20))
	large := repository.Ask(t, "--git-dir="+far.GitDir, "hash-object", "-w", "large")
	again := mktree(t, far, entries(large, maxFiles>>21+1)...)
	good := pack(nil, fine, blob)
	flipped := slices.Clone(good)
	flipped[len(flipped)-30] ^= 1
	for name, c := range map[string]struct {
		pack []byte
		tree string
	}{
		"an entry .git": {pack(nil, git, blob), git}, "a gitlink": {pack(nil, link), link}, "a missing object": {pack(nil, lacks), lacks},
		"another tree": {good, strings.Repeat("3", 40)}, "a blob for a tree": {good, blob}, "nothing": {nil, fine}, "half": {good[:len(good)/2], fine},
		"a flipped bit": {flipped, fine}, "another thing": {[]byte(noise(500)), fine},
		"too many objects": {[]byte("PACK\x00\x00\x00\x02\xff\xff\xff\xff"), fine}, "a vast blob": {[]byte("PACK\x00\x00\x00\x02\x00\x00\x00\x01\xbf\xff\xff\xff\xff\x0fx\x9c"), fine},
		"too many files": {pack(nil, many, blob), many}, "one large file again and again": {pack(nil, again, large), again},
		"a bomb": {bomb(t, 3, 10, 64<<20), fine}, "a delta that grows": {growingDelta(t), fine}, "a vast tree": {bomb(t, 2, maxObject+1, maxObject+1), fine},
		"more than 1 GiB": {bomb(t, 3, maxFiles+1, 1000), fine}, "less than it says": {bomb(t, 3, 1000, 10), fine},
	} {
		q, err := back(t, near, base, func(b *Conn) error {
			return b.SendStream(FrameTree, c.tree, func(w io.Writer) error { _, err := w.Write(c.pack); return err })
		})
		if err == nil {
			q.Close()
			t.Errorf("%s is taken", name)
		} else {
			t.Logf("%s: %.150v", name, err)
		}
	}
	if left, _ := os.ReadDir(filepath.Join(near.GitDir, "plan", "parcels")); len(left) != 0 {
		t.Errorf("left are %v", left)
	}
	var m runtime.MemStats
	if runtime.ReadMemStats(&m); m.HeapSys > 200<<20 {
		t.Errorf("it took %d MB", m.HeapSys>>20)
	}
}

// entries are those of a tree in which many files have the same content.
func entries(blob string, n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprintf("100644 blob %s\tf%06d", blob, i))
	}
	return out
}

// bomb is a pack of one object of a declared size, with so many zeros.
func bomb(t *testing.T, kind byte, says, has int64) []byte {
	t.Helper()
	out := bytes.NewBufferString("PACK\x00\x00\x00\x02\x00\x00\x00\x01")
	head, rest := kind<<4|byte(says&15), says>>4
	for ; rest > 0; rest >>= 7 {
		out.WriteByte(head | 0x80)
		head = byte(rest & 127)
	}
	out.WriteByte(head)
	z := zlib.NewWriter(out)
	if _, err := io.CopyN(z, zeros{}, has); err != nil {
		t.Fatal(err)
	}
	_ = z.Close()
	return append(out.Bytes(), make([]byte, 20)...)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// growingDelta is a pack of an object made of a small one, copied until it has 200 MB.
func growingDelta(t *testing.T) []byte {
	t.Helper()
	base := bytes.Repeat([]byte("x"), 64<<10)
	const copies = 3200
	var delta bytes.Buffer
	for _, n := range []int{len(base), copies * len(base)} {
		for ; n >= 128; n >>= 7 {
			delta.WriteByte(byte(n) | 0x80)
		}
		delta.WriteByte(byte(n))
	}
	for range copies {
		delta.WriteByte(0x80) // from 0, 64 KiB
	}
	out := bytes.NewBufferString("PACK\x00\x00\x00\x02\x00\x00\x00\x02")
	object := func(kind byte, size int, name, data []byte) {
		head := kind<<4 | byte(size&15)
		for size >>= 4; size > 0; size >>= 7 {
			out.WriteByte(head | 0x80)
			head = byte(size & 127)
		}
		out.WriteByte(head)
		out.Write(name)
		z := zlib.NewWriter(out)
		_, _ = z.Write(data)
		_ = z.Close()
	}
	object(3, len(base), nil, base)
	name := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(base), base))
	object(7, delta.Len(), name[:], delta.Bytes())
	sum := sha1.Sum(out.Bytes())
	out.Write(sum[:])
	return out.Bytes()
}
