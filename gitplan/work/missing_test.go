package work

import "testing"

// Only a program that PATH has no place for in the tree, and that nothing has, is missing.
func TestWhichProgramIsMissing(t *testing.T) {
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
