package work

import "testing"

// A program is missing only if it is nowhere on PATH, and no folder of the tree on PATH could get it.
func TestMissingProgram(t *testing.T) {
	const elsewhere = "/usr/bin:/bin"
	for _, row := range []struct{ line, path, want string }{
		{"no-such-program --flag", elsewhere, "no-such-program"},
		{"CI=1 no-such-program", elsewhere, "no-such-program"},
		{"no-such-program", elsewhere + ":/src/bin", ""},
		{"no-such-program", elsewhere + ":node_modules/.bin", ""},
		{"PATH=bin:/bin no-such-program", elsewhere, ""},
		{"./run.sh", elsewhere, ""},
		{"cd web && no-such-program", elsewhere, ""},
		{"git status", elsewhere, ""},
		{"$RUNNER test", elsewhere, ""},
	} {
		if got := missingProgram(row.line, row.path, "/src"); got != row.want {
			t.Errorf("%s with %s: %q, want %q", row.line, row.path, got, row.want)
		}
	}
}
