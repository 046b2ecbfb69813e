package arch_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A doc.go walks the reader through files by name. Each name is a file of the package or of a package below
// it; a name with a folder in it is a path from the top.
func TestDocsNameFiles(t *testing.T) {
	name := regexp.MustCompile(`[\w./*-]*\w[\w*]*\.go\b`)
	for _, doc := range filesBelow(t, ".") {
		if filepath.Base(doc) != "doc.go" || strings.HasPrefix(doc, "testdata") {
			continue
		}
		text, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		below := filesBelow(t, filepath.Dir(doc))
		for _, named := range name.FindAllString(string(text), -1) {
			if strings.Contains(named, "/") {
				if _, err := os.Stat(named); err != nil {
					t.Errorf("%s names %s: %v", doc, named, err)
				}
				continue
			}
			found := false
			for _, file := range below {
				ok, _ := filepath.Match(named, filepath.Base(file))
				found = found || ok
			}
			if !found {
				t.Errorf("%s names %s, which is not there", doc, named)
			}
		}
	}
}

// filesBelow returns the Go files in a folder and below it.
func filesBelow(t *testing.T, folder string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".go" {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// The manual's topics together stay below a number of words, not counting the examples of commands in
// git-plan(1).
func TestTheManualIsShort(t *testing.T) {
	pages, err := filepath.Glob("cmd/git-plan/pages/gitplan-*.md")
	if err != nil || len(pages) < 4 {
		t.Fatal(pages, err)
	}
	words := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		words += len(strings.Fields(string(text)))
	}
	if most := 8000; words > most {
		t.Errorf("the manual has %d words, and may have %d", words, most)
	}
}

// Guides for contributors name files by their paths from the top.
func TestGuidesNameFiles(t *testing.T) {
	path := regexp.MustCompile(`\b(cmd|gitplan|hooks|reviewers|testdata)/[\w./-]*\w`)
	for _, guide := range []string{"CONTRIBUTING.md", "AGENTS.md"} {
		text, err := os.ReadFile(guide)
		if err != nil {
			t.Fatal(err)
		}
		for _, named := range path.FindAllString(string(text), -1) {
			if named, _, _ = strings.Cut(named, "/TOPIC"); named == "" {
				continue
			}
			if _, err := os.Stat(named); err != nil {
				t.Errorf("%s names %s: %v", guide, named, err)
			}
		}
	}
}

// Each promise of SECURITY.md names an existing story or test that checks it.
func TestSecurityNamesItsTests(t *testing.T) {
	text, err := os.ReadFile("SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]bool{}
	for _, file := range filesBelow(t, ".") {
		code, _ := os.ReadFile(file)
		for _, m := range regexp.MustCompile(`(?m)^func Test(\w+)\(`).FindAllStringSubmatch(string(code), -1) {
			tests[m[1]] = true
		}
	}
	_, promised, _ := strings.Cut(string(text), "## What is promised")
	promised, _, _ = strings.Cut(promised, "## What is not promised")
	named := regexp.MustCompile(`\b[A-Z][A-Za-z]*[a-z][A-Z][A-Za-z]{6,}|`+"`[a-z]+/[a-z_]+`").FindAllString(promised, -1)
	for _, name := range named {
		story := strings.Trim(name, "`")
		if _, err := os.Stat("testdata/stories/" + story + ".txtar"); err != nil && !tests[name] {
			t.Errorf("there is no test %s", name)
		}
	}
	if len(named) < 40 {
		t.Errorf("only %d names: %q", len(named), named)
	}
	for _, row := range strings.Split(promised, "\n") {
		if cells := strings.Split(row, "|"); len(cells) == 8 && strings.Contains(row, " no") && strings.TrimSpace(cells[6]) == "" {
			t.Errorf("no test checks %s", row)
		}
	}
}
