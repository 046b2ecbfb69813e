package terminal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/proc"
)

// The pager is the one that git would use.
func TestPagerLikeGit(t *testing.T) {
	less := "less"
	if _, ok := proc.Find("less"); !ok {
		less = ""
	}
	for _, c := range []struct {
		git, configured, pager, want string // "-" is not set
	}{
		{"-", "-", "-", less}, {"-", "-", "most", "most"}, {"-", "more -s", "most", "more -s"}, {"w3m", "more", "most", "w3m"},
		{"cat", "more", "most", ""}, {"-", "cat", "most", ""}, {"-", "-", "cat", ""}, {"", "more", "most", ""}, {"-", "", "most", ""},
	} {
		for name, value := range map[string]string{"GIT_PAGER": c.git, "PAGER": c.pager} {
			t.Setenv(name, value)
			if value == "-" {
				os.Unsetenv(name)
			}
		}
		if got := Pager(strings.TrimPrefix(c.configured, "-"), c.configured != "-"); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// Output goes to the pager; quitting it early is not an error.
func TestPagerMayQuitEarly(t *testing.T) {
	if _, ok := proc.Find("sh"); !ok {
		t.Skip("needs sh")
	}
	file := filepath.ToSlash(filepath.Join(t.TempDir(), "read"))
	err := Page(t.Context(), `echo "$LESS" >'`+file+`'; cat >>'`+file+`'`, func(w io.Writer) error {
		_, err := fmt.Fprintln(w, "a line")
		return err
	})
	if got, _ := os.ReadFile(file); err != nil || !strings.HasSuffix(string(got), "\na line\n") || string(got) == "\na line\n" {
		t.Errorf("%q was read, %v", got, err)
	}
	lines := 0
	err = Page(t.Context(), "exit 0", func(w io.Writer) error {
		for ; lines < 1_000_000; lines++ {
			if _, err := fmt.Fprintln(w, "a line"); err != nil {
				return fmt.Errorf("cannot print: %w", err)
			}
		}
		return nil
	})
	if err != nil || lines == 1_000_000 {
		t.Errorf("%d lines were written without a reader, %v", lines, err)
	}
}

// The editor changes the given file; one that fails is an error, but its text is read all the same; one that
// removes the file has typed nothing.
func TestEditorEditsAFile(t *testing.T) {
	if _, ok := proc.Find("sh"); !ok {
		t.Skip("needs sh")
	}
	for _, c := range []struct {
		editor, want string
		fails        bool
	}{
		{"true", "text\n", false}, {"false", "text\n", true}, {`f() { echo typed >>"$1"; }; f`, "text\ntyped\n", false},
		{`f() { echo typed >>"$1"; exit 3; }; f`, "text\ntyped\n", true}, {"rm", "", false},
	} {
		path := filepath.Join(t.TempDir(), "PLAN.md")
		if err := os.WriteFile(path, []byte("text\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := Edit(t.Context(), c.editor, path)
		if c.fails != errors.Is(err, ErrEditor) || c.fails != (err != nil) || c.want != "" && string(got) != c.want {
			t.Errorf("%s: %q, %v", c.editor, got, err)
		}
	}
}
