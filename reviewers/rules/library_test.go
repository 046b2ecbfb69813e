package rules

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/git"
)

// librarySays lists the hits of blocking rules in Go's own library and tools, each read and found right: a
// change that added it would have to explain it.
var librarySays = map[string]string{
	"test-emptied cmd/cgo/internal/test/issue24161e0/main.go":            "it is enough that it builds",
	"test-emptied cmd/cgo/internal/test/issue24161e1/main.go":            "it is enough that it builds",
	"test-emptied cmd/cgo/internal/test/issue24161e2/main.go":            "it is enough that it builds",
	"test-emptied crypto/internal/boring/boring_test.go":                 "it is enough that it starts",
	"test-emptied crypto/internal/fips140/edwards25519/field/fe_test.go": "its body is a remark that it is to be written",
	"test-emptied net/internal/cgotest/empty_test.go":                    "it is enough that it builds",
	"test-emptied plugin/plugin_test.go":                                 "it is enough that it builds",
	"test-emptied cmd/cover/cover_test.go":                               "the text of a program in a string",
	"test-emptied runtime/race/output_test.go":                           "the text of a program in a string",
	"hidden-text cmd/compile/internal/ssa/prove.go":                      "two zero width spaces in a remark",
	"test-skipped cmd/api/boring_test.go":                                "its init ends the run where boringcrypto is enabled",
	"test-skipped cmd/go/terminal_test.go":                               "the end of a child process of the test",
	"test-skipped os/exec/exec_test.go":                                  "the end of a child process of the test",
	"secret crypto/x509/platform_root_key.pem":                           "a private key, for tests",
	"hidden-text hash/crc32/crc32_test.go":                               "a combining grapheme joiner in a sentence that is summed",
	"hidden-text cmd/compile/internal/types2/typeterm.go":                "the word universe with a script letter, in a remark",
	"hidden-text go/types/typeterm.go":                                   "the word universe with a script letter, in a remark",
	"hidden-text cmd/go/internal/imports/read_test.go":                   "a double-struck letter marks the place of an error in a text",
	"hidden-text go/build/read_test.go":                                  "a double-struck letter marks the place of an error in a text",
}

// TestStandardLibrary checks Go's standard library (every machine that builds this program has it) as if each
// file were added: millions of lines that are reviewed and in use. With RULES=full it checks all of it, else
// one file in two hundred.
func TestStandardLibrary(t *testing.T) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(strings.TrimSpace(string(out)), "src")
	every := 200
	if os.Getenv("RULES") == "full" {
		every = 1
	}
	files, lineCount, n := 0, 0, 0
	said, used := map[string]int{}, map[string]bool{}
	err = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if n++; n%every != 0 {
			return nil
		}
		data, err := os.ReadFile(p)
		if err != nil || len(data) > 1<<20 {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		f := addedFile(filepath.ToSlash(rel), string(data))
		files++
		lineCount += len(f.Hunks[0].Lines)
		c := Change{Diff: &git.Diff{Files: []git.FileDiff{f}}, Read: func(string) ([]byte, error) { return data, nil }}
		for _, h := range Find(c, All()) {
			said[h.Rule]++
			place := fmt.Sprintf("%s %s", h.Rule, h.Path)
			used[place] = true
			if stops(h) && librarySays[place] == "" {
				t.Errorf("%s:%d: %s: %.100q", place, h.Line, h.Title, h.Quote)
			}
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Fatalf("%d files: %v", files, err)
	}
	for place := range librarySays {
		if every == 1 && !used[place] {
			t.Errorf("%s is said no more: take it from the list", place)
		}
	}
	t.Logf("%d files, %d lines: %v", files, lineCount, said)
}

// addedFile is the difference that adds a file of this text.
func addedFile(path, text string) git.FileDiff {
	var marked []string
	for _, l := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		marked = append(marked, "+"+strings.TrimSuffix(l, "\r"))
	}
	f := file(path, marked...)
	f.OldMode, f.NewMode, f.Binary = "000000", "100644", strings.Contains(text, "\x00")
	if f.Binary {
		f.Hunks[0].Lines = nil
	}
	return f
}
