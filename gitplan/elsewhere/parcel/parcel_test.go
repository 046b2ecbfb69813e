package parcel

import (
	"bytes"
	"compress/zlib"
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

// world is a repository, and what a worker has of it.
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

// noise is text that nothing makes much smaller.
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

// sent sends a tree, and returns how large the pack was.
func sent(t *testing.T, near, far *git.Repo, tree string) int {
	t.Helper()
	has, err := Has(t.Context(), far, 256)
	if err != nil {
		t.Fatal(err)
	}
	var pack bytes.Buffer
	if err := Send(t.Context(), near, tree, has, &pack); err != nil {
		t.Fatal(err)
	}
	size := pack.Len()
	if err := Take(t.Context(), far, &pack); err != nil {
		t.Fatal(err)
	}
	carrier, err := Keep(t.Context(), far, tree, has)
	if err != nil || repository.Ask(t, "--git-dir="+far.GitDir, "rev-parse", carrier+"^{tree}") != tree {
		t.Fatalf("the tree is not there: %v", err)
	}
	return size
}

// A tree travels whole once; after that only what changed does. A file that comes back from long
// ago comes, too.
func TestATreeTravelsThin(t *testing.T) {
	near, far := world(t)
	large := strings.Repeat("some line of text\n", 100) + strings.Join(strings.Fields(noise(200_000)), "\n")
	repository.Write(t, "large", large)
	repository.Write(t, "old", noise(1000))
	first := sent(t, near, far, tree(t))
	if err := os.Remove("old"); err != nil {
		t.Fatal(err)
	}
	repository.Write(t, "large", large+"one more\n")
	if second := sent(t, near, far, tree(t)); second > 2000 || first < 10*second {
		t.Errorf("first %d bytes, then %d", first, second)
	}
	repository.Write(t, "old", "other")
	sent(t, near, far, tree(t))
	if again := sent(t, near, far, tree(t)); again > 500 {
		t.Errorf("nothing is %d bytes", again)
	}
}

// What comes back is seen in quarantine, and nowhere else.
func TestWhatComesBackIsInQuarantine(t *testing.T) {
	near, far := world(t)
	repository.Write(t, "a", "1")
	base := tree(t)
	sent(t, near, far, base)
	made := repository.Ask(t, "--git-dir="+far.GitDir, "hash-object", "-w", "--stdin")
	back := mktree(t, far, "100644 blob "+made+"\ta", "120000 blob "+made+"\tb c")
	var pack bytes.Buffer
	if err := Return(t.Context(), far, base, back, &pack); err != nil {
		t.Fatal(err)
	}
	q, err := Receive(t.Context(), near, &pack)
	if err != nil {
		t.Fatal(err)
	}
	paths, err := q.Changes(t.Context(), base, back)
	if err != nil || !slices.Equal(paths, []string{"a", "b c"}) {
		t.Errorf("changed are %q, %v", paths, err)
	}
	q.Close()
	if _, err := near.Read(t.Context(), back); err == nil {
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

// Whatever a worker makes up, it is refused, and nothing is left of it.
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
	again := mktree(t, far, entries(large, maxWhole>>21+1)...)
	good := pack(nil, fine, blob)
	flipped := slices.Clone(good)
	flipped[len(flipped)-30] ^= 1
	for name, c := range map[string]struct {
		pack []byte
		tree string
	}{
		"an entry .git": {pack(nil, git, blob), git}, "a gitlink": {pack(nil, link), link}, "an object that nobody has": {pack(nil, lacks), lacks},
		"another tree": {good, strings.Repeat("3", 40)}, "a blob for a tree": {good, blob}, "nothing": {nil, fine}, "half": {good[:len(good)/2], fine},
		"a flipped bit": {flipped, fine}, "more after it": {append(slices.Clone(good), good...), fine}, "another thing": {[]byte(noise(500)), fine},
		"too many objects": {[]byte("PACK\x00\x00\x00\x02\xff\xff\xff\xff"), fine}, "a vast blob": {[]byte("PACK\x00\x00\x00\x02\x00\x00\x00\x01\xbf\xff\xff\xff\xff\x0fx\x9c"), fine},
		"too many files": {pack(nil, many, blob), many}, "one large file again and again": {pack(nil, again, large), again},
		"a delta": {deltified(t, far), fine}, "a bomb": {bomb(t, 3, 10, 64<<20), fine}, "a vast tree": {bomb(t, 2, maxTree+1, maxTree+1), fine},
		"more than 1 GiB": {bomb(t, 3, maxWhole+1, 1000), fine}, "less than it says": {bomb(t, 3, 1000, 10), fine},
	} {
		q, err := Receive(t.Context(), near, bytes.NewReader(c.pack))
		if err == nil {
			_, err = q.Changes(t.Context(), base, c.tree)
			q.Close()
		}
		if err == nil {
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

// bomb is a pack of one object that says how large it is, and has so many zeros.
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

// deltified is a pack with an object that is made of another one.
func deltified(t *testing.T, r *git.Repo) []byte {
	t.Helper()
	var names []string
	for _, more := range []string{"", "more\n"} {
		var out bytes.Buffer
		if err := r.Run(t.Context(), git.Command{Args: []string{"hash-object", "-w", "--stdin"}, Stdin: strings.NewReader(noise(4000) + more), Stdout: &out}); err != nil {
			t.Fatal(err)
		}
		names = append(names, strings.TrimSpace(out.String()))
	}
	var out bytes.Buffer
	if err := r.Run(t.Context(), git.Command{Args: []string{"pack-objects", "--stdout", "-q"}, Stdin: strings.NewReader(strings.Join(names, "\n") + "\n"), Stdout: &out}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
