package tools

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// files returns the files of a workspace with what is in them, in one text.
func files(t *testing.T, w *Workspace, names ...string) string {
	t.Helper()
	var b strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(w.dir, name))
		if err != nil {
			text = []byte("(none)")
		}
		b.WriteString(name + "=" + string(text) + ";")
	}
	return b.String()
}

// A patch changes several files, in one call.
func TestAPatch(t *testing.T) {
	code := "package a\n\nfunc one() {\n\tx := 1\n\treturn\n}\n\nfunc two() {\n\tx := 1\n\treturn\n}\n"
	w := tree(t, map[string]string{"a.go": code, "win.txt": "one\r\ntwo\r\n", "old.txt": "old\n", "from.txt": "moved\n", "noend": "a\nb"})
	got := callTool(t, w, "apply_patch", patchArgs(
		"*** Update File: a.go\n@@ func two() {\n-\tx := 1\n+\tx := 2\n \treturn\n\n"+
			"*** Update File: win.txt\n one\n-two  \n+2\n+3\n"+
			"*** Add File: new/file.txt\n+first\n+\n+last\n"+
			"*** Delete File: old.txt\n"+
			"*** Update File: from.txt\n*** Move to: to.txt\n@@\n-moved\n+was moved\n"+
			"*** Update File: noend\n a\n-b\n+c\n*** End of File\n"))
	if want := "patched\nM a.go\nM win.txt\nA new/file.txt\nD old.txt\nM from.txt -> to.txt\nM noend"; got != want {
		t.Fatal(got)
	}
	if got, want := files(t, w, "a.go", "win.txt", "new/file.txt", "old.txt", "from.txt", "to.txt", "noend"),
		"a.go="+strings.Replace(code, "two() {\n\tx := 1", "two() {\n\tx := 2", 1)+";win.txt=one\r\n2\r\n3\r\n;new/file.txt=first\n\nlast\n;old.txt=(none);from.txt=(none);to.txt=was moved\n;noend=a\nc;"; got != want {
		t.Errorf("%q\nwant\n%q", got, want)
	}
}

// If a part of a patch does not fit, none of it is made, and the model reads why.
func TestAPatchThatDoesNotFit(t *testing.T) {
	start := map[string]string{"a.txt": "one\ntwo\none\ntwo\n", "b.txt": "b\n", "folder/x": "x\n"}
	for _, c := range [][2]string{
		{"*** Update File: a.txt\n-three\n+3\n", "a.txt: change 1 of 1: its lines are not in the file"},
		{"*** Update File: a.txt\n-one\n+1\n", "a.txt: change 1 of 1: its lines are in 2 places, first in line 1 and 3"},
		{"*** Update File: a.txt\n@@ none\n-one\n+1\n", `the line "none" of its @@ is not below`},
		{"*** Update File: c.txt\n-one\n+1\n", "c.txt: there is no such file"},
		{"*** Delete File: c.txt\n", "c.txt: there is no such file"},
		{"*** Add File: a.txt\n+x\n", "a.txt: it exists; use *** Update File"},
		{"*** Update File: a.txt\n*** Move to: folder/x\n", "folder/x exists"},
		{"*** Update File: folder\n-x\n+y\n", "folder is a folder"},
		{"*** Update File: ../out\n-x\n+y\n", "is outside the work tree"},
		{"*** Update File: a.txt\n*** Move to: .git/hooks/x\n", "is git's own"},
		{"*** Update File: a.txt\n", "does not say what changes in a.txt"},
		{"*** Update File: a.txt\nnonsense\n", "line 6 of the patch: it begins with none of +, - and a blank"},
		{"*** Delete File: a.txt\n-x\n", "line 6 of the patch: only lines with +"},
		{"*** Add File: \n+x\n", "line 5 of the patch names no file"},
	} {
		w := tree(t, start)
		got := callTool(t, w, "apply_patch", patchArgs("*** Update File: b.txt\n-b\n+changed\n"+c[0]+"*** Add File: z.txt\n+z\n"))
		if !strings.HasPrefix(got, "error: ") || !strings.Contains(got, c[1]) {
			t.Errorf("%q: %s", c[0], got)
		}
		if now := files(t, w, "a.txt", "b.txt", "z.txt"); now != "a.txt=one\ntwo\none\ntwo\n;b.txt=b\n;z.txt=(none);" {
			t.Errorf("%q: %q", c[0], now)
		}
	}
	w := tree(t, start)
	for _, args := range []string{`{"patch":""}`, `{"patch":"diff --git a/a b/a"}`, `{"patch":"*** Begin Patch\n*** End Patch"}`, `{"patch":"*** Begin Patch\nx\n*** End Patch"}`} {
		if got := callTool(t, w, "apply_patch", args); !strings.HasPrefix(got, "error: ") {
			t.Errorf("%s: %s", args, got)
		}
	}
}

// A patch whose files cannot all be written leaves each as it was.
func TestAPatchIsWrittenWhole(t *testing.T) {
	w := tree(t, map[string]string{"a.txt": "a\n", "b.txt": "b\n", "file": "x\n"})
	got := callTool(t, w, "apply_patch", patchArgs("*** Update File: a.txt\n-a\n+1\n*** Delete File: b.txt\n*** Add File: new.txt\n+n\n*** Add File: file/below\n+x\n"))
	if !strings.HasPrefix(got, "error: ") || !strings.HasSuffix(got, "[nothing of the patch was made]") {
		t.Error(got)
	}
	if now := files(t, w, "a.txt", "b.txt", "new.txt"); now != "a.txt=a\n;b.txt=b\n;new.txt=(none);" {
		t.Errorf("%q", now)
	}
	// What changed since it was read is not patched.
	callTool(t, w, "read_file", `{"path":"a.txt"}`)
	if err := os.WriteFile(filepath.Join(w.dir, "a.txt"), []byte("a\nmore\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := callTool(t, w, "apply_patch", patchArgs("*** Update File: a.txt\n-a\n+1\n")); !strings.Contains(got, "changed on disk") {
		t.Error(got)
	}
}
