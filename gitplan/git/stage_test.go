package git

import (
	"os"
	"strings"
	"testing"
)

// Whatever a person has set up for line ends, encodings and filters, what is staged is
// what git add would stage, and refused where that is; and a snapshot keeps it all the same.
func TestStagingIsGitAdd(t *testing.T) {
	const mixed, crlf = "a\r\nb\n", "a\r\nb\r\n"
	for name, c := range map[string]struct {
		config, attributes, content string
		refused                     bool
	}{
		"nothing":           {"", "", mixed, false},
		"input":             {"core.autocrlf=input", "", mixed, false},
		"true":              {"core.autocrlf=true", "", crlf, false},
		"eol":               {"", "* text=auto eol=crlf", mixed, false},
		"safe":              {"core.autocrlf=true core.safecrlf=true", "", mixed, true},
		"safe input":        {"core.autocrlf=input core.safecrlf=true", "", mixed, true},
		"warned":            {"core.autocrlf=input core.safecrlf=warn", "", mixed, false},
		"encoding":          {"", "*.x working-tree-encoding=UTF-16LE", "h\x00i\x00\n\x00", false},
		"another encoding":  {"", "*.x working-tree-encoding=UTF-16", "no mark", true},
		"ident":             {"", "* ident", "$Id: of another$\n", false},
		"filter":            {"filter.up.clean=tr\ta-z\tA-Z", "*.x filter=up", "lower\n", false},
		"filter that fails": {"filter.up.clean=false filter.up.required=true", "*.x filter=up", "lower\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			r := repository(t)
			write(t, "old.x", "before\n")
			write(t, "gone.x", "gone\n")
			commit(t, "base")
			for kv := range strings.FieldsFuncSeq(c.config, func(c rune) bool { return c == ' ' }) {
				key, value, _ := strings.Cut(kv, "=")
				run(t, "", "config", key, strings.ReplaceAll(value, "\t", " "))
			}
			write(t, ".git/info/attributes", c.attributes+"\n")
			write(t, "old.x", c.content)
			write(t, "new.x", c.content)
			if err := os.Remove("gone.x"); err != nil {
				t.Fatal(err)
			}
			paths := []string{"gone.x", "new.x", "old.x"}
			kept, err := r.Snapshot(t.Context(), paths)
			if err != nil {
				t.Fatal(err)
			}
			staged, err := r.Stage(t.Context(), paths)
			if refused := Code(err) == 128; refused != c.refused || err != nil && !refused {
				t.Fatal(err)
			}
			run(t, "", "read-tree", "HEAD")
			if c.refused {
				o, err := r.Read(t.Context(), kept+":new.x")
				if _, gone := r.Read(t.Context(), kept+":gone.x"); err != nil || string(o.Data) != c.content || gone != ErrMissing {
					t.Errorf("kept %q, want %q: %v", o.Data, c.content, err)
				}
				return
			}
			run(t, "", "add", "-A")
			if want := run(t, "", "write-tree"); staged != want || kept != want {
				t.Errorf("staged %s, kept %s, git add has %s", staged, kept, want)
			}
		})
	}
}
