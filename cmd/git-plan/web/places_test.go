package web

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// A work tree that was removed and added again is another folder: what serves the old one ends, and another
// begins.
func TestAFolderThatIsAnother(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tree")
	must(t, os.Mkdir(dir, 0o700))
	var begun []context.Context
	begin := func(ctx context.Context, _ string) (look, act string, err error) {
		begun = append(begun, ctx)
		return "look", "act", nil
	}
	var p places
	n := p.number(dir)
	first := p.of(t.Context(), n, begin)
	if again := p.of(t.Context(), n, begin); again != first || len(begun) != 1 {
		t.Fatalf("it began %d times", len(begun))
	}
	must(t, os.Rename(dir, dir+".old")) // which is somewhere, as long as a program is in it
	must(t, os.Mkdir(dir, 0o700))
	if next := p.of(t.Context(), p.number(dir), begin); next == first || len(begun) != 2 {
		t.Fatalf("it began %d times", len(begun))
	}
	if begun[0].Err() == nil || begun[1].Err() != nil {
		t.Error("the old one goes on, or the new one ended")
	}
}
