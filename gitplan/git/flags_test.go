package git

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// What the index says is read as git says it, in each of its forms.
func TestHiddenEditsAreKnownInEachFormOfTheIndex(t *testing.T) {
	for name, settings := range map[string][]string{
		"version 2": {"update-index", "--index-version=2"},
		"version 4": {"update-index", "--index-version=4"},
		"split":     {"update-index", "--split-index"},
	} {
		t.Run(name, func(t *testing.T) {
			r, ctx := repository(t), t.Context()
			for _, f := range []string{"a", "assumed", "assumed-same", "long/name/of/a/file", "skipped", "skipped-gone", "z"} {
				write(t, f, "x\n")
			}
			for _, args := range [][]string{{"add", "."}, {"commit", "-qm", "one"}, {"update-index", "--assume-unchanged", "assumed", "assumed-same"},
				{"update-index", "--skip-worktree", "skipped", "skipped-gone", "long/name/of/a/file"}, settings} {
				if err := r.Run(ctx, Command{Args: args}); err != nil {
					t.Fatal(err)
				}
			}
			for _, f := range []string{"a", "assumed", "long/name/of/a/file", "skipped"} {
				write(t, f, "longer\n")
			}
			if err := os.Remove(filepath.Join(r.Top, "skipped-gone")); err != nil {
				t.Fatal(err)
			}
			found, err := r.HiddenEdits(ctx)
			if err != nil {
				t.Fatal(err)
			}
			got := pathsOf(found)
			got = slices.DeleteFunc(got, func(p string) bool { return name != "version 2" && p == "assumed-same" }) // git tells no times
			if want := []string{"assumed", "long/name/of/a/file", "skipped"}; !slices.Equal(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}

// Whoever only asks what a name means, or for a tag, holds no file that is found there.
func TestAFileIsNotHeldForItsName(t *testing.T) {
	r := repository(t)
	const size = 32 << 20
	write(t, "big", "")
	if err := os.Truncate("big", size); err != nil {
		t.Fatal(err)
	}
	oid := run(t, "", "hash-object", "-w", "big")
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
