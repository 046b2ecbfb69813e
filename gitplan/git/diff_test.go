package git

import (
	"strings"
	"testing"

	"github.com/git-plan/git-plan/testdata/repository"
	"github.com/google/go-cmp/cmp"
)

// A diff is the same whatever the person has configured, and no attribute of the branch hides a line of it.
func TestNothingHidesADiff(t *testing.T) {
	r := opened(t)
	repository.Write(t, "kept.go", "package a\n\nfunc A() {\n\treturn\n}\n")
	repository.Write(t, "gone.go", "package a\n")
	repository.Write(t, "old name.txt", "one\ntwo\nthree\nfour\nfive\n")
	repository.Write(t, "bin", "\x00\x01")
	from := repository.Commit(t, "one")
	repository.Write(t, ".gitattributes", "*.go -diff\n*.txt binary\n")
	repository.Write(t, "kept.go", "package a\n\nfunc A() {\n\tpanic(1)\n}\n")
	repository.Write(t, "\"ü\nnew.go", "package b\r\n\n@@ -1 +1 @@\ndiff --git a/x b/x\n")
	repository.Write(t, "bin", "\x00\x02")
	repository.Ask(t, "mv", "old name.txt", "new name.txt")
	repository.Ask(t, "rm", "-q", "gone.go")
	to := repository.Commit(t, "two")
	for _, kv := range [][2]string{{"diff.noprefix", "true"}, {"diff.external", "false"}, {"color.ui", "always"},
		{"core.quotePath", "true"}, {"diff.suppressBlankEmpty", "true"}, {"diff.renames", "false"}, {"diff.context", "0"}} {
		repository.Ask(t, "config", kv[0], kv[1])
	}
	t.Setenv("GIT_DIFF_OPTS", "-u0")
	d, err := DiffTrees(t.Context(), r, from, to)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range d.Files {
		line := string(f.Status) + " " + f.Path
		if f.Binary {
			line += " binary"
		}
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				if l.Kind != ' ' {
					line += "|" + string(l.Kind) + l.Text
				}
			}
		}
		got = append(got, line)
	}
	want := []string{
		"A \"ü\nnew.go|+package b|+|+@@ -1 +1 @@|+diff --git a/x b/x",
		"A .gitattributes|+*.go -diff|+*.txt binary",
		"M bin binary",
		"D gone.go|-package a",
		"M kept.go|-\treturn|+\tpanic(1)",
		"R new name.txt",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the difference is not what it is (-want +got):\n%s", diff)
	}
}

// A difference of any size is read in pieces without losing a line.
func TestLargeDiffIsReadInPieces(t *testing.T) {
	r := opened(t)
	repository.Write(t, "small", "one\n")
	from := repository.Commit(t, "Begin")
	long := strings.Repeat("a line of the table that is a little longer than others\n", 100_000)
	repository.Write(t, "large", long)
	repository.Write(t, "small", "two\n")
	repository.Write(t, "binary", "a\x00b")
	to := repository.Commit(t, "Grow")
	pieces, lines, last := map[string]int{}, 0, 0
	begun := false
	err := WalkDiff(t.Context(), r, from, to, func(d *Diff) { begun = len(d.Files) == 3 }, func(f *FileDiff) {
		if f.Later != (pieces[f.Path] > 0) {
			t.Errorf("%s: piece %d says it is later: %v", f.Path, pieces[f.Path], f.Later)
		}
		pieces[f.Path]++
		held := 0
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				held += len(l.Text)
				if f.Path == "large" {
					if lines++; l.New != last+1 {
						t.Fatalf("line %d follows line %d", l.New, last)
					}
					last = l.New
				}
			}
		}
		if held > maxFile {
			t.Errorf("%s: %d bytes are held at a time", f.Path, held)
		}
		if f.Path == "large" && f.Cut {
			t.Error("a piece says that the file is cut")
		}
	})
	if err != nil || !begun || lines != 100_000 || pieces["large"] < 3 || pieces["small"] != 1 || pieces["binary"] != 1 {
		t.Errorf("%v: begun %v, %d lines, pieces %v", err, begun, lines, pieces)
	}
	d, err := DiffTrees(t.Context(), r, from, to)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range d.Files {
		if f.Path == "large" && (f.Added != len(long) || !f.Cut) {
			t.Errorf("%d bytes were added, %d counted", len(long), f.Added)
		}
	}
}
