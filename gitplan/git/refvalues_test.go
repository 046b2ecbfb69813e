package git

import (
	"maps"
	"testing"
)

// What is read of git's own files is what git says, wherever it keeps a ref.
func TestRefValuesAreGits(t *testing.T) {
	for _, format := range []string{"files", "reftable"} {
		t.Run(format, func(t *testing.T) {
			t.Setenv("GIT_DEFAULT_REF_FORMAT", format) // which an older git passes over
			r := repository(t)
			ctx := t.Context()
			first, second := commit(t, "one"), commit(t, "two")
			want := map[string]string{"refs/plans/a": first, "refs/plans/b/1": first, "refs/plans/c": "ref: refs/heads/main"}
			same := func(when string) {
				t.Helper()
				got, err := r.RefValues(ctx, "refs/plans/", "refs/none/")
				if err != nil || !maps.Equal(got, want) {
					t.Errorf("%s: %v, %v; want %v", when, got, err, want)
				}
			}
			run(t, "", "update-ref", "refs/plans-of-others/x", first)
			run(t, "", "update-ref", "refs/plans/a", first)
			run(t, "", "update-ref", "refs/plans/b/1", first)
			run(t, "", "symbolic-ref", "refs/plans/c", "refs/heads/main")
			same("each in a file")
			run(t, "", "pack-refs", "--all")
			same("packed")
			run(t, "", "update-ref", "refs/plans/a", second)
			want["refs/plans/a"] = second
			same("packed, and moved since")
		})
	}
}
