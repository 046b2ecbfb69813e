package worker

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/git-plan/git-plan/gitplan/elsewhere/wire"
)

// A cache is forgotten if nobody used it for long, and begun afresh if it is too large or has too many
// trees, but never while somebody is at it.
func TestTheCacheIsBounded(t *testing.T) {
	t.Setenv("GIT_PLAN_WORKER_CACHE", t.TempDir())
	all := folder()
	clone := func(digit string) wire.Wanted { return wire.Wanted{Clone: strings.Repeat(digit, 32), Format: "sha1"} }
	dir := func(w wire.Wanted) string { return filepath.Join(all, w.Format+"-"+w.Clone) }
	has := func(w wire.Wanted) bool { _, err := os.Stat(filepath.Join(dir(w), ".git", "mark")); return err == nil }
	make := func(w wire.Wanted) {
		t.Helper()
		c, err := open(t.Context(), w)
		if err != nil {
			t.Fatal(err)
		}
		c.close()
		for _, path := range []string{"refs/trees", "objects/pack"} {
			if err := os.MkdirAll(filepath.Join(dir(w), ".git", path), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir(w), ".git", "mark"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	age := func(w wire.Wanted, d time.Duration) {
		t.Helper()
		if err := os.Chtimes(filepath.Join(dir(w), ".git", "refs", "trees"), time.Time{}, time.Now().Add(-d)); err != nil {
			t.Fatal(err)
		}
	}
	old, busy, young, large, many := clone("a"), clone("b"), clone("c"), clone("d"), clone("e")
	for _, w := range []wire.Wanted{old, busy, young, large, many} {
		make(w)
	}
	age(old, unused+time.Hour)
	age(busy, unused+time.Hour)
	age(young, unused-time.Hour)
	pack := filepath.Join(dir(large), ".git", "objects", "pack", "x.pack") // sparse
	if err := os.WriteFile(pack, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(pack, maxCache); err != nil {
		t.Fatal(err)
	}
	for i := range wire.MaxTrees + 1 {
		if err := os.WriteFile(filepath.Join(dir(many), ".git", "refs", "trees", fmt.Sprint(i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lock := flock.New(dir(busy) + ".lock")
	if err := lock.RLock(); err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	forget(all, dir(young))
	if has(old) || !has(busy) || !has(young) || !has(large) || !has(many) {
		t.Errorf("there are: old %t, busy %t, young %t, large %t, many %t", has(old), has(busy), has(young), has(large), has(many))
	}
	for _, w := range []wire.Wanted{large, many} {
		c, err := open(t.Context(), w)
		if err != nil || has(w) || len(c.trees) > 0 {
			t.Errorf("it is not begun afresh: %v", err)
		}
		c.close()
	}
	for _, w := range []wire.Wanted{{Clone: "../x", Format: "sha1"}, {Clone: strings.Repeat("a", 32), Format: "../x"}, {}} {
		if c, err := open(t.Context(), w); err == nil {
			c.close()
			t.Errorf("%+v has a cache", w)
		}
	}
}
